! SPDX-License-Identifier: Apache-2.0
! farsum_c.f90: the constants, structs and functions of farsum.h that the module
! farsum uses, under C's names.  test/bindings/fortran.py compares the constants
! and the structs with C's.
module farsum_c
  use, intrinsic :: iso_c_binding
  implicit none

  integer(c_int), parameter :: FARSUM_OK = 0, FARSUM_ERR_ARGUMENT = 1, &
    FARSUM_ERR_MEMORY = 2, FARSUM_ERR_UNKNOWN = 3, FARSUM_ERR_UNSUPPORTED = 4, &
    FARSUM_ERR_CELL = 5, FARSUM_ERR_POSITION = 6, FARSUM_ERR_STRENGTH = 7, &
    FARSUM_ERR_COINCIDENT = 8, FARSUM_ERR_TOLERANCE = 9, &
    FARSUM_ERR_DEVICE = 10, FARSUM_ERR_STATE = 11, FARSUM_ERR_INTERNAL = 12, &
    FARSUM_ERR_COMM = 13
  integer(c_int), parameter :: FARSUM_F64 = 1, FARSUM_F32 = 2, &
    FARSUM_MIXED = 3, FARSUM_AUTO = 4
  integer(c_int), parameter :: FARSUM_ERROR_FORCE = 1, &
    FARSUM_ERROR_POTENTIAL = 2, FARSUM_ERROR_ABSOLUTE = 3, &
    FARSUM_ERROR_VELOCITY = 4, FARSUM_ERROR_ENERGY = 5, &
    FARSUM_ERROR_PRESSURE = 6, FARSUM_ERROR_EACH = 7
  integer(c_int), parameter :: FARSUM_TINFOIL = 1, FARSUM_VACUUM = 2
  integer(c_int), parameter :: FARSUM_WHOLE = 1, FARSUM_NEAR = 2, FARSUM_FAR = 3
  integer(c_int), parameter :: FARSUM_HOST = 1, FARSUM_DEVICE = 2
  integer(c_int), parameter :: FARSUM_POTENTIAL = 1, FARSUM_FIELD = 2, &
    FARSUM_ENERGY = 4, FARSUM_VIRIAL = 8, FARSUM_VELOCITY = 16, &
    FARSUM_GRADIENT = 32, FARSUM_PARTICLE_VIRIAL = 64, FARSUM_THIRD = 128
  integer(c_int), parameter :: FARSUM_ORDER_0 = -1, FARSUM_VERIFY_OFF = -1
  integer(c_int), parameter :: FARSUM_EXCESS_SAY = 1, FARSUM_EXCESS_FAIL = 2
  integer, parameter :: FARSUM_MAX_STAGES = 16

  type, bind(c) :: farsum_problem
    integer(c_size_t) :: size = 0 ! set by the calls
    type(c_ptr) :: kernel = c_null_ptr
    real(c_double) :: kappa = 0
    real(c_double) :: cell(3, 3) = 0 ! columns a, b, c
    integer(c_int) :: periodic(3) = 0
    integer(c_int) :: surface = 0
    real(c_double) :: coulomb = 0
    real(c_double) :: softening = 0
    integer(c_int) :: precision = 0
    integer(c_int) :: arrays = 0
    integer(c_int) :: memory = 0
    real(c_double) :: tolerance = 0
    integer(c_int) :: error = 0
    integer(c_int) :: outputs = 0
    integer(c_int) :: exclude_coincident = 0
    integer(c_int64_t) :: n_sources = 0
    integer(c_int64_t) :: n_targets = 0
    type(c_ptr) :: sample_x = c_null_ptr
    type(c_ptr) :: sample_q = c_null_ptr
    integer(c_int64_t) :: n_exclusions = 0
    type(c_ptr) :: exclusions = c_null_ptr ! counts particles from 0, as C does
    type(c_ptr) :: exclusion_factors = c_null_ptr
    integer(c_int) :: part = 0
  end type

  type, bind(c) :: farsum_spectral_options
    type(c_ptr) :: split = c_null_ptr
    type(c_ptr) :: window = c_null_ptr
    real(c_double) :: bandwidth = 0
    integer(c_int64_t) :: mesh(3) = 0
    real(c_double) :: upsampling = 0
    real(c_double) :: shape = 0
    type(c_ptr) :: near = c_null_ptr
    type(c_ptr) :: spread = c_null_ptr
    type(c_ptr) :: fft = c_null_ptr
    type(c_ptr) :: scale = c_null_ptr
    type(c_ptr) :: interp = c_null_ptr
    real(c_double) :: skin = 0
    integer(c_int) :: support = 0
    integer(c_int) :: near_cells = 0
    integer(c_int) :: near_team(2) = 0
    integer(c_int) :: reserved(8) = 0
  end type

  type, bind(c) :: farsum_fmm_options
    integer(c_int) :: order = 0
    integer(c_int) :: separation = 0
    integer(c_int64_t) :: boxes(3) = 0
    integer(c_int64_t) :: leaf = 0
    type(c_ptr) :: tree = c_null_ptr
    type(c_ptr) :: p2p = c_null_ptr
    type(c_ptr) :: p2m = c_null_ptr
    type(c_ptr) :: m2m = c_null_ptr
    type(c_ptr) :: m2l = c_null_ptr
    type(c_ptr) :: lattice = c_null_ptr
    type(c_ptr) :: l2l = c_null_ptr
    type(c_ptr) :: l2p = c_null_ptr
    integer(c_int) :: levels = 0
    integer(c_int) :: reserved(7) = 0
  end type

  type, bind(c) :: farsum_device_options
    type(c_ptr) :: name = c_null_ptr
    type(c_ptr) :: handle = c_null_ptr
    integer(c_int) :: queues = 0
    integer(c_int) :: reserved(7) = 0
  end type

  type, bind(c) :: farsum_options
    integer(c_size_t) :: size = 0 ! set by the calls
    type(c_ptr) :: method = c_null_ptr
    type(farsum_device_options) :: device
    type(farsum_spectral_options) :: spectral
    type(farsum_fmm_options) :: fmm
    real(c_double) :: cutoff = 0
    type(c_ptr) :: isa = c_null_ptr
    integer(c_int) :: threads = 0
    integer(c_int) :: strict = 0
    integer(c_int) :: deterministic = 0
    integer(c_int) :: measure = 0
    real(c_double) :: repeats = 0
    integer(c_int64_t) :: memory_limit = 0
    type(c_funptr) :: log = c_null_funptr
    type(c_ptr) :: log_data = c_null_ptr
    type(c_funptr) :: progress = c_null_funptr
    type(c_ptr) :: progress_data = c_null_ptr
    integer(c_int) :: verify = 0
    integer(c_int) :: on_excess = 0
  end type

  type, bind(c) :: farsum_result
    integer(c_size_t) :: size = 0 ! set by the calls
    type(c_ptr) :: potential = c_null_ptr
    type(c_ptr) :: field = c_null_ptr
    type(c_ptr) :: energy = c_null_ptr
    type(c_ptr) :: virial = c_null_ptr
    type(c_ptr) :: velocity = c_null_ptr
    type(c_ptr) :: gradient = c_null_ptr
    type(c_ptr) :: particle_virial = c_null_ptr
    type(c_ptr) :: third = c_null_ptr
  end type

  type, bind(c) :: farsum_stage_info
    type(c_ptr) :: stage = c_null_ptr
    type(c_ptr) :: variant = c_null_ptr
    type(c_ptr) :: reason = c_null_ptr
    real(c_double) :: seconds = 0
    integer(c_int) :: deterministic = 0
  end type

  ! farsum_string gives the texts, which the plan owns.
  type, bind(c) :: farsum_plan_info
    integer(c_size_t) :: size = 0 ! set by the calls
    type(c_ptr) :: kernel = c_null_ptr
    type(c_ptr) :: method = c_null_ptr
    type(c_ptr) :: device = c_null_ptr
    type(c_ptr) :: isa = c_null_ptr
    type(c_ptr) :: split = c_null_ptr
    type(c_ptr) :: window = c_null_ptr
    type(c_ptr) :: device_model = c_null_ptr
    type(c_ptr) :: method_reason = c_null_ptr
    integer(c_int) :: precision = 0
    type(c_ptr) :: precision_reason = c_null_ptr
    integer(c_int) :: threads = 0
    integer(c_int64_t) :: n_sources = 0
    integer(c_int64_t) :: n_targets = 0
    integer(c_int64_t) :: n_exclusions = 0
    real(c_double) :: tolerance = 0
    real(c_double) :: estimated_error = 0
    real(c_double) :: bound = 0
    real(c_double) :: norm = 0
    real(c_double) :: cutoff = 0
    real(c_double) :: bandwidth = 0
    real(c_double) :: upsampling = 0
    real(c_double) :: shape = 0
    integer(c_int64_t) :: mesh(3) = 0
    integer(c_int) :: support = 0
    integer(c_int) :: near_coefficients = 0
    integer(c_int) :: order = 0
    integer(c_int) :: separation = 0
    integer(c_int) :: levels = 0
    integer(c_int64_t) :: boxes(3) = 0
    integer(c_int64_t) :: leaves = 0
    type(c_ptr) :: tree = c_null_ptr
    real(c_double) :: net_strength = 0
    integer(c_int64_t) :: bytes = 0
    integer(c_int64_t) :: device_bytes = 0
    real(c_double) :: seconds_create = 0
    real(c_double) :: seconds_set_points = 0
    real(c_double) :: seconds_execute = 0
    integer(c_int) :: n_stages = 0
    type(farsum_stage_info) :: stages(FARSUM_MAX_STAGES)
    real(c_double) :: seconds_stages = 0
    integer(c_int) :: queues = 0
    real(c_double) :: skin = 0
    integer(c_int64_t) :: lists_made = 0
    integer(c_int64_t) :: lists_kept = 0
    real(c_double) :: checked_error = 0
    real(c_double) :: seconds_verify = 0
    integer(c_int64_t) :: checked_targets = 0
    real(c_double) :: estimated_energy_error = 0
    real(c_double) :: estimated_virial_error = 0
  end type

  type, bind(c) :: farsum_kernel_info
    integer(c_size_t) :: size = 0
    type(c_ptr) :: name = c_null_ptr
    type(c_ptr) :: note = c_null_ptr
    integer(c_int) :: strengths = 0
    integer(c_int) :: outputs = 0
  end type

  interface
    function farsum_plan_create(problem, options, plan) bind(c) result(status)
      import
      type(farsum_problem), intent(in) :: problem
      type(farsum_options), intent(in) :: options
      type(c_ptr), intent(inout) :: plan
      integer(c_int) :: status
    end function
    function farsum_plan_tune(problem, options, plan) bind(c) result(status)
      import
      type(farsum_problem), intent(in) :: problem
      type(farsum_options), intent(in) :: options
      type(c_ptr), intent(inout) :: plan
      integer(c_int) :: status
    end function
    subroutine farsum_plan_destroy(plan) bind(c)
      import
      type(c_ptr), value :: plan
    end subroutine
    function farsum_plan_set_points(plan, n, x, m, y) bind(c) result(status)
      import
      type(c_ptr), value :: plan, x, y
      integer(c_int64_t), value :: n, m
      integer(c_int) :: status
    end function
    function farsum_plan_set_cell(plan, cell) bind(c) result(status)
      import
      type(c_ptr), value :: plan
      real(c_double), intent(in) :: cell(3, 3)
      integer(c_int) :: status
    end function
    function farsum_plan_set_exclusions(plan, n, pairs, factors) bind(c) &
        result(status)
      import
      type(c_ptr), value :: plan, pairs, factors
      integer(c_int64_t), value :: n
      integer(c_int) :: status
    end function
    function farsum_plan_execute(plan, rhs, q, out) bind(c) result(status)
      import
      type(c_ptr), value :: plan, q
      integer(c_int), value :: rhs
      type(farsum_result), intent(in) :: out
      integer(c_int) :: status
    end function
    function farsum_plan_finish(plan) bind(c) result(status)
      import
      type(c_ptr), value :: plan
      integer(c_int) :: status
    end function
    function farsum_plan_get_info(plan, info) bind(c) result(status)
      import
      type(c_ptr), value :: plan
      type(farsum_plan_info), intent(inout) :: info
      integer(c_int) :: status
    end function
    function farsum_plan_print_text(plan, text, size) bind(c) result(length)
      import
      type(c_ptr), value :: plan, text
      integer(c_size_t), value :: size
      integer(c_size_t) :: length
    end function
    function farsum_list_kernels(index, info) bind(c) result(status)
      import
      integer(c_int), value :: index
      type(farsum_kernel_info), intent(inout) :: info
      integer(c_int) :: status
    end function
    ! Open and close devices: names as farsum_text gives them.
    function farsum_device_open(name, device) bind(c) result(status)
      import
      type(c_ptr), value :: name
      type(c_ptr), intent(inout) :: device
      integer(c_int) :: status
    end function
    function farsum_device_adopt(name, context, queue, device) bind(c) &
        result(status)
      import
      type(c_ptr), value :: name, context, queue
      type(c_ptr), intent(inout) :: device
      integer(c_int) :: status
    end function
    subroutine farsum_device_close(device) bind(c)
      import
      type(c_ptr), value :: device
    end subroutine
    function c_message() bind(c, name='farsum_message') result(text)
      import
      type(c_ptr) :: text
    end function
    function c_version() bind(c, name='farsum_version') result(text)
      import
      type(c_ptr) :: text
    end function
    function c_strlen(text) bind(c, name='strlen') result(length)
      import
      type(c_ptr), value :: text
      integer(c_size_t) :: length
    end function
  end interface
  private :: c_message, c_version, c_strlen

contains

  ! Returns a text for C.  The copy lives until the program ends.
  function farsum_text(text) result(address)
    character(*), intent(in) :: text
    type(c_ptr) :: address
    character(kind=c_char), pointer :: copy(:)
    integer :: i
    allocate (copy(len_trim(text) + 1))
    do i = 1, len_trim(text)
      copy(i) = text(i:i)
    end do
    copy(size(copy)) = c_null_char
    address = c_loc(copy)
  end function

  ! Returns a text of C; '' for a null pointer.
  function farsum_string(address) result(text)
    type(c_ptr), intent(in) :: address
    character(:), allocatable :: text
    character(kind=c_char), pointer :: characters(:)
    integer :: i
    text = ''
    if (.not. c_associated(address)) return
    call c_f_pointer(address, characters, [c_strlen(address)])
    text = repeat(' ', size(characters))
    do i = 1, size(characters)
      text(i:i) = characters(i)
    end do
  end function

  ! Returns the calling thread's last message of the library.
  function farsum_message() result(text)
    character(:), allocatable :: text
    text = farsum_string(c_message())
  end function

  function farsum_version() result(text)
    character(:), allocatable :: text
    text = farsum_string(c_version())
  end function
end module
