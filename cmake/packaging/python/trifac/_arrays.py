"""From what a caller has to arrays that the C++ calls take, and from their outcome to exceptions."""

from __future__ import annotations

import math
import operator
import os
from typing import Any

import numpy as np
from numpy.linalg import LinAlgError
from numpy.typing import NDArray

from . import _linalg

Array = NDArray[Any]
Shape = tuple[int, ...]

# The types of trifac::kernels; comparing with the first is comparing two pointers.
KERNELS = tuple(map(np.dtype, "dfDF"))

NOT_DEFINITE = "the leading minor of order {} is not positive"
NOT_SEMIDEFINITE = "the matrix is not positive semidefinite: pivot {} is negative"
SINGULAR = "singular matrix: diagonal element {} of U is zero, counted from 1"
SINGULAR_TRIANGLE = "singular matrix: diagonal element {} is zero, counted from 1"


def array(a: Any) -> Array:
    """An ndarray, without a copy where `a` is one or shares its memory, by DLPack too."""
    if type(a) is np.ndarray:
        return a
    if hasattr(a, "__dlpack__") and not hasattr(a, "__array__"):
        return np.from_dlpack(a)
    return np.asarray(a)


def pair(factor: Any, what: str) -> tuple[Any, Any]:
    """A factor of two parts, not an array, which would be taken apart by rows."""
    if isinstance(factor, np.ndarray) or len(factor) != 2:
        raise ValueError(f"expected {what}")
    return factor[0], factor[1]


def cholesky_factor(factor: Any) -> tuple[Any, Any]:
    return pair(factor, "(c, lower), as cho_factor returns them")


def type_of(*given: Array) -> np.dtype[Any]:
    """The type that a call computes in: one of the four, native; float64 for integers."""
    dtype = given[0].dtype
    for a in given[1:]:
        if a.dtype != dtype:
            for b in given:
                type_of(b)  # each has kernels
            dtype = np.result_type(*given)
            break
    if dtype in KERNELS:
        return dtype
    if dtype.char in "fdFD":
        return dtype.newbyteorder("=")
    if dtype.kind in "biu":
        return np.dtype(np.float64)
    raise TypeError(f"array type {dtype} is not supported: "
                    "float32, float64, complex64 and complex128 are, and integers")


def square(a: Array) -> Array:
    shape = a.shape
    if len(shape) < 2 or shape[-1] != shape[-2]:
        raise ValueError(f"Expected a square matrix or batch of them, not shape {shape}")
    return a


def broadcast(one: Shape, other: Shape) -> Shape:
    """np.broadcast_shapes, which takes microseconds, where there is nothing to do."""
    if one == other or not other:
        return one
    return np.broadcast_shapes(one, other) if one else other


def system(a: Array, b: Array) -> tuple[Shape, Shape]:
    """The batch of a·x = b, and the shape of x. As in NumPy b is a vector where b.ndim is 1."""
    core = b.shape[-1:] if b.ndim == 1 else b.shape[-2:]
    if not core or core[0] != a.shape[-2]:
        raise ValueError(f"incompatible shapes {a.shape} and {b.shape}: "
                         f"b must have {a.shape[-2]} rows")
    batch = broadcast(a.shape[:-2], b.shape[:-2])
    return batch, batch + core


def is_direct(x: Array, vectors: bool = False) -> bool:
    """Whether the C++ calls take its memory: each matrix in C or Fortran order, in sequence;
    vectors, of which x is a stack, in C order."""
    flags = x.flags
    return flags.aligned and (flags.c_contiguous or (
        not vectors and x.ndim > 1 and x.swapaxes(-1, -2).flags.c_contiguous))


def stack(x: Array) -> Array:
    """The batch as one extent."""
    return x if x.ndim <= 3 else x.reshape(math.prod(x.shape[:-2]), *x.shape[-2:])


def sides(x: Array, b: Array) -> Array:
    """The solutions x of right-hand sides b, as matrices in the same memory where x is direct."""
    if b.ndim > 1:
        return stack(x)
    return x if x.ndim == 1 else x.reshape(math.prod(x.shape[:-1]), x.shape[-1], 1)


def apart(a: Array, out: Array | None) -> Array:
    """a, or a copy of it where a call that writes to `out` would overwrite it."""
    return a.copy() if isinstance(out, np.ndarray) and np.may_share_memory(a, out) else a


def writable(a: Array, dtype: np.dtype[Any], shape: Shape, out: Array | None = None,
             overwrite: bool = False, vectors: bool = False) -> Array:
    """A direct array with the values of a that a call may write: out, a itself, or a new one."""
    if out is not None:
        if (not isinstance(out, np.ndarray) or out.shape != shape or out.dtype != dtype
                or not out.flags.writeable):
            raise ValueError(f"out must be a writeable array of shape {shape} and type {dtype}")
        if is_direct(out, vectors):
            if out is not a:
                np.copyto(out, a)
            return out
    elif (overwrite and a.dtype == dtype and a.shape == shape and a.flags.writeable
          and is_direct(a, vectors)):
        return a
    if a.shape == shape and is_direct(a, vectors):
        return a.astype(dtype)
    copy = np.empty(shape, dtype)
    copy[...] = a
    return copy


def result(x: Array, out: Array | None) -> Array:
    """What a call returns that has computed in x."""
    if out is None or out is x:
        return x
    out[...] = x
    return out


def for_batch(a: Array, batch: Shape, core: int = 2) -> Array:
    """a with one item for all of the batch, or one for each."""
    lead = a.shape[:-core]
    if lead == batch or math.prod(lead) == 1:
        return a
    return np.broadcast_to(a, batch + a.shape[-core:])


def readable(a: Array, dtype: np.dtype[Any]) -> Array:
    if a.dtype != dtype:
        a = a.astype(dtype)
    return stack(a if is_direct(a) else np.require(a, requirements=("C", "A")))


def each(a: Array, dtype: np.dtype[Any], shape: Shape) -> Array:
    """a to be read, broadcast to `shape`."""
    return readable(a if a.shape == shape else np.broadcast_to(a, shape), dtype)


def pivots(piv: Any, shape: Shape, batch: Shape) -> Array:
    """Interchanges of factors, one for each matrix of a batch or one for all."""
    piv = array(piv)
    if piv.dtype.kind not in "iu":
        raise TypeError(f"piv must be an array of integers, not of {piv.dtype}")
    if piv.shape != shape:
        raise ValueError(f"piv must have the shape {shape}, not {piv.shape}")
    if piv.size and not (0 <= piv.min() and piv.max() < shape[-1]):  # before int32 cuts them off
        raise ValueError("piv has a row that the matrix has not")
    return np.require(for_batch(piv, batch, 1), np.int32, ("C", "A"))


def numbers(info: Array | None, batch: Shape, count: int) -> Array | None:
    """Where the C++ calls put info of `count` matrices; in one number where one is for all."""
    if info is None:
        return None
    if (not isinstance(info, np.ndarray) or info.dtype != np.int32 or info.shape != batch
            or not info.flags.writeable or not info.flags.c_contiguous):
        raise ValueError(f"info must be a writeable, C-contiguous int32 array of shape {batch}")
    return info if info.size == count else np.empty(count, np.int32)


def check(failed: tuple[int, int] | None, info: Array | None, ends: Array | None, batch: Shape,
          message: str) -> None:
    """LinAlgError where a matrix failed, unless info takes it. NaN gives NaN, as in NumPy."""
    if info is not None and ends is not None:
        if ends.size != info.size:
            info[...] = ends[0]
    elif failed is not None:
        b, k = failed
        if k > 0 or message in (NOT_DEFINITE, NOT_SEMIDEFINITE):
            at = np.unravel_index(b, batch) if batch and math.prod(batch) > b else ()
            where = f"matrix {tuple(map(int, at))}: " if at else ""
            raise LinAlgError(where + message.format(abs(k)))


def finite(wanted: bool, *arrays: Array) -> None:
    """SciPy's check_finite."""
    if wanted:
        for a in arrays:
            if not _linalg.all_finite(a):
                raise ValueError("array must not contain infs or NaNs")


def threads(workers: int | None) -> int:
    """The number of threads that `workers` asks for, as in scipy.fft."""
    if workers is None:
        return 1
    try:
        count = operator.index(workers)
    except TypeError:
        raise TypeError(f"workers={workers!r}: not an integer") from None
    if count != -1 and count < 1:
        raise ValueError(f"workers={workers}: neither -1 nor a number from 1 on")
    return os.cpu_count() or 1 if count == -1 else count


def triangle(lower: bool) -> str:
    return "L" if lower else "U"


def operation(trans: int | str) -> str:
    """SciPy's 0, 1, 2 or LAPACK's letters."""
    try:
        return {0: "N", 1: "T", 2: "C", "N": "N", "T": "T", "C": "C"}[trans]
    except KeyError:
        raise ValueError(f"trans={trans!r}: not 0, 1, 2, 'N', 'T' or 'C'") from None
