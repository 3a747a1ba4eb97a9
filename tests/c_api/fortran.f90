! trifac.h from Fortran, by interfaces of six of its functions: a solution, a factor used twice, and
! the status of a matrix that is not positive definite.
module trifac
  use iso_c_binding
  implicit none

  integer(c_int), parameter :: trifac_success = 0, trifac_not_positive_definite = 1
  integer(c_int), parameter :: trifac_no_transpose = 0

  type, bind(c) :: trifac_status
    integer(c_int) :: kind
    integer(c_int64_t) :: index
    type(c_ptr) :: argument, what
  end type

  type, bind(c) :: trifac_matrix     ! trifac_dmatrix, trifac_zmatrix
    type(c_ptr) :: data
    integer(c_int64_t) :: rows, cols, row_stride, col_stride
  end type

  interface
    function trifac_dcholesky_solve(a, b, options) bind(c) result(s)
      import
      type(trifac_matrix), value :: a, b
      type(c_ptr), value :: options
      type(trifac_status) :: s
    end function
    function trifac_zfactor_create() bind(c) result(factor)
      import
      type(c_ptr) :: factor
    end function
    subroutine trifac_zfactor_destroy(factor) bind(c)
      import
      type(c_ptr), value :: factor
    end subroutine
    function trifac_zlu(a, factor, options) bind(c) result(s)
      import
      type(trifac_matrix), value :: a
      type(c_ptr), value :: factor, options
      type(trifac_status) :: s
    end function
    function trifac_zsolve(factor, b, op, options) bind(c) result(s)
      import
      type(c_ptr), value :: factor, options
      type(trifac_matrix), value :: b
      integer(c_int), value :: op
      type(trifac_status) :: s
    end function
    function trifac_zdeterminant(factor, value) bind(c) result(s)
      import
      type(c_ptr), value :: factor
      complex(c_double_complex) :: value
      type(trifac_status) :: s
    end function
  end interface

contains

  ! A whole array of rank 2, or a vector as one column.
  function column_major(first, rows, cols) result(view)
    type(c_ptr), intent(in) :: first
    integer, intent(in) :: rows, cols
    type(trifac_matrix) :: view
    view = trifac_matrix(first, rows, cols, 1, rows)
  end function
end module

program fortran
  use trifac
  implicit none
  integer, parameter :: n = 40
  real(c_double), target :: a(n, n), copy_of_a(n, n), b(n), x(n)
  complex(c_double_complex), target :: z(n, n), copy_of_z(n, n), c(n), y(n)
  complex(c_double_complex) :: determinant
  type(trifac_status) :: s
  type(c_ptr) :: factor
  integer :: i, j, k

  do j = 1, n
    do i = 1, n
      a(i, j) = min(i, j)
      z(i, j) = cmplx(1d0 / (i + 2 * j), merge(3, 0, i == n + 1 - j), c_double)
    end do
    b(j) = j - 7.5d0
    c(j) = cmplx(j, -1, c_double)
  end do

  copy_of_a = a
  x = b
  s = trifac_dcholesky_solve(column_major(c_loc(a), n, n), column_major(c_loc(x), n, 1), c_null_ptr)
  if (s%kind /= trifac_success) error stop "dcholesky_solve: no success"
  if (.not. sum(abs(b - matmul(copy_of_a, x))) < &
      30 * epsilon(1d0) / 2 * maxval(sum(abs(copy_of_a), 1)) * sum(abs(x))) error stop "dcholesky_solve: residual"

  copy_of_a(4, 4) = -1
  s = trifac_dcholesky_solve(column_major(c_loc(copy_of_a), n, n), column_major(c_loc(x), n, 1), c_null_ptr)
  if (s%kind /= trifac_not_positive_definite .or. s%index /= 3) error stop "dcholesky_solve: status"

  factor = trifac_zfactor_create()
  copy_of_z = z
  s = trifac_zlu(column_major(c_loc(z), n, n), factor, c_null_ptr)
  if (s%kind /= trifac_success) error stop "zlu: no success"
  do k = 1, 2
    c = k * c
    y = c
    s = trifac_zsolve(factor, column_major(c_loc(y), n, 1), trifac_no_transpose, c_null_ptr)
    if (s%kind /= trifac_success) error stop "zsolve: no success"
    if (.not. sum(abs(c - matmul(copy_of_z, y))) < &
        30 * epsilon(1d0) / 2 * maxval(sum(abs(copy_of_z), 1)) * sum(abs(y))) error stop "zsolve: residual"
  end do
  s = trifac_zdeterminant(factor, determinant)
  if (s%kind /= trifac_success .or. .not. abs(determinant) > 0) error stop "zdeterminant"
  call trifac_zfactor_destroy(factor)
  print *, "trifac from Fortran: all well"
end program
