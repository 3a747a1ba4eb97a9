"""Cholesky and LU of matrices and of stacks of matrices, with the names of scipy.linalg.

The last two extents of an array are the matrix, all before them the batch, which is broadcast as
in NumPy; b of a solve is a vector where it has one extent, else matrices. float32, float64,
complex64 and complex128 are computed in their own type, integers in float64. The functions take,
where it applies:

out : array for the result, of its shape and type; its memory is used where each matrix is in C or
    Fortran order. `overwrite_a`, `overwrite_b` and their like allow the same with an argument.
info : int32 array of the shape of the batch. It receives LAPACK's info of each matrix: 0; k for a
    bad pivot k, counted from 1; -k where that is NaN or infinite. No matrix is an error then, no
    array is searched for NaN, and the results of failed matrices are NaN. Without it the first bad
    matrix is a `numpy.linalg.LinAlgError`.
check_finite : search for NaN and infinities, a ValueError. Without it they lead to NaN, and to
    LinAlgError by Cholesky.
workers : the number of threads, default 1; -1: one for each processor. The bits of the results do
    not depend on it.

Python's lock is released while matrices are factored. An array belongs to one call at a time.
"""

from __future__ import annotations

import math
import warnings
from typing import Any, NamedTuple

import numpy as np
from numpy.linalg import LinAlgError
from numpy.typing import ArrayLike

from . import _arrays as arrays
from . import _linalg
from ._arrays import NOT_DEFINITE, SINGULAR, SINGULAR_TRIANGLE, Array, array

__all__ = ["LinAlgError", "PivotedCholeskyResult", "RefineResult", "SlogdetResult", "append",
           "cho_factor", "cho_solve", "cholesky", "det", "downdate", "inv", "lu_factor",
           "lu_solve", "pivoted_cholesky", "rcond", "refine", "remove", "slogdet", "solve",
           "solve_mixed", "solve_triangular", "update"]

Factor = tuple[ArrayLike, Any]


class SlogdetResult(NamedTuple):
    """det A = sign * exp(logabsdet)."""

    sign: Any
    logabsdet: Any


class PivotedCholeskyResult(NamedTuple):
    """A[p][:, p] = Cᴴ·C, or C·Cᴴ, with `rank` rows or columns of C that are not 0."""

    c: Array
    p: Array
    rank: Array


class RefineResult(NamedTuple):
    """A better solution, and LAPACK's berr and ferr of each right-hand side."""

    x: Array
    backward_errors: Array
    forward_bounds: Array


def _uplo(assume_a: str | None, lower: bool, others: tuple[str, ...] = ()) -> str:
    """'G' for LU, 'L' or 'U' for Cholesky. `others`: what the caller has taken before."""
    if assume_a in (None, "gen", "general"):
        return "G"
    if assume_a in ("pos", "positive definite"):
        return arrays.triangle(lower)
    supported = ", ".join(map(repr, ("gen", "pos", *others)))
    raise ValueError(f"assume_a={assume_a!r} is not supported: {supported} are")


def _message(uplo: str) -> str:
    return SINGULAR if uplo == "G" else NOT_DEFINITE


def _cholesky(a: ArrayLike, lower: bool, overwrite_a: bool, check_finite: bool, clear: bool,
              out: Array | None, info: Array | None, jitter: float, shift: Array | None,
              workers: int | None) -> Array:
    a = arrays.square(array(a))
    dtype, batch, count = arrays.type_of(a), a.shape[:-2], math.prod(a.shape[:-2])
    if shift is not None and shift.shape != batch:
        raise ValueError(f"shift must be an array of shape {batch}")
    jitter = float(jitter)
    if not 0 <= jitter < math.inf:
        raise ValueError(f"jitter={jitter!r}: not a finite number from 0 on")
    if jitter:
        a = a.astype(dtype)  # what fails begins again from it
    c = arrays.writable(a, dtype, a.shape, out, overwrite_a and not jitter)
    matrices, uplo, threads = arrays.stack(c), arrays.triangle(lower), arrays.threads(workers)
    arrays.finite(check_finite and info is None, matrices)
    ends = arrays.numbers(info, batch, count)
    if jitter and ends is None:
        ends = np.empty(count, np.int32)
    failed = _linalg.cholesky(matrices, ends, uplo, clear, threads)
    if shift is not None:
        shift[...] = 0
    if failed is not None and ends is not None and jitter:
        bad = np.flatnonzero(ends)
        flat = (count, *a.shape[-2:])
        again = a.reshape(flat)[bad]
        shifts, ends_of_bad = np.zeros(bad.size, again.real.dtype), ends.flat[bad]
        failed = _linalg.cholesky_with_jitter(again, shifts, ends_of_bad, uplo, clear,
                                              float(jitter), threads)
        c.reshape(flat)[bad] = again
        ends.flat[bad] = ends_of_bad
        if shift is not None:
            shift.flat[bad] = shifts
        if failed is not None:
            failed = (int(bad[failed[0]]), failed[1])
    arrays.check(failed, info, ends, batch, NOT_DEFINITE)
    return arrays.result(c, out)


def cholesky(a: ArrayLike, lower: bool = False, overwrite_a: bool = False,
             check_finite: bool = True, *, out: Array | None = None, info: Array | None = None,
             jitter: float = 0, shift: Array | None = None, workers: int | None = None) -> Array:
    """A = Uᴴ·U, or L·Lᴴ, of Hermitian positive definite matrices. LAPACK: potrf.

    Parameters
    ----------
    a : (..., n, n) array_like
        One triangle is read: the lower one where `lower`, else the upper one.
    lower : bool
        Whether to return L, not U.
    jitter : float
        Of a matrix that is not positive definite A + s·I is factored, where s is the first of
        jitter·m, 10·jitter·m, …, 10⁵·jitter·m that suffices and m the mean of abs(A[i, i]).
    shift : (...) array of the real type
        Receives s of each matrix, 0 where nothing was added.
    overwrite_a, check_finite, out, info, workers
        See `trifac.linalg`.

    Returns
    -------
    c : (..., n, n) ndarray
        The factors, 0 in the other triangle. n³/3 flops each.

    Raises
    ------
    LinAlgError
        A matrix is not positive definite.

    Examples
    --------
    >>> import numpy as np
    >>> from trifac.linalg import cholesky
    >>> A = np.array([[[4., 2.], [2., 5.]], [[1., 2.], [2., 4.]]])
    >>> info = np.zeros(2, np.int32)
    >>> cholesky(A, lower=True, info=info)[0]
    array([[2., 0.],
           [1., 2.]])
    >>> info
    array([0, 2], dtype=int32)
    """
    return _cholesky(a, lower, overwrite_a, check_finite, True, out, info, jitter, shift, workers)


def cho_factor(a: ArrayLike, lower: bool = False, overwrite_a: bool = False,
               check_finite: bool = True, *, out: Array | None = None, info: Array | None = None,
               jitter: float = 0, shift: Array | None = None,
               workers: int | None = None) -> tuple[Array, bool]:
    """As `cholesky`, for `cho_solve`: the other triangle is left as it is. LAPACK: potrf.

    Returns
    -------
    c : (..., n, n) ndarray
    lower : bool

    Examples
    --------
    >>> import numpy as np
    >>> from trifac.linalg import cho_factor, cho_solve
    >>> A = np.array([[4., 2.], [2., 5.]])
    >>> cho_solve(cho_factor(A), [6., 7.])
    array([1., 1.])
    """
    c = _cholesky(a, lower, overwrite_a, check_finite, False, out, info, jitter, shift, workers)
    return c, lower


def lu_factor(a: ArrayLike, overwrite_a: bool = False, check_finite: bool = True, *,
              out: Array | None = None, info: Array | None = None,
              workers: int | None = None) -> tuple[Array, Array]:
    """P·A = L·U with partial pivoting, for `lu_solve`. LAPACK: getrf.

    Parameters
    ----------
    a : (..., m, n) array_like
    overwrite_a, check_finite, out, info, workers
        See `trifac.linalg`. A singular matrix is no error: its factorization is complete, and a
        RuntimeWarning is issued where there is no `info`.

    Returns
    -------
    lu : (..., m, n) ndarray
        U on and above the diagonal, L below it without its ones; complete also with NaN and
        infinities, as LAPACK's. mn² − n³/3 flops each (m ≥ n).
    piv : (..., min(m, n)) int32 ndarray
        Row k was interchanged with row piv[k], counted from 0.

    Examples
    --------
    >>> import numpy as np
    >>> from trifac.linalg import lu_factor
    >>> lu, piv = lu_factor(np.array([[1., 4.], [2., 2.]]))
    >>> lu
    array([[2. , 2. ],
           [0.5, 3. ]])
    >>> piv
    array([1, 1], dtype=int32)
    """
    a = array(a)
    if a.ndim < 2:
        raise ValueError(f"Expected a matrix or batch of them, not shape {a.shape}")
    dtype, batch = arrays.type_of(a), a.shape[:-2]
    lu = arrays.writable(a, dtype, a.shape, out, overwrite_a)
    matrices = arrays.stack(lu)
    arrays.finite(check_finite and info is None, matrices)
    piv = np.empty(batch + (min(a.shape[-2:]),), np.int32)
    ends = arrays.numbers(info, batch, math.prod(batch))
    failed = _linalg.lu(matrices, piv, ends, arrays.threads(workers))
    if failed is not None and failed[1] > 0 and info is None:
        warnings.warn("singular matrix: U has a zero on its diagonal", RuntimeWarning,
                      stacklevel=2)
    return arrays.result(lu, out), piv


def _solve_factored(f: Array, piv: Any, b: ArrayLike, uplo: str, trans: str,
                    overwrite_b: bool, check_finite: bool, out: Array | None,
                    workers: int | None) -> Array:
    b, f = array(b), arrays.square(f)
    dtype = arrays.type_of(f, b)
    batch, shape = arrays.system(f, b)
    if piv is not None:
        piv = arrays.pivots(piv, f.shape[:-1], batch)
    f = arrays.for_batch(arrays.apart(f, out), batch)
    x = arrays.writable(b, dtype, shape, out, overwrite_b, b.ndim == 1)
    of_x, of_f = arrays.sides(x, b), arrays.readable(f, dtype)
    arrays.finite(check_finite, of_f, of_x)
    _linalg.solve(of_f, piv, of_x, uplo, trans, arrays.threads(workers))
    return arrays.result(x, out)


def cho_solve(c_and_lower: Factor, b: ArrayLike, overwrite_b: bool = False,
              check_finite: bool = True, *, out: Array | None = None,
              workers: int | None = None) -> Array:
    """x = A⁻¹·b with the factors of `cho_factor`. LAPACK: potrs.

    Parameters
    ----------
    c_and_lower : ((..., n, n) array_like, bool)
        One factor serves all b.
    b : (n,) or (..., n, r) array_like
    overwrite_b, check_finite, out, workers
        See `trifac.linalg`.

    Returns
    -------
    x : (..., n) or (..., n, r) ndarray
        2n²r flops each. A zero on the diagonal of a factor divides.

    Examples
    --------
    >>> import numpy as np
    >>> from trifac.linalg import cho_factor, cho_solve
    >>> A = np.array([[[4., 2.], [2., 5.]], [[1., 0.], [0., 1.]]])
    >>> cho_solve(cho_factor(A), [6., 7.])
    array([[1., 1.],
           [6., 7.]])
    """
    c, lower = arrays.cholesky_factor(c_and_lower)
    return _solve_factored(array(c), None, b, arrays.triangle(lower), "N", overwrite_b,
                           check_finite, out, workers)


def lu_solve(lu_and_piv: Factor, b: ArrayLike, trans: int | str = 0, overwrite_b: bool = False,
             check_finite: bool = True, *, out: Array | None = None,
             workers: int | None = None) -> Array:
    """x = op(A)⁻¹·b with the factors of `lu_factor`. LAPACK: getrs.

    Parameters
    ----------
    lu_and_piv : ((..., n, n) array_like, (..., n) array_like)
        One factor serves all b.
    b : (n,) or (..., n, r) array_like
    trans : {0, 1, 2} or {'N', 'T', 'C'}
        Whether op(A) is A, Aᵀ or Aᴴ.
    overwrite_b, check_finite, out, workers
        See `trifac.linalg`.

    Returns
    -------
    x : (..., n) or (..., n, r) ndarray
        2n²r flops each. A zero on the diagonal of U divides.

    Examples
    --------
    >>> import numpy as np
    >>> from trifac.linalg import lu_factor, lu_solve
    >>> A = np.array([[1., 4.], [2., 2.]])
    >>> lu_solve(lu_factor(A), [5., 4.])
    array([1., 1.])
    """
    lu, piv = arrays.pair(lu_and_piv, "(lu, piv), as lu_factor returns them")
    return _solve_factored(array(lu), piv, b, "G", arrays.operation(trans), overwrite_b,
                           check_finite, out, workers)


def solve(a: ArrayLike, b: ArrayLike, lower: bool = False, overwrite_a: bool = False,
          overwrite_b: bool = False, check_finite: bool = True, assume_a: str | None = None,
          transposed: bool = False, *, out: Array | None = None, info: Array | None = None,
          workers: int | None = None) -> Array:
    """x = A⁻¹·b. LAPACK: gesv, posv.

    Parameters
    ----------
    a : (..., n, n) array_like
        One matrix serves all b.
    b : (n,) or (..., n, r) array_like
    assume_a : {None, 'gen', 'pos', 'upper triangular', 'lower triangular'}
        LU; Cholesky of the triangle that `lower` names; or `solve_triangular`. None is 'gen': the
        structure of A is not searched for.
    transposed : bool
        Whether to solve with Aᵀ.
    lower, overwrite_a, overwrite_b, check_finite, out, info, workers
        See `trifac.linalg`.

    Returns
    -------
    x : (..., n) or (..., n, r) ndarray
        2n³/3 + 2n²r flops each, n³/3 + 2n²r with 'pos'.

    Raises
    ------
    LinAlgError
        A matrix is singular, with 'pos' not positive definite. An ill-conditioned one gives no
        warning: `rcond` tells.

    Examples
    --------
    >>> import numpy as np
    >>> from trifac.linalg import solve
    >>> A = np.array([[[1., 4.], [2., 2.]], [[1., 1.], [1., 1.]]])
    >>> info = np.zeros(2, np.int32)
    >>> solve(A, [5., 4.], info=info)
    array([[ 1.,  1.],
           [nan, nan]])
    >>> info
    array([0, 2], dtype=int32)
    """
    triangles = ("upper triangular", "lower triangular")
    if assume_a in triangles:
        return solve_triangular(a, b, 1 if transposed else 0, assume_a[0] == "l", False,
                                overwrite_b, check_finite, out=out, info=info, workers=workers)
    a, b = arrays.square(array(a)), array(b)
    if transposed:
        a, lower = a.swapaxes(-1, -2), not lower
    uplo, dtype = _uplo(assume_a, lower, triangles), arrays.type_of(a, b)
    batch, shape = arrays.system(a, b)
    a = arrays.for_batch(a, batch)
    f = arrays.stack(arrays.writable(arrays.apart(a, out), dtype, a.shape, None, overwrite_a))
    x = arrays.writable(b, dtype, shape, out, overwrite_b, b.ndim == 1)
    of_x = arrays.sides(x, b)
    arrays.finite(check_finite and info is None, f, of_x)
    ends = arrays.numbers(info, batch, math.prod(a.shape[:-2]))
    failed = _linalg.factor_solve(f, of_x, ends, uplo, arrays.threads(workers))
    arrays.check(failed, info, ends, batch, _message(uplo))
    return arrays.result(x, out)


def solve_triangular(a: ArrayLike, b: ArrayLike, trans: int | str = 0, lower: bool = False,
                     unit_diagonal: bool = False, overwrite_b: bool = False,
                     check_finite: bool = True, *, out: Array | None = None,
                     info: Array | None = None, workers: int | None = None) -> Array:
    """x = op(A)⁻¹·b of triangular A. LAPACK: trtrs.

    Parameters
    ----------
    a : (..., n, n) array_like
        One triangle is read: the lower one where `lower`, else the upper one. One serves all b.
    b : (n,) or (..., n, r) array_like
    trans : {0, 1, 2} or {'N', 'T', 'C'}
        Whether op(A) is A, Aᵀ or Aᴴ.
    unit_diagonal : bool
        Whether the diagonal is 1 and not read.
    overwrite_b, check_finite, out, info, workers
        See `trifac.linalg`.

    Returns
    -------
    x : (..., n) or (..., n, r) ndarray
        n²r flops each.

    Raises
    ------
    LinAlgError
        A diagonal has a zero.

    Examples
    --------
    >>> import numpy as np
    >>> from trifac.linalg import solve_triangular
    >>> solve_triangular([[2., 0.], [1., 1.]], [2., 3.], lower=True)
    array([1., 2.])
    """
    a, b = arrays.square(array(a)), array(b)
    dtype = arrays.type_of(a, b)
    batch, shape = arrays.system(a, b)
    a = arrays.for_batch(arrays.apart(a, out), batch)
    x = arrays.writable(b, dtype, shape, out, overwrite_b, b.ndim == 1)
    of_x, of_a = arrays.sides(x, b), arrays.readable(a, dtype)
    arrays.finite(check_finite and info is None, of_a, of_x)
    ends = arrays.numbers(info, batch, math.prod(a.shape[:-2]))
    failed = _linalg.solve_triangle(of_a, of_x, ends, arrays.triangle(lower), bool(unit_diagonal),
                                    arrays.operation(trans), arrays.threads(workers))
    arrays.check(failed, info, ends, batch, SINGULAR_TRIANGLE)
    return arrays.result(x, out)


def inv(a: ArrayLike, overwrite_a: bool = False, check_finite: bool = True, *,
        assume_a: str | None = None, lower: bool = False, out: Array | None = None,
        info: Array | None = None, workers: int | None = None) -> Array:
    """A⁻¹. LAPACK: getrf and getri, potrf and potri.

    Parameters
    ----------
    a : (..., n, n) array_like
    assume_a : {None, 'gen', 'pos'}
        LU, or Cholesky of the triangle that `lower` names.
    overwrite_a, check_finite, lower, out, info, workers
        See `trifac.linalg`.

    Returns
    -------
    x : (..., n, n) ndarray
        2n³ flops each, n³ with 'pos'.

    Raises
    ------
    LinAlgError
        A matrix is singular, with 'pos' not positive definite.

    Examples
    --------
    >>> import numpy as np
    >>> from trifac.linalg import inv
    >>> inv([[2, 0], [0, 4]])
    array([[0.5 , 0.  ],
           [0.  , 0.25]])
    """
    a = arrays.square(array(a))
    dtype, batch, uplo = arrays.type_of(a), a.shape[:-2], _uplo(assume_a, lower)
    x = arrays.writable(a, dtype, a.shape, out, overwrite_a)
    matrices = arrays.stack(x)
    arrays.finite(check_finite and info is None, matrices)
    ends = arrays.numbers(info, batch, math.prod(batch))
    failed = _linalg.inverse(matrices, ends, uplo, arrays.threads(workers))
    arrays.check(failed, info, ends, batch, _message(uplo))
    return arrays.result(x, out)


def _determinant(a: Array, overwrite_a: bool, check_finite: bool, with_logs: bool,
                 workers: int | None) -> tuple[Any, Any]:
    dtype, batch = arrays.type_of(arrays.square(a)), a.shape[:-2]
    matrices = arrays.stack(arrays.writable(a, dtype, a.shape, None, overwrite_a))
    arrays.finite(check_finite, matrices)
    signs = np.empty(batch, dtype)
    logs = np.empty(batch, dtype.char.lower()) if with_logs else None
    _linalg.determinant(matrices, signs, logs, arrays.threads(workers))
    return signs[()], None if logs is None else logs[()]


def det(a: ArrayLike, overwrite_a: bool = False, check_finite: bool = True, *,
        workers: int | None = None) -> Any:
    """det A, by LU; 0 of a singular matrix, infinite where it is too large. LAPACK: getrf.

    Parameters
    ----------
    a : (..., n, n) array_like
    overwrite_a, check_finite, workers
        See `trifac.linalg`.

    Returns
    -------
    det : (...) ndarray, or a scalar of one matrix
        2n³/3 flops each.

    Examples
    --------
    >>> import numpy as np
    >>> from trifac.linalg import det
    >>> det([[[1., 4.], [2., 2.]], [[1., 1.], [1., 1.]]])
    array([-6.,  0.])
    """
    return _determinant(array(a), overwrite_a, check_finite, False, workers)[0]


def slogdet(a: ArrayLike, *, workers: int | None = None) -> SlogdetResult:
    """The sign (or phase) of det A, and log(abs(det A)). LAPACK: getrf.

    Parameters
    ----------
    a : (..., n, n) array_like
    workers
        See `trifac.linalg`.

    Returns
    -------
    sign, logabsdet : (...) ndarrays, or scalars of one matrix
        0 and -inf of a singular matrix, NaN where A has NaN or infinities. All digits of logabsdet
        hold near det A = 1, too. 2n³/3 flops each.

    Examples
    --------
    >>> import numpy as np
    >>> from trifac.linalg import slogdet
    >>> sign, logabsdet = slogdet(-10. * np.eye(401))
    >>> print(sign, round(logabsdet / np.log(10.), 6))
    -1.0 401.0
    """
    return SlogdetResult(*_determinant(array(a), False, False, True, workers))


def _modified(c_and_lower: Factor, x: ArrayLike, overwrite_c: bool, check_finite: bool, down: bool,
              info: Array | None, workers: int | None) -> tuple[Array, bool]:
    c, lower = arrays.cholesky_factor(c_and_lower)
    c = array(c)
    x = array(x)
    dtype = arrays.type_of(arrays.square(c), x)
    batch, shape = arrays.system(c, x)
    f = arrays.writable(c, dtype, batch + c.shape[-2:], None, overwrite_c)
    of_x = arrays.sides(arrays.each(x, dtype, shape), x)
    arrays.finite(check_finite and info is None, arrays.stack(f), of_x)
    ends = arrays.numbers(info, batch, math.prod(batch))
    failed = _linalg.update(arrays.stack(f), of_x, ends, arrays.triangle(lower), down,
                            arrays.threads(workers))
    arrays.check(failed, info, ends, batch, NOT_DEFINITE)
    return f, lower


def update(c_and_lower: Factor, x: ArrayLike, overwrite_c: bool = False,
           check_finite: bool = True, *, info: Array | None = None,
           workers: int | None = None) -> tuple[Array, bool]:
    """The factors of A + x·xᴴ from those of A. LINPACK: dchud.

    Parameters
    ----------
    c_and_lower : ((..., n, n) array_like, bool)
        As `cho_factor` returns them.
    x : (n,) or (..., n, k) array_like
    overwrite_c, check_finite, info, workers
        See `trifac.linalg`.

    Returns
    -------
    c : (..., n, n) ndarray
        2n²k flops each, where a factorization has n³/3.
    lower : bool

    Examples
    --------
    >>> import numpy as np
    >>> from trifac.linalg import cho_factor, update
    >>> c, lower = update(cho_factor(9. * np.eye(2)), [4., 0.])
    >>> c
    array([[5., 0.],
           [0., 3.]])
    """
    return _modified(c_and_lower, x, overwrite_c, check_finite, False, info, workers)


def downdate(c_and_lower: Factor, x: ArrayLike, overwrite_c: bool = False,
             check_finite: bool = True, *, info: Array | None = None,
             workers: int | None = None) -> tuple[Array, bool]:
    """The factors of A − x·xᴴ from those of A. LINPACK: dchdd.

    Parameters and results as of `update`.

    Raises
    ------
    LinAlgError
        A − x·xᴴ is not positive definite.

    Examples
    --------
    >>> import numpy as np
    >>> from trifac.linalg import cho_factor, downdate
    >>> c, lower = downdate(cho_factor(25. * np.eye(2)), [4., 0.])
    >>> c
    array([[3., 0.],
           [0., 5.]])
    """
    return _modified(c_and_lower, x, overwrite_c, check_finite, True, info, workers)


def append(c_and_lower: Factor, b: ArrayLike, d: ArrayLike, check_finite: bool = True, *,
           out: Array | None = None, info: Array | None = None,
           workers: int | None = None) -> tuple[Array, bool]:
    """The factors of [A b; bᴴ d] from those of A.

    Parameters
    ----------
    c_and_lower : ((..., n, n) array_like, bool)
        As `cho_factor` returns them.
    b : (n,) or (..., n, k) array_like
    d : number, or (..., k, k) array_like
        A number, or one for each matrix, where b is a vector.
    check_finite, out, info, workers
        See `trifac.linalg`.

    Returns
    -------
    c : (..., n + k, n + k) ndarray
        n²k + 2nk² + k³/3 flops each.
    lower : bool

    Raises
    ------
    LinAlgError
        The larger matrix is not positive definite.

    Examples
    --------
    >>> import numpy as np
    >>> from trifac.linalg import append, cho_factor
    >>> c, lower = append(cho_factor([[4.]], lower=True), [2.], 10.)
    >>> np.tril(c)
    array([[2., 0.],
           [1., 3.]])
    """
    c, lower = arrays.cholesky_factor(c_and_lower)
    c, b = array(c), array(b)
    number = isinstance(d, (int, float, complex))  # as in NumPy it does not widen the type
    d = np.asarray(d, np.result_type(c, d)) if number else array(d)
    dtype = arrays.type_of(arrays.square(c), b, d)
    if b.ndim == 1:
        b, d = b[:, None], d[..., None, None]
    batch, _ = arrays.system(c, b)
    n, k = b.shape[-2:]
    if d.shape[-2:] != (k, k):
        raise ValueError(f"d must be {k}×{k} matrices, not {d.shape}")
    batch = arrays.broadcast(batch, d.shape[:-2])
    shape = batch + (n + k, n + k)
    c, b, d = arrays.apart(c, out), arrays.apart(b, out), arrays.apart(d, out)
    f = np.empty(shape, dtype) if out is None else arrays.writable(out, dtype, shape, out)
    f[...] = 0
    f[..., :n, :n] = c
    of_b, of_d = arrays.each(b, dtype, batch + (n, k)), arrays.each(d, dtype, batch + (k, k))
    room = arrays.stack(f)
    arrays.finite(check_finite and info is None, room, of_b, of_d)
    ends = arrays.numbers(info, batch, math.prod(batch))
    failed = _linalg.append(room, of_b, of_d, ends, arrays.triangle(lower),
                            arrays.threads(workers))
    arrays.check(failed, info, ends, batch, NOT_DEFINITE)
    return arrays.result(f, out), lower


def remove(c_and_lower: Factor, first: int, count: int = 1, overwrite_c: bool = False,
           check_finite: bool = True, *, info: Array | None = None,
           workers: int | None = None) -> tuple[Array, bool]:
    """The factors of A without rows and columns first … first+count−1 from those of A.

    Parameters
    ----------
    c_and_lower : ((..., n, n) array_like, bool)
        As `cho_factor` returns them.
    first, count : int
    overwrite_c, check_finite, info, workers
        See `trifac.linalg`.

    Returns
    -------
    c : (..., n − count, n − count) ndarray
        A view of the leading block. 2m²·count flops each, m the rows below those removed.
    lower : bool

    Examples
    --------
    >>> import numpy as np
    >>> from trifac.linalg import cho_factor, remove
    >>> c, lower = remove(cho_factor(np.diag([4., 9., 16.])), 1)
    >>> c
    array([[2., 0.],
           [0., 4.]])
    """
    c, lower = arrays.cholesky_factor(c_and_lower)
    c = arrays.square(array(c))
    batch, left = c.shape[:-2], c.shape[-1] - count
    if not 0 <= first <= first + count <= c.shape[-1]:
        raise ValueError(f"there are no rows {first} … {first + count - 1}")
    f = arrays.writable(c, arrays.type_of(c), c.shape, None, overwrite_c)
    arrays.finite(check_finite and info is None, arrays.stack(f))
    ends = arrays.numbers(info, batch, math.prod(batch))
    failed = _linalg.remove_rows(arrays.stack(f), first, count, ends, arrays.triangle(lower),
                            arrays.threads(workers))
    arrays.check(failed, info, ends, batch, NOT_DEFINITE)
    return f[..., :left, :left], lower


def pivoted_cholesky(a: ArrayLike, lower: bool = False, tol: float = -1,
                     overwrite_a: bool = False, check_finite: bool = True, *,
                     info: Array | None = None,
                     workers: int | None = None) -> PivotedCholeskyResult:
    """A[p][:, p] = Uᴴ·U, or L·Lᴴ, of positive semidefinite matrices. LAPACK: pstrf.

    Parameters
    ----------
    a : (..., n, n) array_like
        One triangle is read: the lower one where `lower`, else the upper one.
    tol : float
        The factorization ends where no diagonal element of the rest exceeds it; -1 is n·ε times
        the largest of A.
    overwrite_a, check_finite, info, workers
        See `trifac.linalg`.

    Returns
    -------
    c : (..., n, n) ndarray
        Rows of U, or columns of L, from `rank` on are 0. n²r − nr² + r³/3 flops each for rank r.
    p : (..., n) intp ndarray
    rank : (...) intp ndarray

    Raises
    ------
    LinAlgError
        A matrix is not semidefinite.

    Examples
    --------
    >>> import numpy as np
    >>> from trifac.linalg import pivoted_cholesky
    >>> c, p, rank = pivoted_cholesky([[1., 2.], [2., 4.]], lower=True)
    >>> c
    array([[2., 0.],
           [1., 0.]])
    >>> p
    array([1, 0])
    >>> int(rank)
    1
    """
    a = arrays.square(array(a))
    dtype, batch = arrays.type_of(a), a.shape[:-2]
    c = arrays.writable(a, dtype, a.shape, None, overwrite_a)
    matrices = arrays.stack(c)
    arrays.finite(check_finite and info is None, matrices)
    p, rank = np.empty(a.shape[:-1], np.int64), np.empty(batch, np.int64)
    ends = arrays.numbers(info, batch, math.prod(batch))
    failed = _linalg.pivoted_cholesky(matrices, p, rank, ends,
                                      arrays.triangle(lower), float(tol), arrays.threads(workers))
    arrays.check(failed, info, ends, batch, arrays.NOT_SEMIDEFINITE)
    return PivotedCholeskyResult(c, p, rank)


def refine(a: ArrayLike, factor: Factor, b: ArrayLike, x: ArrayLike, trans: int | str = 0,
           overwrite_x: bool = False, check_finite: bool = True, *, info: Array | None = None,
           workers: int | None = None) -> RefineResult:
    """A solution x of op(A)·x = b is made better, and its errors are bounded. LAPACK: gerfs, porfs.

    Parameters
    ----------
    a : (..., n, n) array_like
        Before it was factored.
    factor : tuple
        Of `lu_factor` or `cho_factor`.
    b, x : (n,) or (..., n, r) array_like
    trans : {0, 1, 2} or {'N', 'T', 'C'}
        Whether op(A) is A, Aᵀ or Aᴴ.
    overwrite_x, check_finite, info, workers
        See `trifac.linalg`.

    Returns
    -------
    x : (..., n) or (..., n, r) ndarray
        6n²r flops for a step, of which there are at most five, and 20n²r for the bounds.
    backward_errors : (...) or (..., r) ndarray
        The largest relative change of an element of A or b that makes x exact.
    forward_bounds : (...) or (..., r) ndarray
        Of the relative error of x in the maximum norm, estimated.

    Examples
    --------
    >>> import numpy as np
    >>> from trifac.linalg import lu_factor, refine
    >>> A = np.array([[1., 4.], [2., 2.]])
    >>> better = refine(A, lu_factor(A), [5., 4.], [1.01, 0.99])
    >>> np.allclose(better.x, [1, 1], rtol=1e-15)
    True
    """
    first, second = arrays.pair(factor, "a factor as lu_factor or cho_factor returns it")
    a, f, b, x = arrays.square(array(a)), array(first), array(b), array(x)
    dtype = arrays.type_of(a, f, b, x)
    batch, shape = arrays.system(a, b)
    if f.shape != a.shape or x.shape != shape:
        raise ValueError(f"the factor must have the shape {a.shape}, x {shape}")
    vector = b.ndim == 1
    piv: Array | None = None
    uplo = "G"
    if np.ndim(second) == 0:
        uplo = arrays.triangle(second)
    else:
        piv = arrays.pivots(np.broadcast_to(second, batch + a.shape[-1:]), batch + a.shape[-1:],
                            batch)
    core = batch + a.shape[-2:]
    better = arrays.writable(x, dtype, shape, None, overwrite_x, vector)
    reals = np.dtype(dtype.char.lower())
    errors = np.full((2,) + batch + ((1,) if vector else shape[-1:]), np.nan, reals)
    operands = [arrays.each(a, dtype, core), arrays.each(f, dtype, core),
                arrays.sides(arrays.each(b, dtype, shape), b), arrays.sides(better, b)]
    arrays.finite(check_finite and info is None, *operands)
    ends = arrays.numbers(info, batch, math.prod(batch))
    rows = [arrays.stack(e.reshape(batch + (1, e.shape[-1]))) for e in errors]
    failed = _linalg.refine(*operands[:2], piv, *operands[2:], *rows, ends, uplo,
                            arrays.operation(trans), arrays.threads(workers))
    arrays.check(failed, info, ends, batch, SINGULAR)
    backward, forward = errors[..., 0] if vector else errors
    return RefineResult(better, backward, forward)


def rcond(a: ArrayLike, ord: Any = 1, overwrite_a: bool = False, check_finite: bool = True, *,
          assume_a: str | None = None, lower: bool = False, workers: int | None = None) -> Any:
    """1 / (‖A‖·‖A⁻¹‖), the norm of the inverse estimated. LAPACK: gecon, pocon.

    Parameters
    ----------
    a : (..., n, n) array_like
    ord : {1, inf}
        The 1-norm or the ∞-norm.
    assume_a : {None, 'gen', 'pos'}
        LU, or Cholesky of the triangle that `lower` names.
    overwrite_a, check_finite, lower, workers
        See `trifac.linalg`.

    Returns
    -------
    rcond : (...) ndarray, or a scalar of one matrix
        0 of a singular matrix. 2n³/3 + 36n² flops each at most.

    Raises
    ------
    LinAlgError
        With 'pos' a matrix is not positive definite.

    Examples
    --------
    >>> import numpy as np
    >>> from trifac.linalg import rcond
    >>> rcond([[[1., 0.], [0., 4.]], [[1., 1.], [1., 1.]]])
    array([0.25, 0.  ])
    """
    if ord not in (1, np.inf):
        raise ValueError(f"ord={ord!r}: not 1 or inf")
    a = arrays.square(array(a))
    dtype, batch, uplo = arrays.type_of(a), a.shape[:-2], _uplo(assume_a, lower)
    matrices = arrays.stack(arrays.writable(a, dtype, a.shape, None, overwrite_a))
    arrays.finite(check_finite, matrices)
    values = np.empty(batch, dtype.char.lower())
    failed = _linalg.reciprocal_condition(matrices, values, None, "1" if ord == 1 else "I", uplo,
                                          arrays.threads(workers))
    if uplo != "G":
        arrays.check(failed, None, None, batch, NOT_DEFINITE)
    return values[()]


def solve_mixed(a: ArrayLike, b: ArrayLike, lower: bool = False, check_finite: bool = True,
                assume_a: str | None = None, *, equilibrate: bool = False,
                out: Array | None = None, info: Array | None = None,
                workers: int | None = None) -> Array:
    """x = A⁻¹·b, factored in single and refined to double precision. LAPACK: dsgesv, dsposv.

    Parameters
    ----------
    a : (..., n, n) array_like
    b : (n,) or (..., n, r) array_like
    assume_a : {None, 'gen', 'pos'}
        LU, or Cholesky of the triangle that `lower` names.
    equilibrate : bool
        Whether to scale the copy in single precision, so that rows and columns of any size fit.
    lower, check_finite, out, info, workers
        See `trifac.linalg`.

    Returns
    -------
    x : (..., n) or (..., n, r) float64 or complex128 ndarray
        ‖b − A·x‖ ≤ √n·2⁻⁵³·‖A‖·‖x‖ in the ∞-norm; where a factor in single precision does not
        lead there, one in double. 2n³/3 flops in single precision each.

    Raises
    ------
    LinAlgError
        A matrix is singular, with 'pos' not positive definite.

    Examples
    --------
    >>> import numpy as np
    >>> from trifac.linalg import solve_mixed
    >>> solve_mixed([[1., 4.], [2., 2.]], [5., 4.])
    array([1., 1.])
    """
    a, b, uplo = arrays.square(array(a)), array(b), _uplo(assume_a, lower)
    dtype = np.result_type(arrays.type_of(a, b), np.float64)
    batch, shape = arrays.system(a, b)
    a, b = arrays.apart(a, out), arrays.apart(b, out)
    x = np.empty(shape, dtype) if out is None else arrays.writable(out, dtype, shape, out,
                                                                   vectors=b.ndim == 1)
    of_a = arrays.each(a, dtype, batch + a.shape[-2:])
    of_b, of_x = arrays.sides(arrays.each(b, dtype, shape), b), arrays.sides(x, b)
    arrays.finite(check_finite and info is None, of_a, of_b)
    ends = arrays.numbers(info, batch, math.prod(batch))
    failed = _linalg.solve_mixed(of_a, of_b, of_x, ends, uplo, bool(equilibrate),
                                 arrays.threads(workers))
    arrays.check(failed, info, ends, batch, _message(uplo))
    return arrays.result(x, out)
