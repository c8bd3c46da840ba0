! SPDX-License-Identifier: Apache-2.0
! salt.f90: Madelung's constant of rock salt, with options by name and a status.
! The plan then follows a cell that is stretched as far as its mesh allows.
program salt
  use farsum
  implicit none
  integer, parameter :: side = 4, n = side**3
  real(8), parameter :: madelung = 1.747564594633182d0
  real(8) :: x(3, n), q(n), phi(n), energy, stretch
  integer :: i, status
  type(farsum_problem) :: problem
  type(farsum_options) :: options
  type(farsum_plan) :: plan
  type(farsum_plan_info) :: info
  do i = 1, n
    x(:, i) = [mod(i - 1, side), mod((i - 1)/side, side), (i - 1)/side**2]
    q(i) = 1 - 2*modulo(sum(nint(x(:, i))), 2)
  end do
  problem%kernel = farsum_text('laplace')
  do i = 1, 3
    problem%cell(i, i) = side
  end do
  problem%periodic = 1
  problem%tolerance = 1d-10
  problem%error = FARSUM_ERROR_POTENTIAL ! forces vanish in a crystal
  problem%outputs = ior(FARSUM_POTENTIAL, FARSUM_ENERGY)
  options%method = farsum_text('spectral')
  options%spectral%window = farsum_text('kaiser_bessel')
  call plan%create(problem, x, q, options)
  call plan%set_points(x)
  call plan%execute(q, potential=phi, energy=energy)
  call plan%get_info(info)
  print '(4a)', farsum_string(info%method), ', window ', &
    farsum_string(info%window)
  print '(a, f13.10)', 'Madelung ', -q(1)*phi(1)
  if (abs(-q(1)*phi(1) - madelung) > 1d-8) error stop 'wrong potential'
  if (abs(-2*energy/n - madelung) > 1d-8) error stop 'wrong energy'

  stretch = 1
  do
    stretch = 1.01d0*stretch
    problem%cell(3, 3) = side*stretch
    call plan%set_cell(problem%cell, status)
    if (status /= FARSUM_OK) exit
    x(3, :) = 1.01d0*x(3, :)
    call plan%set_points(x)
    call plan%execute(q, energy=energy)
    print '(a, f6.3, a, f10.6)', 'stretch', stretch, ': energy', energy/n
  end do
  if (status /= FARSUM_ERR_TOLERANCE) error stop 'another status'
  print '(a, f6.3, 2a)', 'stretch', stretch, ': ', plan%message()
end program
