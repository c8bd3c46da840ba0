! SPDX-License-Identifier: Apache-2.0
! farsum_mpi.f90: farsum/mpi.h for Fortran 2018: plans over the ranks of MPI.
!
!     call farsum_mpi_create(plan, problem, MPI_COMM_WORLD, x, q)
!     call plan%set_points(x)             any points, on any rank
!     call plan%execute(q, potential=phi)
!
! Compile after farsum_c.f90 and farsum.f90, with MPI's compiler, and link
! libfarsum_mpi.  farsum/mpi.h says which calls are collective.  A count that
! the module farsum refuses fails on its rank only, as a NULL pointer in C.
module farsum_mpi
  use mpi_f08, only: MPI_Comm
  use farsum
  implicit none
  private :: MPI_Comm, create, create_f64, create_f32

  type, bind(c) :: farsum_mpi_options
    integer(c_size_t) :: size = 0 ! set by the calls
    integer(c_int64_t) :: message_bytes = 0
    type(c_ptr) :: transport = c_null_ptr
    real(c_double) :: patience = 0
    integer(c_int) :: domain(2) = 0
    integer(c_int) :: accept_single = 0
  end type

  type, bind(c) :: farsum_mpi_info
    integer(c_size_t) :: size = 0 ! set by the calls
    integer(c_int) :: ranks = 0
    integer(c_int) :: rank = 0
    integer(c_int64_t) :: own = 0
    integer(c_int64_t) :: ghosts = 0
    real(c_double) :: imbalance = 0
    integer(c_int64_t) :: bytes_sent = 0
    integer(c_int64_t) :: bytes_route = 0
    integer(c_int64_t) :: bytes_ghosts = 0
    integer(c_int64_t) :: bytes_planes = 0
    integer(c_int64_t) :: bytes_transform = 0
    real(c_double) :: seconds_route = 0
    real(c_double) :: seconds_ghosts = 0
    real(c_double) :: seconds_planes = 0
    real(c_double) :: seconds_transform = 0
    real(c_double) :: seconds_waiting = 0
    type(c_ptr) :: transport = c_null_ptr
    real(c_double) :: work_imbalance = 0
    integer(c_int64_t) :: recuts = 0
    integer(c_int) :: domain(2) = 0
  end type

  ! farsum_mpi_create(plan, problem, comm [, x, q] [, options] [, mpi]
  ! [, status]): x and q are this rank's sample.
  interface farsum_mpi_create
    module procedure create, create_f64, create_f32
  end interface

  interface
    function c_create(problem, options, mpi, comm, plan) &
        bind(c, name='farsum_mpi_plan_create_fortran') result(status)
      import
      type(farsum_problem), intent(in) :: problem
      type(farsum_options), intent(in) :: options
      type(farsum_mpi_options), intent(in) :: mpi
      integer(c_int), value :: comm
      type(c_ptr), intent(inout) :: plan
      integer(c_int) :: status
    end function
    function c_domain(plan, cell, low, high) &
        bind(c, name='farsum_mpi_domain') result(status)
      import
      type(c_ptr), value :: plan
      real(c_double), intent(out) :: cell(3, 3), low(3), high(3)
      integer(c_int) :: status
    end function
    function c_info(plan, info) bind(c, name='farsum_mpi_get_info') &
        result(status)
      import
      type(c_ptr), value :: plan
      type(farsum_mpi_info), intent(inout) :: info
      integer(c_int) :: status
    end function
  end interface
  private :: c_create, c_domain, c_info, done

contains

  subroutine create(plan, problem, comm, options, mpi, status)
    type(farsum_plan), intent(inout) :: plan
    type(farsum_problem), intent(in) :: problem
    type(MPI_Comm), intent(in) :: comm
    type(farsum_options), intent(in), optional :: options
    type(farsum_mpi_options), intent(in), optional :: mpi
    integer, intent(out), optional :: status
    type(farsum_problem) :: what
    type(farsum_options) :: how
    type(farsum_mpi_options) :: exchange
    type(c_ptr) :: made
    integer(c_int) :: code
    what = problem
    if (present(options)) how = options
    if (present(mpi)) exchange = mpi
    what%size = c_sizeof(what)
    how%size = c_sizeof(how)
    exchange%size = c_sizeof(exchange)
    made = c_null_ptr
    code = c_create(what, how, exchange, int(comm%MPI_VAL, c_int), made)
    if (code == FARSUM_OK) call plan%adopt(made, what, ranks=.true.)
    call done(code, status)
  end subroutine

  subroutine create_f64(plan, problem, comm, x, q, options, mpi, status)
    type(farsum_plan), intent(inout) :: plan
    type(farsum_problem), intent(in) :: problem
    type(MPI_Comm), intent(in) :: comm
    real(c_double), intent(in), contiguous, target :: x(:, :), q(..)
    type(farsum_options), intent(in), optional :: options
    type(farsum_mpi_options), intent(in), optional :: mpi
    integer, intent(out), optional :: status
    type(farsum_problem) :: what
    what = problem
    call farsum_sample(what, x, q)
    call create(plan, what, comm, options, mpi, status)
  end subroutine

  subroutine create_f32(plan, problem, comm, x, q, options, mpi, status)
    type(farsum_plan), intent(inout) :: plan
    type(farsum_problem), intent(in) :: problem
    type(MPI_Comm), intent(in) :: comm
    real(c_float), intent(in), contiguous, target :: x(:, :), q(..)
    type(farsum_options), intent(in), optional :: options
    type(farsum_mpi_options), intent(in), optional :: mpi
    integer, intent(out), optional :: status
    type(farsum_problem) :: what
    what = problem
    call farsum_sample(what, x, q)
    call create(plan, what, comm, options, mpi, status)
  end subroutine

  ! Gets the part of the cell whose points this rank sums.
  subroutine farsum_mpi_get_domain(plan, cell, low, high, status)
    type(farsum_plan), intent(in) :: plan
    real(c_double), intent(out) :: cell(3, 3), low(3), high(3)
    integer, intent(out), optional :: status
    call done(c_domain(plan%address(), cell, low, high), status)
  end subroutine

  ! Gets the work of this rank.
  subroutine farsum_mpi_get(plan, info, status)
    type(farsum_plan), intent(in) :: plan
    type(farsum_mpi_info), intent(inout) :: info
    integer, intent(out), optional :: status
    info%size = c_sizeof(info)
    call done(c_info(plan%address(), info), status)
  end subroutine

  subroutine done(code, status)
    integer(c_int), intent(in) :: code
    integer, intent(out), optional :: status
    if (present(status)) then
      status = code
    else if (code /= FARSUM_OK) then
      error stop 'farsum: '//farsum_message()
    end if
  end subroutine
end module
