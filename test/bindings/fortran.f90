! SPDX-License-Identifier: Apache-2.0
! fortran.f90: the module farsum: outputs against direct sums, refused types and
! counts, 1-based exclusions, f32, targets, strided arrays, and life.
program fortran
  use farsum
  implicit none
  integer :: failures = 0
  real(8), parameter :: x(3, 5) = reshape([0.1d0, 0.2d0, 0.3d0, 1d0, 1.5d0, &
    2d0, 3d0, 2.9d0, 0.4d0, 2d0, 0.7d0, 3.1d0, 0.2d0, 3d0, 2d0], [3, 5])
  real(8), parameter :: q(5) = [1d0, -2d0, 0.5d0, 1.5d0, -1d0]
  call open_space()
  call refusals()
  call flows_and_f32()
  call life()
  print '(a, i0, a)', 'farsum.f90: ', failures, ' failures'
  if (failures > 0) error stop 1

contains

  subroutine expect(right, what)
    logical, intent(in) :: right
    character(*), intent(in) :: what
    if (right) return
    print '(2a)', 'FAILED: ', what
    failures = failures + 1
  end subroutine

  ! The status, and how the message begins.
  subroutine refused(plan, status, want, text)
    type(farsum_plan), intent(in) :: plan
    integer, intent(in) :: status, want
    character(*), intent(in) :: text
    call expect(status == want, text)
    call expect(index(plan%message(), text) == 1, &
      text//' not: '//plan%message())
  end subroutine

  real(8) function potential_at(y, charges, skip) result(phi)
    real(8), intent(in) :: y(3), charges(:)
    integer, intent(in) :: skip(:)
    integer :: j
    phi = 0
    do j = 1, size(charges)
      if (any(skip == j)) cycle
      phi = phi + charges(j)/norm2(y - x(:, j))
    end do
  end function

  subroutine open_space()
    type(farsum_problem) :: problem
    type(farsum_options) :: options
    type(farsum_plan) :: plan
    type(farsum_plan_info) :: info
    real(8) :: phi(5), two(5, 2), strided(2, 5), energy, y(3, 2), at_y(2)
    integer :: i, status
    options%method = farsum_text('direct')
    call plan%create(problem, x, q, options)
    call plan%set_points(x)
    call plan%execute(q, potential=phi, energy=energy)
    do i = 1, 5
      call expect(abs(phi(i) - potential_at(x(:, i), q, [i])) < 1d-13, &
        'potentials')
    end do
    call expect(abs(energy - dot_product(q, phi)/2) < 1d-13, 'energy')
    call plan%execute(reshape([q, 2*q], [5, 2]), potential=two, rhs=2)
    call expect(all(abs(two - reshape([phi, 2*phi], [5, 2])) < 1d-15), &
      'two sets')
    strided = 7
    call plan%execute(q, potential=strided(2, :))
    call expect(all(abs(strided(2, :) - phi) < 1d-15 .and. &
      nint(strided(1, :)) == 7), 'strides')
    call plan%set_exclusions(reshape([1, 2, 3, 1], [2, 2]), [0d0, 1d0])
    call plan%execute(q, potential=phi)
    call expect(abs(phi(1) - potential_at(x(:, 1), q, [1, 2])) < 1d-13, &
      'an excluded pair')
    call plan%set_exclusions(reshape([0, 2], [2, 1]), status=status)
    call refused(plan, status, FARSUM_ERR_ARGUMENT, 'exclusion')
    call plan%set_exclusions(reshape([integer ::], [2, 0]))
    call plan%execute(q, potential=phi)
    call expect(abs(phi(1) - potential_at(x(:, 1), q, [1])) < 1d-13, &
      'no exclusions')
    call plan%get_info(info)
    call expect(farsum_string(info%method) == 'direct', 'info')
    call expect(index(plan%text(), 'direct') > 0, 'text')
    call plan%set_points(5_c_int64_t, c_null_ptr, status=status)
    call expect(status == FARSUM_ERR_ARGUMENT, 'a null address')
    problem%n_targets = 2
    problem%outputs = FARSUM_POTENTIAL
    y = reshape([1, 1, 1, 9, 0, 0], [3, 2])
    call plan%create(problem, x, q, options)
    call plan%set_points(x, y)
    call plan%execute(q, potential=at_y)
    call expect(abs(at_y(2) - potential_at(y(:, 2), q, [0])) < 1d-13, 'targets')
  end subroutine

  subroutine refusals()
    type(farsum_problem) :: problem
    type(farsum_plan) :: plan
    real(8) :: phi(5), six(6)
    integer :: status, i
    problem%kernel = farsum_text('laplaze')
    call plan%create(problem, x, q, status=status)
    call refused(plan, status, FARSUM_ERR_UNKNOWN, 'kernel "laplaze"')
    problem%kernel = c_null_ptr
    do i = 1, 3
      problem%cell(i, i) = 4
    end do
    problem%periodic = 1
    problem%outputs = ior(FARSUM_POTENTIAL, FARSUM_VIRIAL)
    call plan%create(problem, x, q)
    call plan%execute(q, potential=phi, status=status)
    call expect(status == FARSUM_ERR_STATE, 'no points')
    call plan%set_points(x(1:2, :), status=status)
    call refused(plan, status, FARSUM_ERR_ARGUMENT, &
      'x(:,1): 2 numbers, must be 3')
    call plan%set_points(real(x, c_float), status=status)
    call refused(plan, status, FARSUM_ERR_ARGUMENT, &
      "the problem's arrays are f64")
    call plan%set_points(x)
    call plan%execute(six, potential=phi, status=status)
    call refused(plan, status, FARSUM_ERR_ARGUMENT, 'q: 6 numbers, must be 5')
    call plan%execute(q, potential=six, status=status)
    call refused(plan, status, FARSUM_ERR_ARGUMENT, &
      'potential: 6 numbers, must be 5')
    call plan%execute(q, virial=six, status=status)
    call refused(plan, status, FARSUM_ERR_ARGUMENT, &
      'virial: 6 numbers, must be 9')
    call plan%set_exclusions(reshape([1, 2], [2, 1]), [1d0, 1d0], status)
    call refused(plan, status, FARSUM_ERR_ARGUMENT, &
      'factors: 2 numbers, must be 1')
    call plan%execute(q, field=six, status=status)
    call refused(plan, status, FARSUM_ERR_ARGUMENT, &
      'field: 6 numbers, must be 15')
    call plan%execute(q, potential=phi, status=status)
    call expect(status == FARSUM_OK, 'the plan is usable')
  end subroutine

  subroutine flows_and_f32()
    type(farsum_problem) :: problem
    type(farsum_plan) :: plan
    real(c_float) :: f(3, 5), u(3, 5)
    real(8) :: wrong(3, 5)
    integer :: status
    problem%kernel = farsum_text('stokeslet')
    f = 0
    f(1, :) = 1
    call plan%create(problem, real(x, c_float), f)
    call plan%set_points(real(x, c_float))
    call plan%execute(f, velocity=u)
    call expect(all(u(1, :) > 0), 'velocities')
    call plan%execute(x, velocity=wrong, status=status)
    call refused(plan, status, FARSUM_ERR_ARGUMENT, &
      "the problem's arrays are f32")
    call plan%execute(f(1, :), velocity=u, status=status)
    call refused(plan, status, FARSUM_ERR_ARGUMENT, 'q: 5 numbers, must be 15')
  end subroutine

  ! Plans that go out of scope, are made again and destroyed twice.
  subroutine life()
    type(farsum_problem) :: problem
    type(farsum_plan_info) :: info
    integer :: i, status
    do i = 1, 20
      block
        type(farsum_plan) :: plan
        call plan%create(problem, x, q, tune=i > 10)
        if (i > 10) call plan%set_points(x, status=status)
        call expect(i <= 10 .or. status == FARSUM_ERR_STATE, 'tune')
        call plan%create(problem, x, q)
        if (i < 5) call plan%destroy()
        if (i < 3) call plan%destroy()
        call plan%get_info(info, status)
        call expect((status == FARSUM_OK) .neqv. (i < 5), 'life')
      end block
    end do
    call expect(index(farsum_version(), '.') > 0, 'version')
  end subroutine
end program
