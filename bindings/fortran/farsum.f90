! SPDX-License-Identifier: Apache-2.0
! farsum.f90: farsum.h for Fortran 2018, in one module.
!
!     type(farsum_problem) :: problem
!     type(farsum_plan) :: plan
!     ... problem%cell, periodic, tolerance; x(3,n), q(n), phi(n), e(3,n) ...
!     call plan%create(problem, x, q)
!     call plan%set_points(x)
!     call plan%execute(q, potential=phi, field=e)
!
! Structs have C's fields with C's names and start from their initial values.
! Arrays have C's layout as they are: C's rows are columns here, so x is (3,n)
! and the cell vectors are the columns of cell.  Texts: problem%kernel =
! farsum_text('yukawa').  Each call has an optional status; without it a failure
! stops the program with the message.  A plan is freed when it goes out of scope
! or by destroy.  docs/fortran.md has complete programs, and farsum.h describes
! fields and calls.
module farsum
  use farsum_c
  implicit none
  integer(c_int64_t), parameter, private :: TWO = 2, THREE = 3

  type :: farsum_plan
    private
    type(c_ptr) :: handle = c_null_ptr
    integer :: strengths = 1
    logical :: f32 = .false., device = .false., ranks = .false.
    integer(c_int64_t) :: n = -1, targets = 0 ! n < 0: no points
    character(120) :: refused = '' ! a message of this module
  contains
    procedure, private :: plan_create, plan_create_f64, plan_create_f32
    procedure, private :: plan_points, plan_points_f64, plan_points_f32
    procedure, private :: plan_execute, plan_execute_f64, plan_execute_f32
    procedure, private :: plan_exclude, plan_exclude_i32, plan_copy
    ! create(problem [, x, q] [, options] [, tune] [, status]): x and q are the
    ! sample.  tune: .true. only makes the choices.
    generic :: create => plan_create, plan_create_f64, plan_create_f32
    ! set_points(x [, y] [, status]), or addresses: (n, x [, m, y] [, status])
    generic :: set_points => plan_points, plan_points_f64, plan_points_f32
    ! set_cell(cell [, status]): columns a, b, c
    procedure :: set_cell => plan_set_cell
    ! set_exclusions(pairs(2,:) [, factors(:)] [, status]): particles from 1
    generic :: set_exclusions => plan_exclude, plan_exclude_i32
    ! execute(q [, potential] [, field] [, energy] [, virial] [, velocity]
    ! [, gradient] [, particle_virial] [, third] [, rhs] [, status]), or
    ! addresses: (rhs, q, out [, status])
    generic :: execute => plan_execute, plan_execute_f64, plan_execute_f32
    procedure :: finish => plan_finish     ! ([status])
    procedure :: get_info => plan_get_info ! (info [, status])
    procedure :: text => plan_text         ! one line per choice
    procedure :: message => plan_message   ! of the plan's last failure
    procedure :: adopt => plan_adopt       ! (handle, problem): a plan of C
    procedure :: address => plan_address   ! for functions of C
    procedure :: destroy => plan_destroy
    generic :: assignment(=) => plan_copy  ! stops: plans are not copied
    final :: plan_free
  end type

  ! Sets sample_x, sample_q, n_sources and arrays.  x and q are targets that do
  ! not change before create.
  interface farsum_sample
    module procedure sample_f64, sample_f32
  end interface

  private :: sample_f64, sample_f32, plan_create, plan_create_f64
  private :: plan_create_f32, plan_points, plan_points_f64, plan_points_f32
  private :: plan_set_cell, plan_exclude, plan_exclude_i32, plan_execute
  private :: plan_execute_f64, plan_execute_f32, plan_finish, plan_get_info
  private :: plan_text, plan_message, plan_adopt, plan_address, plan_destroy
  private :: plan_copy, plan_free, points, run, done, right, right_type

contains

  subroutine sample_f64(problem, x, q)
    type(farsum_problem), intent(inout) :: problem
    real(c_double), intent(in), contiguous, target :: x(:, :), q(..)
    problem%n_sources = size(x, 2, c_int64_t)
    problem%sample_x = c_loc(x)
    problem%sample_q = c_loc(q)
    problem%arrays = FARSUM_F64
  end subroutine

  subroutine sample_f32(problem, x, q)
    type(farsum_problem), intent(inout) :: problem
    real(c_float), intent(in), contiguous, target :: x(:, :), q(..)
    problem%n_sources = size(x, 2, c_int64_t)
    problem%sample_x = c_loc(x)
    problem%sample_q = c_loc(q)
    problem%arrays = FARSUM_F32
  end subroutine

  subroutine plan_create(plan, problem, options, tune, status)
    class(farsum_plan), intent(inout) :: plan
    type(farsum_problem), intent(in) :: problem
    type(farsum_options), intent(in), optional :: options
    logical, intent(in), optional :: tune
    integer, intent(out), optional :: status
    type(farsum_problem) :: what
    type(farsum_options) :: how
    type(c_ptr) :: made
    integer(c_int) :: code
    logical :: only_tune
    only_tune = .false.
    if (present(tune)) only_tune = tune
    if (present(options)) how = options
    what = problem
    what%size = c_sizeof(what)
    how%size = c_sizeof(how)
    made = c_null_ptr
    if (only_tune) then
      code = farsum_plan_tune(what, how, made)
    else
      code = farsum_plan_create(what, how, made)
    end if
    if (code == FARSUM_OK) call plan%adopt(made, what)
    call done(plan, code, status)
  end subroutine

  subroutine plan_create_f64(plan, problem, x, q, options, tune, status)
    class(farsum_plan), intent(inout) :: plan
    type(farsum_problem), intent(in) :: problem
    real(c_double), intent(in), contiguous, target :: x(:, :), q(..)
    type(farsum_options), intent(in), optional :: options
    logical, intent(in), optional :: tune
    integer, intent(out), optional :: status
    type(farsum_problem) :: what
    what = problem
    call farsum_sample(what, x, q)
    call plan_create(plan, what, options, tune, status)
  end subroutine

  subroutine plan_create_f32(plan, problem, x, q, options, tune, status)
    class(farsum_plan), intent(inout) :: plan
    type(farsum_problem), intent(in) :: problem
    real(c_float), intent(in), contiguous, target :: x(:, :), q(..)
    type(farsum_options), intent(in), optional :: options
    logical, intent(in), optional :: tune
    integer, intent(out), optional :: status
    type(farsum_problem) :: what
    what = problem
    call farsum_sample(what, x, q)
    call plan_create(plan, what, options, tune, status)
  end subroutine

  ! Takes over a plan that C has made for the problem.
  subroutine plan_adopt(plan, handle, problem, ranks)
    class(farsum_plan), intent(inout) :: plan
    type(c_ptr), intent(in) :: handle
    type(farsum_problem), intent(in) :: problem
    logical, intent(in), optional :: ranks ! made by farsum_mpi_plan_create
    type(farsum_kernel_info) :: kernel
    character(:), allocatable :: name
    integer(c_int) :: arrays, i
    call plan%destroy()
    plan%handle = handle
    if (present(ranks)) plan%ranks = ranks
    arrays = problem%arrays
    if (arrays == 0) arrays = problem%precision
    plan%f32 = arrays == FARSUM_F32
    plan%device = problem%memory == FARSUM_DEVICE
    name = farsum_string(problem%kernel)
    if (name == '') name = 'laplace'
    kernel%size = c_sizeof(kernel)
    i = 0
    do while (farsum_list_kernels(i, kernel) == FARSUM_OK)
      if (farsum_string(kernel%name) == name) plan%strengths = kernel%strengths
      i = i + 1
    end do
  end subroutine

  subroutine plan_points(plan, n, x, m, y, status)
    class(farsum_plan), intent(inout) :: plan
    integer(c_int64_t), intent(in) :: n
    type(c_ptr), intent(in) :: x
    integer(c_int64_t), intent(in), optional :: m
    type(c_ptr), intent(in), optional :: y
    integer, intent(out), optional :: status
    integer(c_int64_t) :: targets
    type(c_ptr) :: at
    integer(c_int) :: code
    targets = 0
    at = c_null_ptr
    if (present(m)) targets = m
    if (present(y)) at = y
    plan%n = -1
    code = farsum_plan_set_points(plan%handle, n, x, targets, at)
    if (code == FARSUM_OK) then
      plan%n = n
      plan%targets = n
      if (c_associated(at)) plan%targets = targets
    end if
    call done(plan, code, status)
  end subroutine

  subroutine plan_points_f64(plan, x, y, status)
    class(farsum_plan), intent(inout) :: plan
    real(c_double), intent(in), contiguous, target :: x(:, :)
    real(c_double), intent(in), contiguous, target, optional :: y(:, :)
    integer, intent(out), optional :: status
    if (.not. right_type(plan, .false., status)) return
    if (present(y)) then
      call points(plan, shape(x, c_int64_t), c_loc(x), shape(y, c_int64_t), &
        c_loc(y), status)
    else
      call points(plan, shape(x, c_int64_t), c_loc(x), status=status)
    end if
  end subroutine

  subroutine plan_points_f32(plan, x, y, status)
    class(farsum_plan), intent(inout) :: plan
    real(c_float), intent(in), contiguous, target :: x(:, :)
    real(c_float), intent(in), contiguous, target, optional :: y(:, :)
    integer, intent(out), optional :: status
    if (.not. right_type(plan, .true., status)) return
    if (present(y)) then
      call points(plan, shape(x, c_int64_t), c_loc(x), shape(y, c_int64_t), &
        c_loc(y), status)
    else
      call points(plan, shape(x, c_int64_t), c_loc(x), status=status)
    end if
  end subroutine

  ! Checks the shapes, and sets the points.
  subroutine points(plan, shape_x, x, shape_y, y, status)
    class(farsum_plan), intent(inout) :: plan
    integer(c_int64_t), intent(in) :: shape_x(2)
    type(c_ptr), intent(in) :: x
    integer(c_int64_t), intent(in), optional :: shape_y(2)
    type(c_ptr), intent(in), optional :: y
    integer, intent(out), optional :: status
    if (.not. right(plan, 'x(:,1)', shape_x(1), THREE, status)) return
    if (present(y)) then
      if (.not. right(plan, 'y(:,1)', shape_y(1), THREE, status)) return
      call plan_points(plan, shape_x(2), x, shape_y(2), y, status)
    else
      call plan_points(plan, shape_x(2), x, status=status)
    end if
  end subroutine

  subroutine plan_set_cell(plan, cell, status)
    class(farsum_plan), intent(inout) :: plan
    real(c_double), intent(in) :: cell(3, 3)
    integer, intent(out), optional :: status
    call done(plan, farsum_plan_set_cell(plan%handle, cell), status)
  end subroutine

  subroutine plan_exclude(plan, pairs, factors, status)
    class(farsum_plan), intent(inout) :: plan
    integer(c_int64_t), intent(in) :: pairs(:, :)
    real(c_double), intent(in), contiguous, target, optional :: factors(:)
    integer, intent(out), optional :: status
    integer(c_int64_t), allocatable, target :: from_0(:, :)
    integer(c_int64_t) :: n
    type(c_ptr) :: scales
    n = size(pairs, 2)
    if (.not. right(plan, 'pairs(:,1)', size(pairs, 1, c_int64_t), TWO, &
      status)) return
    scales = c_null_ptr
    if (present(factors)) then
      if (.not. right(plan, 'factors', size(factors, 1, c_int64_t), n, &
        status)) return
      if (n > 0) scales = c_loc(factors)
    end if
    from_0 = pairs - 1
    if (n == 0) from_0 = reshape([0_c_int64_t, 0_c_int64_t], [2, 1])
    call done(plan, farsum_plan_set_exclusions(plan%handle, n, c_loc(from_0), &
      scales), status)
  end subroutine

  subroutine plan_exclude_i32(plan, pairs, factors, status)
    class(farsum_plan), intent(inout) :: plan
    integer(c_int32_t), intent(in) :: pairs(:, :)
    real(c_double), intent(in), contiguous, target, optional :: factors(:)
    integer, intent(out), optional :: status
    call plan_exclude(plan, int(pairs, c_int64_t), factors, status)
  end subroutine

  subroutine plan_execute(plan, rhs, q, out, status)
    class(farsum_plan), intent(inout) :: plan
    integer, intent(in) :: rhs
    type(c_ptr), intent(in) :: q
    type(farsum_result), intent(in) :: out
    integer, intent(out), optional :: status
    type(farsum_result) :: to
    to = out
    to%size = c_sizeof(to)
    call done(plan, farsum_plan_execute(plan%handle, int(rhs, c_int), q, to), &
      status)
  end subroutine

  subroutine plan_execute_f64(plan, q, potential, field, energy, virial, &
      velocity, gradient, particle_virial, third, rhs, status)
    class(farsum_plan), intent(inout) :: plan
    real(c_double), intent(in), contiguous, target :: q(..)
    real(c_double), intent(inout), contiguous, target, optional :: &
      potential(..), field(..), energy(..), virial(..), velocity(..), &
      gradient(..), particle_virial(..), third(..)
    integer, intent(in), optional :: rhs
    integer, intent(out), optional :: status
    type(farsum_result) :: out
    integer(c_int64_t) :: have(8)
    have = -1
    if (present(potential)) out%potential = c_loc(potential)
    if (present(potential)) have(1) = size(potential, kind=c_int64_t)
    if (present(field)) out%field = c_loc(field)
    if (present(field)) have(2) = size(field, kind=c_int64_t)
    if (present(energy)) out%energy = c_loc(energy)
    if (present(energy)) have(3) = size(energy, kind=c_int64_t)
    if (present(virial)) out%virial = c_loc(virial)
    if (present(virial)) have(4) = size(virial, kind=c_int64_t)
    if (present(velocity)) out%velocity = c_loc(velocity)
    if (present(velocity)) have(5) = size(velocity, kind=c_int64_t)
    if (present(gradient)) out%gradient = c_loc(gradient)
    if (present(gradient)) have(6) = size(gradient, kind=c_int64_t)
    if (present(particle_virial)) out%particle_virial = c_loc(particle_virial)
    if (present(particle_virial)) have(7) = size(particle_virial, &
      kind=c_int64_t)
    if (present(third)) out%third = c_loc(third)
    if (present(third)) have(8) = size(third, kind=c_int64_t)
    if (.not. right_type(plan, .false., status)) return
    call run(plan, c_loc(q), size(q, kind=c_int64_t), out, have, rhs, status)
  end subroutine

  subroutine plan_execute_f32(plan, q, potential, field, energy, virial, &
      velocity, gradient, particle_virial, third, rhs, status)
    class(farsum_plan), intent(inout) :: plan
    real(c_float), intent(in), contiguous, target :: q(..)
    real(c_float), intent(inout), contiguous, target, optional :: &
      potential(..), field(..), velocity(..), gradient(..), &
      particle_virial(..), third(..)
    real(c_double), intent(inout), contiguous, target, optional :: &
      energy(..), virial(..)
    integer, intent(in), optional :: rhs
    integer, intent(out), optional :: status
    type(farsum_result) :: out
    integer(c_int64_t) :: have(8)
    have = -1
    if (present(potential)) out%potential = c_loc(potential)
    if (present(potential)) have(1) = size(potential, kind=c_int64_t)
    if (present(field)) out%field = c_loc(field)
    if (present(field)) have(2) = size(field, kind=c_int64_t)
    if (present(energy)) out%energy = c_loc(energy)
    if (present(energy)) have(3) = size(energy, kind=c_int64_t)
    if (present(virial)) out%virial = c_loc(virial)
    if (present(virial)) have(4) = size(virial, kind=c_int64_t)
    if (present(velocity)) out%velocity = c_loc(velocity)
    if (present(velocity)) have(5) = size(velocity, kind=c_int64_t)
    if (present(gradient)) out%gradient = c_loc(gradient)
    if (present(gradient)) have(6) = size(gradient, kind=c_int64_t)
    if (present(particle_virial)) out%particle_virial = c_loc(particle_virial)
    if (present(particle_virial)) have(7) = size(particle_virial, &
      kind=c_int64_t)
    if (present(third)) out%third = c_loc(third)
    if (present(third)) have(8) = size(third, kind=c_int64_t)
    if (.not. right_type(plan, .true., status)) return
    call run(plan, c_loc(q), size(q, kind=c_int64_t), out, have, rhs, status)
  end subroutine

  ! Checks the counts, in the order of the outputs, and sums.
  subroutine run(plan, q, strengths, out, have, rhs, status)
    class(farsum_plan), intent(inout) :: plan
    type(c_ptr), intent(in) :: q
    integer(c_int64_t), intent(in) :: strengths, have(8)
    type(farsum_result), intent(in) :: out
    integer, intent(in), optional :: rhs
    integer, intent(out), optional :: status
    character(15), parameter :: names(8) = [character(15) :: 'potential', &
      'field', 'energy', 'virial', 'velocity', 'gradient', &
      'particle_virial', 'third']
    integer(c_int64_t) :: want(8)
    integer :: sets, i
    sets = 1
    if (present(rhs)) sets = rhs
    if (plan%n >= 0) then ! else C knows why
      if (.not. right(plan, 'q', strengths, sets*plan%n*plan%strengths, &
        status)) return
      want = sets*plan%targets*[1, 3, 0, 0, 3, 6, 9, 10]
      want(3:4) = sets*[1, 9]
      do i = 1, 8
        ! Over ranks, targets may be those of other ranks only.
        if (have(i) < 0 .or. plan%ranks) cycle
        if (.not. right(plan, trim(names(i)), have(i), want(i), status)) return
      end do
    end if
    call plan_execute(plan, sets, q, out, status)
  end subroutine

  subroutine plan_finish(plan, status)
    class(farsum_plan), intent(inout) :: plan
    integer, intent(out), optional :: status
    call done(plan, farsum_plan_finish(plan%handle), status)
  end subroutine

  subroutine plan_get_info(plan, info, status)
    class(farsum_plan), intent(inout) :: plan
    type(farsum_plan_info), intent(inout) :: info
    integer, intent(out), optional :: status
    info%size = c_sizeof(info)
    call done(plan, farsum_plan_get_info(plan%handle, info), status)
  end subroutine

  function plan_text(plan) result(text)
    class(farsum_plan), intent(in) :: plan
    character(:), allocatable :: text
    character(kind=c_char), allocatable, target :: buffer(:)
    integer(c_size_t) :: length
    length = farsum_plan_print_text(plan%handle, c_null_ptr, 0_c_size_t)
    allocate (buffer(length + 1))
    buffer = c_null_char
    length = farsum_plan_print_text(plan%handle, c_loc(buffer), length + 1)
    text = farsum_string(c_loc(buffer))
  end function

  function plan_message(plan) result(text)
    class(farsum_plan), intent(in) :: plan
    character(:), allocatable :: text
    text = trim(plan%refused)
    if (text == '') text = farsum_message()
  end function

  function plan_address(plan) result(handle)
    class(farsum_plan), intent(in) :: plan
    type(c_ptr) :: handle
    handle = plan%handle
  end function

  subroutine plan_destroy(plan)
    class(farsum_plan), intent(inout) :: plan
    call farsum_plan_destroy(plan%handle)
    plan%handle = c_null_ptr
    plan%n = -1
    plan%strengths = 1
    plan%ranks = .false.
  end subroutine

  subroutine plan_free(plan)
    type(farsum_plan), intent(inout) :: plan
    call farsum_plan_destroy(plan%handle)
    plan%handle = c_null_ptr
  end subroutine

  subroutine plan_copy(to, from)
    class(farsum_plan), intent(inout) :: to
    class(farsum_plan), intent(in) :: from
    if (c_associated(to%handle) .or. c_associated(from%handle)) &
      error stop 'farsum: a plan cannot be copied'
  end subroutine

  ! Passes a status on, or stops.
  subroutine done(plan, code, status)
    class(farsum_plan), intent(inout) :: plan
    integer(c_int), intent(in) :: code
    integer, intent(out), optional :: status
    plan%refused = ''
    if (present(status)) then
      status = code
    else if (code /= FARSUM_OK) then
      error stop 'farsum: '//farsum_message()
    end if
  end subroutine

  ! Whether a count is the right one; else a failure.
  function right(plan, name, have, want, status)
    class(farsum_plan), intent(inout) :: plan
    character(*), intent(in) :: name
    integer(c_int64_t), intent(in) :: have, want
    integer, intent(out), optional :: status
    logical :: right
    right = have == want
    if (right) return
    write (plan%refused, '(2a, i0, a, i0)') name, ': ', have, &
      ' numbers, must be ', want
    if (.not. present(status)) error stop 'farsum: '//trim(plan%refused)
    status = FARSUM_ERR_ARGUMENT
  end function

  ! Whether the problem has arrays of this kind, on the host; else a failure.
  function right_type(plan, f32, status) result(right)
    class(farsum_plan), intent(inout) :: plan
    logical, intent(in) :: f32
    integer, intent(out), optional :: status
    logical :: right
    right = .not. plan%device .and. (plan%f32 .eqv. f32)
    if (right) return
    if (plan%device) then
      plan%refused = "the problem's memory is a device: pass addresses"
    else if (f32) then
      plan%refused = "the problem's arrays are f64, not real(c_float)"
    else
      plan%refused = "the problem's arrays are f32, not real(c_double)"
    end if
    if (.not. present(status)) error stop 'farsum: '//trim(plan%refused)
    status = FARSUM_ERR_ARGUMENT
  end function
end module
