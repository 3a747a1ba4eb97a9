"""Matrices, the forms in which NumPy may hold them, and LAPACK's test ratios."""

import numpy as np

TYPES = [np.float32, np.float64, np.complex64, np.complex128]
BATCHES = [(), (1,), (3,), (17,), (2, 3), (0,), (2, 0)]
ORDERS = [0, 1, 2, 3, 8, 15, 16, 17, 33, 48, 49, 64, 65, 70]
THRESHOLD = 30  # LAPACK's


def random(shape, dtype, seed=0):
    rng = np.random.default_rng([seed, *shape])
    x = rng.uniform(-1, 1, shape)
    if np.dtype(dtype).kind == "c":
        x = x + 1j * rng.uniform(-1, 1, shape)
    return x.astype(dtype)


def adjoint(a):
    return a.swapaxes(-1, -2).conj()


def definite(shape, dtype, seed=0):
    x = random(shape, dtype, seed)
    a = (x @ adjoint(x) + shape[-1] * np.eye(shape[-1])).astype(dtype)
    return (a + adjoint(a)) / a.real.dtype.type(2)  # Hermitian in all bits


def dominant(shape, dtype, seed=0):
    """Well conditioned, with rows in an order that needs pivoting."""
    n = shape[-1]
    return (random(shape, dtype, seed) + n * np.roll(np.eye(n), 1, 0)).astype(dtype)


def _transposed(a):
    return a.copy() if a.ndim < 2 else np.array(a.swapaxes(-1, -2), order="C").swapaxes(-1, -2)


def _reversed(a):
    back = (..., *(slice(None, None, -1),) * min(2, a.ndim))
    return np.array(a[back], order="C")[back]


def _strided(a):
    room = np.full(a.shape[:-1] + (2 * a.shape[-1] + 1,), 7, a.dtype)
    room[..., 1::2] = a
    return room[..., 1::2]


def _misaligned(a):
    memory = np.zeros(a.nbytes + 1, np.uint8)[1:]
    x = memory.view(a.dtype).reshape(a.shape)
    x[...] = a
    return x


def _read_only(a):
    x = a.copy()
    x.flags.writeable = False
    return x


# The same values, held otherwise.
FORMS = {
    "c": lambda a: np.array(a, order="C"),
    "f": lambda a: np.array(a, order="F"),
    "transposed": _transposed,
    "strided": _strided,
    "reversed": _reversed,
    "swapped": lambda a: a.astype(a.dtype.newbyteorder("S")),
    "misaligned": _misaligned,
    "read_only": _read_only,
    "list": lambda a: a.tolist(),
}


def norm(a):
    """The 1-norm of each matrix, in double precision; 0 without elements."""
    a = np.asarray(a, np.result_type(a, np.float64))
    return np.abs(a).sum(-2).max(-1, initial=0)


def ratio(difference, scale, dtype, n):
    """The largest difference / (scale·n·ε) of the batch, 0 without elements. NaN stays."""
    bound = np.maximum(norm(scale), np.finfo(dtype).tiny) * max(1, n) * np.finfo(dtype).eps
    return (norm(difference) / bound).max(initial=0)


def assert_small(value):
    assert value < THRESHOLD  # NaN is not


def assert_solves(a, x, b, dtype):
    """‖b − A·x‖ / (‖A‖·‖x‖·ε), for vectors and matrices b."""
    wide = np.result_type(dtype, np.float64)
    a, x, b = (np.asarray(v, wide) for v in (a, x, b))
    if b.ndim == 1:
        b, x = b[:, None], x[..., None]
    rest = norm(b - a @ x)
    scale = norm(a) * norm(x) * np.finfo(dtype).eps
    assert ((rest == 0) | (rest < THRESHOLD * max(1, a.shape[-1]) * scale)).all()
