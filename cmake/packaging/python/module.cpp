// trifac.linalg's calls in C++: for each a call of trifac on batches or, of a single matrix, on
// one. Without Python's lock. linalg.py has the public functions, checks and messages.

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "stacks.hpp"
#include "trifac/solve_mixed.hpp"

namespace trifac::python {
namespace {

using backend::threads;
using maybe_info = std::optional<int32s>;
using maybe_pivots = std::optional<const_int32s>;

/// The other triangle := 0.
template <class T>
void clear_other(const batch_view<T>& A, triangle part) {
  const bool by_rows = A.strides().col_stride == 1;
  const bool below = (part == triangle::upper) == by_rows;  // of what lies contiguously
  const batch_view<T> lines = by_rows ? A.transposed() : A;
  for (index_t b = 0; b < A.batch(); ++b) {
    const matrix_view<T> X = lines[b];
    for (index_t j = 0; j < X.cols(); ++j)
      below ? std::fill_n(&X(0, j), j, T()) : std::fill_n(&X(0, j) + j + 1, X.rows() - j - 1, T());
  }
}

/// A := L or U, in the triangle `uplo`; the other one is 0 where `clear`, else as it was.
failure cholesky(const stack& a, const maybe_info& info, char uplo, bool clear, int workers) {
  return with_type(a.dtype(), [&]<class T>(T) {
    const batch_view<T> A = matrices<T>(a);
    const outcomes ends(info, A.batch());
    const threads on{.threads = workers};
    const triangle part = part_of(uplo);
    if (A.batch() == 1)
      ends.set(0, try_cholesky(on, A[0], {.part = part}).status());
    else
      require(try_cholesky(on, A, {.part = part, .info = ends.info()}).status());
    if (clear && !A.empty()) clear_other(A, part);
    return ends.mark_failed(A);
  });
}

/// The same of A + shifts[b]·I for matrix b, the first of the series that suffices.
failure cholesky_with_jitter(const stack& a, const numbers& shifts, const maybe_info& info,
                             char uplo, bool clear, double first, int workers) {
  return with_type(a.dtype(), [&]<class T>(T) {
    const batch_view<T> A = matrices<T>(a);
    const auto added = values<real_t<T>>(shifts, A.batch());
    const outcomes ends(info, A.batch());
    const threads on{.threads = workers};
    const double n = static_cast<double>(A.rows());
    for_each_matrix<T>(on, ends, A.rows(), n * n * n, [&](index_t b) {
      const auto f = try_cholesky(on, A[b], {.part = part_of(uplo), .jitter = {.first = first}});
      added[static_cast<std::size_t>(b)] = f.shift();
      return f.status();
    });
    if (clear && !A.empty()) clear_other(A, part_of(uplo));
    return ends.mark_failed(A);
  });
}

/// A := L\U; piv: the interchanges of each matrix, one after another, counted from 0.
failure lu(const stack& a, const int32s& piv, const maybe_info& info, int workers) {
  return with_type(a.dtype(), [&]<class T>(T) {
    const batch_view<T> A = matrices<T>(a);
    const index_t steps = std::min(A.rows(), A.cols());
    const outcomes ends(info, A.batch());
    const threads on{.threads = workers};
    std::int32_t* to = piv.data();
    if (static_cast<index_t>(piv.size()) != A.batch() * steps)
      throw std::invalid_argument("piv must have a number for each step");
    const auto store = [&](const auto& p) {
      for (index_t k = 0; k < steps; ++k) *to++ = static_cast<std::int32_t>(p[k]);
    };
    if (A.batch() == 1) {
      const auto f = try_lu(on, A[0]);
      ends.set(0, f.status());
      store(f.interchanges());
    } else {
      const auto f = try_lu(on, A, {.info = ends.info()});
      require(f.status());
      for (index_t b = 0; b < A.batch() && steps > 0; ++b) store(f.interchanges(b));
    }
    return ends.first();
  });
}

/// X := A⁻¹·X in one pass; A: as many matrices, or one for all. uplo 'G': LU.
failure factor_solve(const stack& a, const stack& x, const maybe_info& info, char uplo,
                     int workers) {
  return with_type(a.dtype(), [&]<class T>(T) {
    const batch_view<T> A = matrices<T>(a), X = matrices<T>(x);
    const outcomes ends(info, A.batch());
    const threads on{.threads = workers};
    const triangle part = part_of(uplo);
    if (A.batch() == 1 && X.batch() == 1)
      ends.set(0, uplo == 'G' ? try_lu_solve(on, A[0], X[0])
                              : try_cholesky_solve(on, A[0], X[0], {.part = part}));
    else if (uplo == 'G')
      require(try_lu_solve(on, A, X, {.info = ends.info()}).status());
    else
      require(try_cholesky_solve(on, A, X, {.part = part, .info = ends.info()}).status());
    return ends.mark_failed(X);
  });
}

/// X := op(A)⁻¹·X with factors: LU where there are interchanges, else Cholesky.
void solve(const const_stack& f, const maybe_pivots& piv, const stack& x, char uplo, char trans,
           int workers) {
  with_type(f.dtype(), [&]<class T>(T) {
    const batch_view<const T> F = matrices<T>(f);
    const batch_view<T> X = matrices<T>(x);
    const threads on{.threads = workers};
    const operation op = operation_of(trans);
    const auto solve_with = [&](const auto& factor) { require(try_solve(on, factor, X, op)); };
    const auto solve_one = [&](const auto& factor) { require(try_solve(on, factor, X[0], op)); };
    const bool one = F.batch() == 1 && X.batch() == 1;
    if (!piv && one)
      solve_one(cholesky_factor<T>(F[0], part_of(uplo), {}));
    else if (!piv)
      solve_with(batch_cholesky_factor<T>(F, part_of(uplo), all_factored(F.batch())));
    else if (const interchanges rows(*piv, F.batch(), F.rows()); one)
      solve_one(lu_factor<T>(F[0], rows[0], {}));
    else
      solve_with(
          batch_lu_factor<T>(F, pivoting::partial, rows.of_batch(), all_factored(F.batch())));
  });
}

/// X := op(A)⁻¹·X with triangles; X of one with a zero, an infinity or NaN on its diagonal is NaN.
failure solve_triangle(const const_stack& a, const stack& x, const maybe_info& info, char uplo,
                       bool unit, char trans, int workers) {
  return with_type(a.dtype(), [&]<class T>(T) {
    const batch_view<const T> A = matrices<T>(a);
    const batch_view<T> X = matrices<T>(x);
    const outcomes ends(info, A.batch());
    const threads on{.threads = workers};
    const operation op = operation_of(trans);
    const diagonal diag = unit ? diagonal::unit : diagonal::non_unit;
    detail::int32_buffer zeros({}, A.batch());  // the first on the diagonal, + 1
    for (index_t b = 0; b < A.batch() && !unit; ++b)
      for (index_t k = A.rows(); k-- > 0;)
        if (A(b, k, k) == T()) zeros.span()[static_cast<std::size_t>(b)] = std::int32_t(k + 1);
    std::ranges::copy(zeros.span(), ends.info().begin());
    for (index_t b = 0; b < A.batch() && !unit; ++b)
      for (index_t k = A.rows(); k-- > 0 && zeros.span()[static_cast<std::size_t>(b)] == 0;)
        if (!detail::is_finite(A(b, k, k)))
          ends.info()[static_cast<std::size_t>(b)] = -std::int32_t(k + 1);
    if (A.batch() == 1 && X.batch() == 1) {
      require(try_solve(on, triangular_view<T>(A[0], part_of(uplo), diag), X[0], op));
    } else {
      const batch_outcome outcome({}, std::move(zeros), status_kind::singular);
      require(
          try_solve(on, batch_triangular_view<T>(A, false, part_of(uplo), diag, outcome), X, op));
    }
    return ends.mark_failed(X);
  });
}

/// A := A⁻¹, by LU ('G') or from one triangle by Cholesky.
failure inverse(const stack& a, const maybe_info& info, char uplo, int workers) {
  return with_type(a.dtype(), [&]<class T>(T) {
    const batch_view<T> A = matrices<T>(a);
    const outcomes ends(info, A.batch());
    const threads on{.threads = workers};
    const auto invert = [&](const auto& f) {  // of one, or of all
      require(f.status());
      if constexpr (requires { f.info(); }) {
        const batch_outcome done = try_inverse(on, f, A);
        require(done.status());
        std::ranges::copy(done.info(), ends.info().begin());
      } else {
        ends.set(0, f.ok() ? try_inverse(on, f, A[0]) : f.status());
      }
    };
    if (uplo == 'G') {
      A.batch() == 1 ? invert(try_lu(on, A[0])) : invert(try_lu(on, A));
    } else {
      const triangle part = part_of(uplo);
      A.batch() == 1 ? invert(try_cholesky(on, A[0], {.part = part}))
                     : invert(try_cholesky(on, A, {.part = part}));
      for (index_t b = 0; b < A.batch(); ++b) detail::mirror(A[b], part);
    }
    return ends.mark_failed(A);
  });
}

/// det A = signs·exp(logs); without logs signs = det A. A is overwritten.
void determinant(const stack& a, const numbers& signs, const std::optional<numbers>& logs,
                 int workers) {
  with_type(a.dtype(), [&]<class T>(T) {
    using R = real_t<T>;
    const batch_view<T> A = matrices<T>(a);
    const auto sign = values<T>(signs, A.batch());
    const auto log = logs ? values<R>(*logs, A.batch()) : std::span<R>();
    const R nan = std::numeric_limits<R>::quiet_NaN();
    const threads on{.threads = workers};
    const auto set = [&](index_t b, const auto& f) {
      const auto k = static_cast<std::size_t>(b);
      if (log.empty() && try_determinant(f, sign[k])) return;
      signed_logarithm<T> d{T(nan), nan};  // of a matrix that is not finite
      static_cast<void>(try_log_determinant(f, d));
      sign[k] = log.empty() ? d.sign * std::exp(d.log_abs) : d.sign;  // too large for a T
      if (!log.empty()) log[k] = d.log_abs;
    };
    if (A.batch() == 1) {
      const auto f = try_lu(on, A[0]);
      require(f.status());
      set(0, f);
    } else {
      const auto f = try_lu(on, A);
      require(f.status());
      for (index_t b = 0; b < A.batch(); ++b) set(b, f[b]);
    }
  });
}

/// The factors of A become those of A + X·Xᴴ, or A − X·Xᴴ.
failure update(const stack& c, const const_stack& x, const maybe_info& info, char uplo, bool down,
               int workers) {
  return with_type(c.dtype(), [&]<class T>(T) {
    const batch_view<T> C = matrices<T>(c);
    const batch_view<const T> X = matrices<T>(x);
    const outcomes ends(info, C.batch());
    const threads on{.threads = workers};
    const triangle part = part_of(uplo);
    const double n = static_cast<double>(C.rows()), k = static_cast<double>(X.cols());
    if (X.batch() != C.batch()) throw std::invalid_argument("x must be as many as the factors");
    for_each_matrix<T>(on, ends, C.rows(), 2 * n * n * k, [&](index_t b) {
      cholesky_factor<T> f(C[b], part, {});
      return down ? try_downdate(on, f, X[b]) : try_update(on, f, X[b]);
    });
    return ends.mark_failed(C);
  });
}

/// The factors of A in the leading blocks become those of [A B; Bᴴ D].
failure append(const stack& c, const const_stack& b, const const_stack& d, const maybe_info& info,
               char uplo, int workers) {
  return with_type(c.dtype(), [&]<class T>(T) {
    const batch_view<T> C = matrices<T>(c);
    const batch_view<const T> B = matrices<T>(b), D = matrices<T>(d);
    const outcomes ends(info, C.batch());
    const threads on{.threads = workers};
    const index_t n = B.rows();
    if (B.batch() != C.batch() || D.batch() != C.batch() || C.rows() != n + B.cols())
      throw std::invalid_argument("b and d do not fit the factors");
    const double m = static_cast<double>(n);
    for_each_matrix<T>(on, ends, C.rows(), m * m * static_cast<double>(B.cols()), [&](index_t k) {
      cholesky_factor<T> f(C[k].block(0, 0, n, n), part_of(uplo), {});
      return try_append_in(on, f, C[k], B[k], D[k]);
    });
    return ends.mark_failed(C);
  });
}

/// The leading blocks of C become the factors of A without rows and columns first … first+count−1.
failure remove_rows(const stack& c, index_t first, index_t count, const maybe_info& info, char uplo,
                    int workers) {
  return with_type(c.dtype(), [&]<class T>(T) {
    const batch_view<T> C = matrices<T>(c);
    const outcomes ends(info, C.batch());
    const threads on{.threads = workers};
    const double m = static_cast<double>(C.rows() - first);
    for_each_matrix<T>(on, ends, C.rows(), 2 * m * m * static_cast<double>(count), [&](index_t b) {
      cholesky_factor<T> f(C[b], part_of(uplo), {});
      return try_remove(on, f, first, count);
    });
    return ends.mark_failed(C);
  });
}

/// A := L with Pᵀ·A·P = L·Lᴴ, its columns from rank on 0.
failure pivoted_cholesky(const stack& a, const index_array& permutations, const index_array& ranks,
                         const maybe_info& info, char uplo, double tolerance, int workers) {
  return with_type(a.dtype(), [&]<class T>(T) {
    const batch_view<T> A = matrices<T>(a);
    const index_t n = A.rows();
    const outcomes ends(info, A.batch());
    const threads on{.threads = workers};
    const triangle part = part_of(uplo);
    const double order = static_cast<double>(n);
    if (static_cast<index_t>(permutations.size()) != A.batch() * n ||
        static_cast<index_t>(ranks.size()) != A.batch())
      throw std::invalid_argument("permutations or ranks do not fit");
    for_each_matrix<T>(on, ends, n, order * order * order / 3, [&](index_t b) {
      const auto f = try_pivoted_cholesky(
          on, A[b], {.part = part, .tolerance = static_cast<real_t<T>>(tolerance)});
      if (!f.status().of_the_matrix()) return f.status();
      std::ranges::copy(f.permutation(), permutations.data() + b * n);
      ranks.data()[b] = f.rank();
      const index_t rest = n - f.rank();
      const matrix_view<T> tail = A[b].block(f.rank(), f.rank(), rest, rest);
      for (index_t j = 0; j < rest; ++j)
        for (index_t i = 0; i < rest; ++i) tail(i, j) = T();
      return f.status();
    });
    if (!A.empty()) clear_other(A, part);
    return ends.mark_failed(A);
  });
}

/// X, a solution of op(A)·X = B, is refined; backward and forward: real, batch × 1 × columns.
failure refine(const const_stack& a, const const_stack& f, const maybe_pivots& piv,
               const const_stack& b, const stack& x, const stack& backward, const stack& forward,
               const maybe_info& info, char uplo, char trans, int workers) {
  return with_type(a.dtype(), [&]<class T>(T) {
    const batch_view<const T> A = matrices<T>(a), F = matrices<T>(f), B = matrices<T>(b);
    const batch_view<T> X = matrices<T>(x);
    const batch_view<real_t<T>> to_backward = matrices<real_t<T>>(backward),
                                to_forward = matrices<real_t<T>>(forward);
    const outcomes ends(info, X.batch());
    const threads on{.threads = workers};
    const double n = static_cast<double>(X.rows()), r = static_cast<double>(X.cols());
    std::optional<interchanges> rows;
    if (piv) rows.emplace(*piv, F.batch(), F.rows());
    for_each_matrix<T>(on, ends, X.rows(), 30 * n * n * r, [&](index_t k) {
      const auto refined = [&](const auto& factor) {
        const auto result = try_refine(on, A[k], factor, B[k], X[k], operation_of(trans));
        for (index_t j = 0; j < X.cols() && result.ok(); ++j) {
          to_backward(k, 0, j) = result.backward_errors[static_cast<std::size_t>(j)];
          to_forward(k, 0, j) = result.forward_bounds[static_cast<std::size_t>(j)];
        }
        return result.status();
      };
      return rows ? refined(lu_factor<T>(F[k], (*rows)[k], {}))
                  : refined(cholesky_factor<T>(F[k], part_of(uplo), {}));
    });
    return ends.mark_failed(X);
  });
}

/// results[b] := 1 / (‖A‖·‖A⁻¹‖); A is overwritten. kind: '1' or 'I'; uplo as for inverse().
failure reciprocal_condition(const stack& a, const numbers& results, const maybe_info& info,
                             char kind, char uplo, int workers) {
  return with_type(a.dtype(), [&]<class T>(T) {
    using R = real_t<T>;
    const batch_view<T> A = matrices<T>(a);
    const auto to = values<R>(results, A.batch());
    const outcomes ends(info, A.batch());
    const threads on{.threads = workers};
    const double n = static_cast<double>(A.rows());
    const norm_kind which = kind == '1' ? norm_kind::one : norm_kind::infinity;
    const auto estimate = [&](const auto& f, R norm_of_A, R& value) {
      if (!f.status().completed()) return f.status();
      return try_reciprocal_condition(on, f, norm_of_A, which, value);
    };
    const auto norm_of = [&](const matrix_view<T>& M) {
      return uplo == 'G' ? norm(M, which) : norm(M, part_of(uplo));
    };
    for_each_matrix<T>(on, ends, A.rows(), n * n * n, [&](index_t b) {
      R& value = to[static_cast<std::size_t>(b)] = std::numeric_limits<R>::quiet_NaN();
      R size = norm_of(A[b]);
      if (!detail::is_finite(size)) {  // the sum of a column overflows: that of A / 2ᵏ does not
        const R smaller = std::ldexp(
            R(1), -1 - static_cast<int>(std::bit_width(static_cast<std::size_t>(A.rows()))));
        for (index_t i = 0; i < A.rows(); ++i)
          for (index_t j = 0; j < A.cols(); ++j) A(b, i, j) *= smaller;
        size = norm_of(A[b]);
      }
      return uplo == 'G' ? estimate(try_lu(on, A[b]), size, value)
                         : estimate(try_cholesky(on, A[b], {.part = part_of(uplo)}), size, value);
    });
    return ends.first();
  });
}

/// X := A⁻¹·B, factored in single, refined to double precision.
failure solve_mixed(const const_stack& a, const const_stack& b, const stack& x,
                    const maybe_info& info, char uplo, bool equilibrate, int workers) {
  return with_type(a.dtype(), [&]<class T>(T) -> failure {
    if constexpr (sizeof(real_t<T>) == sizeof(float)) {
      throw nb::type_error("solve_mixed is for float64 and complex128");
    } else {
      const batch_view<const T> A = matrices<T>(a), B = matrices<T>(b);
      const batch_view<T> X = matrices<T>(x);
      const outcomes ends(info, X.batch());
      const threads on{.threads = workers};
      const double n = static_cast<double>(X.rows());
      if (A.batch() != X.batch() || B.batch() != X.batch())
        throw std::invalid_argument("a, b and x must be as many");
      for_each_matrix<T>(on, ends, X.rows(), n * n * n, [&](index_t k) {
        return try_solve_mixed(on, A[k], B[k], X[k],
                               {.factor = uplo == 'G' ? factorization::lu : factorization::cholesky,
                                .part = part_of(uplo),
                                .equilibrate = equilibrate})
            .status();
      });
      return ends.mark_failed(X);
    }
  });
}

/// Whether all elements are finite, of an array without gaps.
bool all_finite(const const_stack& a) {
  return with_type(a.dtype(), [&]<class T>(T) {
    const auto size = static_cast<index_t>(a.size());
    return detail::all_finite(
        matrix_view<const T>(static_cast<const T*>(a.data()), size, 1, 1, size));
  });
}

}  // namespace
}  // namespace trifac::python

NB_MODULE(_linalg, m) {
  using namespace trifac::python;
  const auto without_lock = nb::call_guard<nb::gil_scoped_release>();
  m.def("cholesky", &cholesky, without_lock);
  m.def("cholesky_with_jitter", &cholesky_with_jitter, without_lock);
  m.def("lu", &lu, without_lock);
  m.def("factor_solve", &factor_solve, without_lock);
  m.def("solve", &solve, without_lock);
  m.def("solve_triangle", &solve_triangle, without_lock);
  m.def("inverse", &inverse, without_lock);
  m.def("determinant", &determinant, without_lock);
  m.def("update", &update, without_lock);
  m.def("append", &append, without_lock);
  m.def("remove_rows", &remove_rows, without_lock);
  m.def("pivoted_cholesky", &pivoted_cholesky, without_lock);
  m.def("refine", &refine, without_lock);
  m.def("reciprocal_condition", &reciprocal_condition, without_lock);
  m.def("solve_mixed", &solve_mixed, without_lock);
  m.def("all_finite", &all_finite, without_lock);
}
