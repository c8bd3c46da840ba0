! SPDX-License-Identifier: Apache-2.0
! ranks.f90: Madelung's constant of rock salt by several ranks of MPI.  Each
! rank passes some planes of a cube of 8 spacings; ranks beyond 8 pass none.
!
!     mpirun -n 3 ./ranks
program ranks
  use mpi_f08
  use farsum_mpi
  implicit none
  integer, parameter :: side = 8
  real(8), parameter :: madelung = 1.747564594633182d0
  real(8), allocatable :: x(:, :), q(:)
  real(8) :: energy, found
  integer :: rank, count, level, i, j, n
  type(farsum_problem) :: problem
  type(farsum_plan) :: plan
  type(farsum_mpi_info) :: info
  call MPI_Init_thread(MPI_THREAD_FUNNELED, level)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, count)
  n = side**2*((side - rank + count - 1)/count)
  allocate (x(3, n), q(n))
  do i = 1, n
    j = (i - 1)/side**2*count + rank
    x(:, i) = [mod(i - 1, side), mod((i - 1)/side, side), j]
    q(i) = 1 - 2*modulo(sum(nint(x(:, i))), 2)
  end do
  do i = 1, 3
    problem%cell(i, i) = side
  end do
  problem%periodic = 1
  problem%tolerance = 1d-10
  problem%error = FARSUM_ERROR_POTENTIAL ! forces vanish in a crystal
  call farsum_mpi_create(plan, problem, MPI_COMM_WORLD, x, q)
  call plan%set_points(x)
  call plan%execute(q, energy=energy)
  call farsum_mpi_get(plan, info)
  found = -2*energy/side**3
  print '(a, i0, a, i0, a, i0, a)', 'rank ', info%rank, ' of ', info%ranks, &
    ': ', info%own, ' ions'
  if (rank == 0) print '(a, f13.10)', 'Madelung ', found
  if (abs(found - madelung) > 1d-8) call MPI_Abort(MPI_COMM_WORLD, 1)
  call plan%destroy()
  call MPI_Finalize()
end program
