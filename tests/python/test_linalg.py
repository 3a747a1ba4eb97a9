"""trifac.linalg: residuals by LAPACK's definitions, stacks, forms of arrays, outcomes."""

import concurrent.futures
import doctest
import importlib.metadata
import inspect
import os

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.linalg import LinAlgError

import trifac.linalg as tl
from support import (BATCHES, FORMS, ORDERS, TYPES, adjoint, assert_small, assert_solves, definite,
                     dominant, random, ratio)

settings.register_profile("trifac", max_examples=60, deadline=None, derandomize=True)
settings.load_profile("trifac")

types = st.sampled_from(TYPES)
orders = st.sampled_from(ORDERS)
batches = st.sampled_from(BATCHES)
forms = st.sampled_from(sorted(FORMS))
seeds = st.integers(0, 100)
letters = {0: lambda a: a, 1: lambda a: a.swapaxes(-1, -2), 2: adjoint}


def held(a, form):
    """a in another form; a list keeps neither float32 nor empty extents."""
    if form == "list" and (a.size == 0 or a.dtype.char in "fF"):
        form = "c"
    return FORMS[form](a)


def without_change(call, *given):
    """call(*given), which must not write its arguments."""
    before = [np.array(g) for g in given]
    result = call(*given)
    for g, b in zip(given, before):
        np.testing.assert_array_equal(np.array(g), b)
    return result


@given(types, orders, batches, forms, st.booleans(), seeds)
def test_cholesky(dtype, n, batch, form, lower, seed):
    a = definite(batch + (n, n), dtype, seed)
    other = np.tril if not lower else np.triu
    noisy = a + other(random(a.shape, dtype), -1 if not lower else 1)  # is not read
    c = without_change(lambda x: tl.cholesky(x, lower), held(noisy, form))
    assert c.dtype == dtype and c.shape == a.shape
    assert not other(c, -1 if not lower else 1).any()
    product = c @ adjoint(c) if lower else adjoint(c) @ c
    assert_small(ratio(a - product, a, dtype, n))


@given(types, orders, orders, batches, forms, seeds)
def test_lu_factor(dtype, m, n, batch, form, seed):
    a = random(batch + (m, n), dtype, seed)
    lu, piv = without_change(tl.lu_factor, held(a, form))
    k = min(m, n)
    assert lu.dtype == dtype and lu.shape == a.shape
    assert piv.dtype == np.int32 and piv.shape == batch + (k,)
    permuted = a.reshape(-1, m, n).copy() if a.size else a.copy()
    for matrix, rows in zip(permuted, piv.reshape(-1, k) if a.size else ()):
        for i, row in enumerate(rows):
            matrix[[i, row]] = matrix[[row, i]]
    low = np.tril(lu[..., :k], -1) + np.eye(m, k, dtype=dtype)
    assert (np.abs(low) <= 1 + (np.dtype(dtype).kind == "c")).all()
    product = low @ np.triu(lu[..., :k, :])
    assert_small(ratio(permuted.reshape(a.shape) - product, a, dtype, n))


shapes = st.sampled_from([  # of the batches of a and b; None: b is a vector
    ((), ()), ((), None), ((5,), (5,)), ((5,), None), ((), (5,)), ((5,), ()), ((1,), (4,)),
    ((3, 1), (1, 4)), ((3, 1), (4,)), ((2, 3), (3,)), ((0,), (0,)), ((0,), ()), ((), (0,))])


@given(types, orders, st.sampled_from([0, 1, 3, 9]), shapes, forms, forms, seeds,
       st.sampled_from(["gen", "pos", "upper triangular", "lower triangular"]), st.booleans())
def test_solve(dtype, n, r, both, form_a, form_b, seed, structure, transposed):
    batch, of_b = both
    a = (definite if structure == "pos" else dominant)(batch + (n, n), dtype, seed)
    b = random((n,) if of_b is None else of_b + (n, r), dtype, seed + 1)
    if "triangular" in structure:
        a = a + n * np.eye(n, dtype=dtype)
    x = without_change(
        lambda a, b: tl.solve(a, b, assume_a=structure, transposed=transposed, lower=True),
        held(a, form_a), held(b, form_b))
    if "triangular" in structure:
        a = np.tril(a) if structure[0] == "l" else np.triu(a)
    assert x.dtype == dtype
    kept = b.shape[-1:] if of_b is None else b.shape[-2:]
    assert x.shape == (batch if of_b is None else np.broadcast_shapes(batch, of_b)) + kept
    assert_solves(letters[1](a) if transposed else a, x, b, dtype)


@given(types, orders, st.sampled_from([1, 3, 9]), shapes, forms, forms, seeds,
       st.sampled_from([0, 1, 2]), st.booleans())
def test_solves_with_factors(dtype, n, r, both, form_a, form_b, seed, trans, lower):
    batch, of_b = both
    b = random((n,) if of_b is None else of_b + (n, r), dtype, seed + 1)
    a = dominant(batch + (n, n), dtype, seed)
    lu, piv = tl.lu_factor(a)
    x = without_change(lambda f, b: tl.lu_solve((f, piv), b, trans), held(lu, form_a),
                       held(b, form_b))
    assert_solves(letters[trans](a), x, b, dtype)
    a = definite(batch + (n, n), dtype, seed)
    c, _ = tl.cho_factor(a, lower)
    x = without_change(lambda f, b: tl.cho_solve((f, lower), b), held(c, form_a), held(b, form_b))
    assert_solves(a, x, b, dtype)
    t = np.tril(a) if lower else np.triu(a)
    x = without_change(lambda a, b: tl.solve_triangular(a, b, trans, lower), held(a, form_a),
                       held(b, form_b))
    assert_solves(letters[trans](t), x, b, dtype)
    unit = t / n - np.eye(n) * t / max(1, n) + np.eye(n)
    for is_unit in (True, 1, np.True_):
        x = tl.solve_triangular(a / np.array(max(1, n), dtype), b, trans, lower, is_unit)
        assert_solves(letters[trans](unit), x, b, dtype)


@given(types, orders, batches, forms, seeds, st.sampled_from([None, "pos"]), st.booleans())
def test_inv(dtype, n, batch, form, seed, structure, lower):
    a = (definite if structure else dominant)(batch + (n, n), dtype, seed)
    x = without_change(lambda a: tl.inv(a, assume_a=structure, lower=lower), held(a, form))
    assert x.dtype == dtype and x.shape == a.shape
    assert_small(ratio(np.eye(n) - a @ x, np.linalg.norm(a, 1, (-2, -1), True) * x if n else x,
                       dtype, n))


@given(types, orders, batches, forms, seeds)
def test_determinants(dtype, n, batch, form, seed):
    a = dominant(batch + (n, n), dtype, seed) / np.array(max(1, n), dtype)
    wide = np.asarray(a, np.result_type(dtype, np.float64))
    d = without_change(tl.det, held(a, form))
    assert np.shape(d) == batch
    np.testing.assert_allclose(d, np.linalg.det(wide), rtol=1e3 * np.finfo(dtype).eps)
    sign, log = without_change(tl.slogdet, held(a, form))
    expected = np.linalg.slogdet(wide)
    np.testing.assert_allclose(sign, expected[0], rtol=0, atol=1e3 * np.finfo(dtype).eps)
    np.testing.assert_allclose(log, expected[1], rtol=0, atol=1e3 * np.finfo(dtype).eps)


def test_determinants_at_their_ends():
    assert tl.det(np.ones((3, 3))) == 0
    assert tl.slogdet(np.ones((3, 3))) == (0, -np.inf)
    assert tl.det(-1e200 * np.eye(3)) == -np.inf
    assert tl.slogdet(-1e200 * np.eye(3))[0] == -1
    bad = np.array([np.eye(2), [[np.nan, 1], [1, 1]]])
    np.testing.assert_array_equal(tl.det(bad, check_finite=False), [1, np.nan])
    np.testing.assert_array_equal(tl.slogdet(bad).logabsdet, [0, np.nan])


def contiguous(shape, dtype, order):
    x = np.empty(shape, dtype)
    return x if order == "C" else x.swapaxes(-1, -2).copy().swapaxes(-1, -2)


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("shape", [(6, 6), (20, 6, 6), (2, 3, 6, 6), (2, 100, 100)])
def test_overwrites_without_a_copy(shape, order):
    def copy(a):
        x = contiguous(a.shape, a.dtype, order)
        x[...] = a
        return x

    a, b = definite(shape, np.float64), random(shape, np.float64)
    for call in (lambda m: tl.cholesky(m, overwrite_a=True), lambda m: tl.inv(m, overwrite_a=True),
                 lambda m: tl.lu_factor(m, overwrite_a=True)[0],
                 lambda m: tl.cho_factor(m, overwrite_a=True)[0]):
        memory = copy(a)
        assert call(memory) is memory
        np.testing.assert_array_equal(memory, call(copy(a)))
    memory = copy(b)
    assert tl.solve(a, memory, overwrite_b=True) is memory
    assert_solves(a, memory, b, np.float64)
    memory = copy(b)
    assert tl.cho_solve(tl.cho_factor(a), memory, overwrite_b=True) is memory
    assert_solves(a, memory, b, np.float64)


@given(types, orders, batches, st.sampled_from(["c", "f", "transposed", "strided", "reversed"]))
def test_out(dtype, n, batch, form):
    a, b = definite(batch + (n, n), dtype), random(batch + (n, 3), dtype)
    out = FORMS[form](np.zeros_like(a))
    assert tl.cholesky(a, out=out) is out
    assert_small(ratio(a - adjoint(out) @ out, a, dtype, n))
    for call in (tl.inv, lambda a, out=None: tl.lu_factor(a, out=out)[0]):
        out[...] = np.nan
        assert call(a, out=out) is out
        np.testing.assert_array_equal(out, call(a))
    x = FORMS[form](np.zeros_like(b))
    for call in (lambda: tl.solve(a, b, out=x), lambda: tl.cho_solve(tl.cho_factor(a), b, out=x),
                 lambda: tl.lu_solve(tl.lu_factor(a), b, out=x)):
        x[...] = np.nan
        assert call() is x
        assert_solves(a, x, b, dtype)


def solved_with_out(a, b, x):
    """Each call that solves with b and has `out`, here x, and the matrix that it solves with."""
    lu, c = tl.lu_factor(a), tl.cho_factor(a)
    calls = [(lambda: tl.solve(a, b, out=x), a), (lambda: tl.lu_solve(lu, b, out=x), a),
             (lambda: tl.cho_solve(c, b, out=x), a),
             (lambda: tl.solve_triangular(c[0], b, out=x), np.triu(c[0]))]
    is_double = x.dtype.char in "dD"  # as the result of solve_mixed
    return calls + [(lambda: tl.solve_mixed(a, b, out=x), a)] * is_double


writable = st.sampled_from(["c", "f", "transposed", "strided", "reversed", "misaligned"])


@given(types, st.sampled_from([1, 2, 17, 60]), st.sampled_from([(), (3,), (2, 3), (2, 1, 2)]),
       writable)
def test_out_of_one_vector(dtype, n, batch, form):
    """Its solutions are a stack of vectors, which only in C order are one piece of memory."""
    a, b = definite(batch + (n, n), dtype), random((n,), dtype)
    x = FORMS[form](np.zeros(batch + (n,), dtype))
    for call, matrix in solved_with_out(a, b, x):
        x[...] = np.nan
        assert call() is x
        assert_solves(matrix, x, b, dtype)
    rough = FORMS[form](tl.solve(a, b) * np.array(1.001, dtype))
    better = tl.refine(a, tl.lu_factor(a), b, rough)
    assert (better.backward_errors <= 4 * np.finfo(dtype).eps).all()
    assert_solves(a, better.x, b, dtype)


@given(types, st.sampled_from([1, 2, 17, 60]), st.sampled_from([(), (3,), (2, 3)]), writable)
def test_out_that_is_an_argument(dtype, n, batch, form):
    a, b = definite(batch + (n, n), dtype), random(batch + (n, n), dtype)
    x = FORMS[form](b)
    for call, matrix in solved_with_out(a, x, x):
        x[...] = b
        assert call() is x
        assert_solves(matrix, x, b, dtype)
    (lu, piv), (c, lower) = tl.lu_factor(a), tl.cho_factor(a)
    calls = [(a, lambda x: tl.solve(x, b, out=x), a),
             (lu, lambda x: tl.lu_solve((x, piv), b, out=x), a),
             (c, lambda x: tl.cho_solve((x, lower), b, out=x), a),
             (c, lambda x: tl.solve_triangular(x, b, out=x), np.triu(c))]
    if x.dtype.char in "dD":
        calls.append((a, lambda x: tl.solve_mixed(x, b, out=x), a))
    for given_matrix, call, matrix in calls:
        x[...] = given_matrix
        assert call(x) is x
        assert_solves(matrix, x, b, dtype)
    for call in (tl.cholesky, tl.inv, lambda x, out: tl.lu_factor(x, out=out)[0]):
        x[...] = a
        assert call(x, out=x) is x
        np.testing.assert_allclose(x, call(a, out=np.empty_like(a)), rtol=1e-4, atol=1e-4)


@given(st.sampled_from([0, 1, 5, 40]), st.sampled_from([1, 3]), batches,
       st.sampled_from(["c", "f", "transposed", "strided", "reversed"]))
def test_append_to_out(n, k, batch, form):
    whole = definite(batch + (n + k, n + k), np.float64)
    b, d = whole[..., :n, n:], whole[..., n:, n:]
    factor = tl.cho_factor(whole[..., :n, :n])
    expected = tl.append(factor, b, d)[0]
    out = FORMS[form](np.full_like(whole, 7))
    c, lower = tl.append(factor, b, d, out=out)
    assert c is out and not lower
    np.testing.assert_allclose(out, expected, rtol=1e-13, atol=1e-13)
    out[..., :n, :n] = factor[0]  # grows where it lies
    assert tl.append((out[..., :n, :n], False), b, d, out=out)[0] is out
    np.testing.assert_allclose(out, expected, rtol=1e-13, atol=1e-13)
    with pytest.raises(ValueError, match="out must be"):
        tl.append(factor, b, d, out="none")


def test_out_that_does_not_fit():
    a = np.eye(3)
    read_only = np.empty((3, 3))
    read_only.flags.writeable = False
    for out in (np.empty((3, 2)), np.empty((1, 3, 3)), np.empty((3, 3), np.float32), read_only, [1]):
        with pytest.raises(ValueError, match="out must be"):
            tl.cholesky(a, out=out)
    memory = np.eye(3)
    with pytest.raises(ValueError, match="overlap"):
        tl.solve(memory, memory, overwrite_a=True, overwrite_b=True)


@pytest.mark.parametrize("n", [1, 2, 8, 50, 70])
@pytest.mark.parametrize("dtype", TYPES)
def test_info_of_each_matrix(dtype, n):
    a = definite((2, 5, n, n), dtype)
    good = tl.cholesky(a, lower=True), tl.inv(a), tl.solve(a, a[..., :2])
    a[0, 1, n - 1, n - 1] = -1
    a[1, 4, n - 1, 0] = a[1, 4, 0, n - 1] = np.nan
    expected = np.zeros((2, 5), np.int32)
    expected[0, 1], expected[1, 4] = n, -n
    info = np.full((2, 5), 77, np.int32)
    c = tl.cholesky(a, lower=True, info=info)
    np.testing.assert_array_equal(info, expected)
    assert np.isnan(c[info != 0]).all()
    np.testing.assert_array_equal(c[info == 0], good[0][info == 0])

    a[0, 1] = 1 if n > 1 else 0  # singular
    for call, reference in ((lambda: tl.inv(a, info=info), good[1]),
                            (lambda: tl.solve(a, a[..., :2], info=info), good[2])):
        info[...] = 77
        x = call()
        assert info[0, 1] == (2 if n > 1 else 1) and info[1, 4] < 0
        assert np.count_nonzero(info) == 2
        assert np.isnan(x[info != 0]).all()
        np.testing.assert_array_equal(x[info == 0], reference[info == 0])


@given(types, st.sampled_from([(), (3,)]), st.booleans())
def test_info_of_triangles(dtype, batch, lower):
    for at, bad, expected in ((1, 0, 2), (0, np.nan, -1), (1, np.inf, -2), (2, -np.inf, -3)):
        a = np.broadcast_to(np.eye(3, dtype=dtype), batch + (3, 3)).copy()
        (a[1] if batch else a)[at, at] = bad
        info = np.full(batch, 77, np.int32)
        x = tl.solve_triangular(a, np.ones(3, dtype), lower=lower, info=info)
        np.testing.assert_array_equal(info, [0, expected, 0] if batch else expected)
        np.testing.assert_array_equal(np.isnan(x).all(-1), info != 0)
        np.testing.assert_array_equal(x[info == 0], 1)


def test_info_of_one_for_all():
    info = np.full(4, 77, np.int32)
    x = tl.solve(np.ones((3, 3)), random((4, 3, 1), np.float64), info=info)
    np.testing.assert_array_equal(info, [2] * 4)
    assert np.isnan(x).all()
    one = np.array(77, np.int32)
    tl.cholesky(-np.eye(3), info=one)
    assert one == 1
    for wrong in (np.zeros(3, np.int32), np.zeros(4, np.int64), np.zeros(8, np.int32)[::2], [0] * 4):
        with pytest.raises(ValueError, match="info must be"):
            tl.solve(np.eye(3), random((4, 3, 1), np.float64), info=wrong)


@pytest.mark.parametrize("dtype", TYPES)
def test_jitter(dtype):
    a = definite((2, 3, 6, 6), dtype)
    a[0, 2] = np.ones((6, 6))  # semidefinite
    a[1, 1] = -np.eye(6)  # not with these shifts
    shift = np.full((2, 3), 77, np.dtype(dtype).char.lower())
    info = np.full((2, 3), 77, np.int32)
    first = 4 * np.finfo(dtype).eps
    c = tl.cholesky(a, lower=True, jitter=first, shift=shift, info=info)
    assert info[1, 1] > 0 and np.count_nonzero(info) == 1
    assert shift[0, 2] > first / 2 and np.count_nonzero(shift) == 2
    good = info == 0
    product = c @ adjoint(c) - shift[..., None, None] * np.eye(6)
    assert_small(ratio((a - product)[good], a[good], dtype, 6))
    np.testing.assert_array_equal(c[0, 0], tl.cholesky(a[0], lower=True, jitter=first)[0])
    alone = tl.cholesky(a[0, 2], lower=True, jitter=first)
    assert_small(ratio(a[0, 2] + shift[0, 2] * np.eye(6) - alone @ adjoint(alone), a[0, 2], dtype, 6))
    with pytest.raises(LinAlgError, match=r"matrix \(1, 1\)"):
        tl.cholesky(a, jitter=first)
    with pytest.raises(ValueError, match="shift must be"):
        tl.cholesky(a, jitter=first, shift=np.zeros(6))


@given(types, st.sampled_from([3, 8, 40, 70, 200]), seeds)
@settings(max_examples=10)
def test_workers_change_no_bit(dtype, n, seed):
    a = definite((9, n, n), dtype, seed)
    for call in (tl.cholesky, tl.inv, lambda a, workers: tl.lu_factor(a, workers=workers)[0],
                 lambda a, workers: tl.solve(a, a, workers=workers),
                 lambda a, workers: tl.rcond(a, workers=workers)):
        one = call(a, workers=1)
        for workers in (2, 3, -1):
            np.testing.assert_array_equal(call(a, workers=workers), one)
    with pytest.raises(ValueError):
        tl.cholesky(a, workers=0)
    with pytest.raises(ValueError, match="workers=-2: neither -1 nor"):
        tl.cholesky(a, workers=-2)
    for workers in (1.5, "two"):
        with pytest.raises(TypeError, match="not an integer"):
            tl.inv(a, workers=workers)


def test_errors():
    with pytest.raises(LinAlgError, match="^the leading minor of order 2 is not positive$"):
        tl.cholesky([[1.0, 2], [2, 1]])
    with pytest.raises(LinAlgError, match=r"^matrix \(1, 0\): the leading minor of order 1"):
        tl.cholesky([[np.eye(2)], [-np.eye(2)]])
    for call in (lambda a: tl.solve(a, [1.0, 2]), tl.inv):
        with pytest.raises(LinAlgError, match="element 2 of U is zero"):
            call(np.ones((2, 2)))
    with pytest.raises(LinAlgError, match="diagonal element 2 is zero"):
        tl.solve_triangular([[1.0, 0], [1, 0]], [1.0, 2], lower=True)
    with pytest.warns(RuntimeWarning, match="singular"):
        tl.lu_factor(np.ones((2, 2)))
    for bad in (np.nan, np.inf):
        a = np.array([[2.0, bad], [bad, 2]])
        for call in (tl.cholesky, tl.lu_factor, tl.inv, tl.det, lambda a: tl.solve(np.eye(2), a),
                     lambda a: tl.solve(a, np.eye(2)), lambda a: tl.cho_solve((a, True), [1.0, 2]),
                     lambda a: tl.solve_triangular(a, [1.0, 2])):
            with pytest.raises(ValueError, match="infs or NaNs"):
                call(a)
        with pytest.raises(LinAlgError):
            tl.cholesky(a, check_finite=False)
        assert np.isnan(tl.inv(a, check_finite=False)).all()


@pytest.mark.parametrize("n", [2, 8, 50, 70])
@pytest.mark.parametrize("dtype", TYPES)
def test_lu_is_complete_with_nan(dtype, n):
    a = dominant((3, n, n), dtype)
    a[1, n // 2, n - 1] = np.nan
    for bad, factor in ((1, tl.lu_factor(a, check_finite=False)),
                        (0, [f[None] for f in tl.lu_factor(a[1], check_finite=False)])):
        assert (factor[1] >= np.arange(n)).all() and (factor[1] < n).all()
        x = tl.lu_solve(factor, np.ones(n, dtype), check_finite=False)
        np.testing.assert_array_equal(np.isnan(x).any(-1), np.arange(len(x)) == bad)
    # As LAPACK finds it: 1/inf = 0.
    factor = tl.lu_factor(np.diag(np.array([np.inf, 2], dtype).real), check_finite=False)
    np.testing.assert_array_equal(tl.lu_solve(factor, [1.0, 1.0], check_finite=False), [0, 0.5])


def test_arguments_are_named():
    a = np.eye(2)
    for jitter in (-1.0, np.nan, np.inf):
        with pytest.raises(ValueError, match="jitter="):
            tl.cholesky(a, jitter=jitter)
    with pytest.raises(ValueError, match="'gen', 'pos', 'upper triangular', 'lower triangular' are"):
        tl.solve(a, [1.0, 2], assume_a="sym")
    with pytest.raises(ValueError, match="'gen', 'pos' are"):
        tl.inv(a, assume_a="sym")
    for n in (2, 3):
        c = np.eye(n)
        for call in (lambda c: tl.cho_solve(c, np.ones(n)), lambda c: tl.update(c, np.ones(n)),
                     lambda c: tl.append(c, np.ones(n), 2.0), lambda c: tl.remove(c, 0)):
            with pytest.raises(ValueError, match="as cho_factor returns"):
                call(c)
        with pytest.raises(ValueError, match="as lu_factor returns"):
            tl.lu_solve(c, np.ones(n))
    with pytest.raises(TypeError, match="piv must be"):
        tl.lu_solve((a, np.array([0.0, 1.0])), [1.0, 2])


def test_shapes_that_do_not_fit():
    a, b = np.ones((3, 2, 2)) + np.eye(2), np.ones((2, 1))
    for call in (tl.cholesky, tl.inv, tl.det, tl.slogdet, tl.rcond, tl.pivoted_cholesky,
                 lambda a: tl.solve(a, b)):
        for shape in ((2, 3), (4, 2, 3), (3,), ()):
            with pytest.raises(ValueError):
                call(np.ones(shape))
    for wrong in (np.ones(3), np.ones((3, 1)), np.ones((4, 2, 1)), np.ones(())):
        for call in (tl.solve, tl.solve_triangular, tl.solve_mixed,
                     lambda a, b: tl.lu_solve(tl.lu_factor(a), b),
                     lambda a, b: tl.cho_solve(tl.cho_factor(a), b),
                     lambda a, b: tl.update(tl.cho_factor(a), b)):
            with pytest.raises(ValueError):
                call(a, wrong)
    lu, piv = tl.lu_factor(a)
    for wrong in (piv[:2], piv[:, :1], piv - 1, piv + 2, piv.astype(np.int64) + 2**32):
        with pytest.raises(ValueError):
            tl.lu_solve((lu, wrong), b)


@pytest.mark.parametrize("dtype", [np.float16, np.longdouble, np.clongdouble, object, "U3", "M8[s]"])
def test_types_without_kernels(dtype):
    a = np.eye(2).astype(dtype)
    for call in (tl.cholesky, tl.lu_factor, tl.inv, tl.det, tl.slogdet, tl.rcond,
                 lambda a: tl.solve(a, np.ones(2)), lambda a: tl.solve(np.eye(2), a),
                 lambda a: tl.cho_solve((np.eye(2), True), a),
                 lambda a: tl.solve_mixed(a, np.ones(2))):
        with pytest.raises(TypeError, match="not supported"):
            call(a)


@pytest.mark.parametrize("dtype", [bool, np.int8, np.uint64, np.int64])
def test_integers_are_float64(dtype):
    a = np.eye(3).astype(dtype)
    assert tl.cholesky(a).dtype == np.float64
    assert tl.solve(a, a).dtype == np.float64
    assert tl.solve(a, np.ones(3, np.float32)).dtype in (np.float32, np.float64)
    assert tl.solve(np.eye(3, dtype=np.float32), np.ones(3, np.complex64)).dtype == np.complex64
    assert tl.solve(np.eye(3, dtype=np.float32), np.ones(3)).dtype == np.float64


class OnlyDLPack:
    def __init__(self, a):
        self.a = a

    def __dlpack__(self, **options):
        return self.a.__dlpack__(**options)

    def __dlpack_device__(self):
        return self.a.__dlpack_device__()


def test_a_number_does_not_widen_the_type():
    for dtype in TYPES:
        c, _ = tl.append(tl.cho_factor(np.eye(2, dtype=dtype)), np.zeros(2, dtype), 9.0)
        assert c.dtype == dtype and c[2, 2] == 3


def test_dlpack():
    a = definite((4, 3, 3), np.float32)
    np.testing.assert_array_equal(tl.cholesky(OnlyDLPack(a)), tl.cholesky(a))
    x = tl.solve(OnlyDLPack(a), OnlyDLPack(a))
    assert_solves(a, x, a, np.float32)


@given(types, st.sampled_from([1, 2, 5, 17, 40]), st.sampled_from([None, 1, 3]), st.booleans(),
       st.sampled_from([((), ()), ((4,), (4,)), ((4,), ()), ((), (4,))]))
def test_update_and_downdate(dtype, n, k, lower, both):
    batch, of_x = both
    a = definite(batch + (n, n), dtype)
    x = random((n,) if k is None else of_x + (n, k), dtype)
    wide = x[:, None] if k is None else x
    factor = tl.cho_factor(a, lower)
    kept = factor[0].copy()
    up = tl.update(factor, x)
    np.testing.assert_array_equal(factor[0], kept)
    for c, expected in ((up, a + wide @ adjoint(wide)), (tl.downdate(up, x), a)):
        t = np.tril(c[0]) if c[1] else np.triu(c[0])
        product = t @ adjoint(t) if lower else adjoint(t) @ t
        assert_small(ratio(expected - product, expected, dtype, n) / 10)
    with pytest.raises(LinAlgError):
        tl.downdate(factor, 100 * n * np.ones(n, dtype))
    info = np.zeros(np.shape(up[0])[:-2], np.int32)
    assert np.isnan(tl.downdate(up, 100 * n * np.ones(n, dtype), info=info)[0]).all()
    assert (info > 0).all()


@given(types, st.sampled_from([0, 1, 2, 5, 17, 40]), st.sampled_from([None, 1, 3]), st.booleans(),
       st.sampled_from([(), (4,), (2, 3)]))
def test_append_and_remove(dtype, n, k, lower, batch):
    m = n + (k or 1)
    a = definite(batch + (m, m), dtype)
    b, d = a[..., :n, n:], a[..., n:, n:]
    if k is None:
        b, d = (np.zeros(n, dtype), np.array(2, dtype)) if batch else (b[..., 0], d[..., 0, 0])
        if batch:
            a[..., :n, n:], a[..., n:, :n], a[..., n:, n:] = 0, 0, 2
    factor = tl.cho_factor(a[..., :n, :n], lower)
    whole = tl.append(factor, b, d)
    some = tl.remove(whole, m // 3, 1)
    rows = np.delete(np.arange(m), m // 3)
    for c, expected in ((whole, a), (some, a[..., rows[:, None], rows])):
        t = np.tril(c[0]) if c[1] else np.triu(c[0])
        product = t @ adjoint(t) if lower else adjoint(t) @ t
        assert_small(ratio(expected - product, expected, dtype, m) / 10)
    with pytest.raises(LinAlgError):
        tl.append(factor, b, -d)
    with pytest.raises(ValueError):
        tl.remove(whole, m, 1)


@given(types, st.sampled_from([0, 1, 2, 5, 17, 70]), st.booleans(), batches)
def test_pivoted_cholesky(dtype, n, lower, batch):
    r = max(0, n - 2)
    x = random(batch + (n, r), dtype)
    a = x @ adjoint(x)
    c, p, rank = tl.pivoted_cholesky(a, lower)
    assert rank.shape == batch and p.shape == batch + (n,) and (rank <= r).all()
    product = c @ adjoint(c) if lower else adjoint(c) @ c
    rows, cols = p[..., :, None], p[..., None, :]
    permuted = np.take_along_axis(np.take_along_axis(a, rows, -2), cols, -1) if a.size else a
    assert_small(ratio(permuted - product, a, dtype, max(1, n)) / 10)
    if n and 0 not in batch:
        with pytest.raises(LinAlgError, match="semidefinite"):
            tl.pivoted_cholesky(a - 10 * n * np.eye(n, dtype=dtype))


@given(types, st.sampled_from([1, 2, 17, 60]), st.sampled_from([None, 2]),
       st.sampled_from([(), (3,), (2, 3)]), st.sampled_from([0, 1, 2]), st.booleans())
def test_refine(dtype, n, r, batch, trans, by_cholesky):
    a = (definite if by_cholesky else dominant)(batch + (n, n), dtype)
    b = random((n,) if r is None else batch + (n, r), dtype)
    factor = tl.cho_factor(a, True) if by_cholesky else tl.lu_factor(a)
    op = 0 if by_cholesky else trans
    rough = tl.solve(letters[op](a), b) * np.array(1.001, dtype)
    x, backward, forward = tl.refine(a, factor, b, rough, op)
    assert backward.shape == forward.shape == batch + (() if r is None else (r,))
    assert (backward <= 4 * np.finfo(dtype).eps).all()
    assert (forward >= 0).all() and (forward < 1).all()
    assert_solves(letters[op](a), x, b, dtype)


def test_refine_of_a_failed_matrix():
    a, x = dominant((3, 4, 4), np.float64), random((3, 4, 2), np.float64)
    b, ends = a @ x, np.zeros(3, np.int32)
    b[1, 0, 1] = np.nan
    better = tl.refine(a, tl.lu_factor(a), b, x, info=ends)
    assert ends[0] == ends[2] == 0 and ends[1] < 0
    for found in better:
        assert np.isnan(found[1]).all() and np.isfinite(found[[0, 2]]).all()


def test_refine_takes_the_factors_that_solves_take():
    a, b = definite((4, 4), np.float64), random((4,), np.float64)
    for lower in (1, 0, np.int64(1), True):
        assert_solves(a, tl.refine(a, tl.cho_factor(a, lower), b, b).x, b, np.float64)
    lu, piv = tl.lu_factor(a)
    assert_solves(a, tl.refine(a, (lu, list(piv)), b, b).x, b, np.float64)
    for wrong in (piv.astype(float), [0.7, 1.2, 2, 3]):
        with pytest.raises(TypeError, match="integers"):
            tl.refine(a, (lu, wrong), b, b)


@given(types, st.sampled_from([1, 2, 17, 60]), st.sampled_from([(), (3,)]),
       st.sampled_from([1, np.inf]), st.sampled_from([None, "pos"]))
def test_rcond(dtype, n, batch, ord, structure):
    a = (definite if structure else dominant)(batch + (n, n), dtype)
    exact = 1 / np.linalg.cond(np.asarray(a, np.result_type(dtype, np.float64)), ord)
    value = tl.rcond(a, ord, assume_a=structure)
    assert np.shape(value) == batch
    assert (value > 0.99 * exact).all() and (value < 10 * exact).all()


@given(types, st.sampled_from([1, np.inf]))
def test_rcond_where_the_norm_overflows(dtype, ord):
    unit = np.array([[1.5, 0], [1.5, 1]], dtype)
    large = unit * (np.finfo(dtype).max / 2)
    assert np.isfinite(large).all()
    values = tl.rcond(np.array([unit, large]), ord)
    assert values[0] > 0.1 and values[1] == pytest.approx(values[0], rel=1e-6)
    large = np.array([[1.5, 1], [1, 1.5]], dtype) * (np.finfo(dtype).max / 2)
    assert 0.1 < tl.rcond(large, assume_a="pos") < 0.3
    for bad in (np.nan, np.inf):
        assert np.isnan(tl.rcond([[bad, 0], [0, 1.0]], ord, check_finite=False))


@given(st.sampled_from(TYPES), st.sampled_from([1, 2, 17, 60]), shapes,
       st.sampled_from([None, "pos"]), st.booleans())
def test_solve_mixed(dtype, n, both, structure, equilibrate):
    batch, of_b = both
    a = (definite if structure else dominant)(batch + (n, n), dtype)
    b = random((n,) if of_b is None else of_b + (n, 2), dtype)
    x = tl.solve_mixed(a, b, assume_a=structure, equilibrate=equilibrate)
    assert x.dtype == np.result_type(dtype, np.float64)
    assert_solves(a, x, b, x.dtype)
    out = np.zeros_like(x)
    assert tl.solve_mixed(a, b, assume_a=structure, equilibrate=equilibrate, out=out) is out
    np.testing.assert_array_equal(out, x)


def test_threads_of_python():
    stacks = [definite((50, 12, 12), np.float64, seed) for seed in range(16)]
    alone = [tl.cholesky(a) for a in stacks]
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        for workers in (1, 2):
            for c, expected in zip(pool.map(lambda a: tl.cholesky(a, workers=workers), stacks), alone):
                np.testing.assert_array_equal(c, expected)


@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_fork_after_threads():
    a = definite((40, 60, 60), np.float64)
    expected = tl.cholesky(a, workers=2)
    child = os.fork()
    if child == 0:
        os._exit(0 if (tl.cholesky(a, workers=2) == expected).all() else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def test_examples():
    failed, tried = doctest.testmod(tl)
    assert tried > 50 and failed == 0


@pytest.mark.parametrize("name", ["cholesky", "cho_factor", "cho_solve", "lu_factor", "lu_solve",
                                  "inv", "det", "solve", "solve_triangular"])
def test_signatures_are_scipys(name):
    pytest.importorskip("scipy", minversion="1.17")
    scipy_linalg = pytest.importorskip("scipy.linalg")
    theirs = inspect.signature(getattr(scipy_linalg, name)).parameters.values()
    ours = inspect.signature(getattr(tl, name)).parameters
    for i, p in enumerate(theirs):
        if p.kind is p.VAR_KEYWORD or p.kind is p.VAR_POSITIONAL:
            continue
        assert p.name in ours and ours[p.name].default == p.default, p.name
        if p.kind is p.POSITIONAL_OR_KEYWORD:
            assert list(ours)[i] == p.name


def test_the_wheel_has_the_license():
    """Of a module from trifac's own build there is no wheel."""
    try:
        files = importlib.metadata.files("trifac")
    except importlib.metadata.PackageNotFoundError:
        pytest.skip("not installed by pip")
    text = next(file for file in files if file.name == "LICENSE").read_text()
    assert "Redistributions in binary form" in text
