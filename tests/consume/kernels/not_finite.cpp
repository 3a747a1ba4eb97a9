// Every public call on numbers that are not finite, in a program whose flags are its own: NaN and
// both infinities end with a status or in the result. Prints what does not, and exits with 1 then.
//
// Whether a result is finite its bits tell: no flag changes that test.

#include <bit>
#include <complex>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "trifac/batch.hpp"
#include "trifac/equilibration.hpp"
#include "trifac/solve_mixed.hpp"
#include "trifac/trifac.hpp"

namespace {

using namespace trifac;

int wrong = 0;

/// What `what` was asked, of order n with the bad element (i, j).
struct place {
  const char* what;
  index_t n, i, j;
};
void expect(bool right, const char* call, const place& at) {
  if (right) return;
  if (++wrong <= 40)
    std::printf("WRONG: %s with %s, n = %d, (%d, %d)\n", call, at.what, static_cast<int>(at.n),
                static_cast<int>(at.i), static_cast<int>(at.j));
}

bool has_finite_bits(double x) {
  return (std::bit_cast<std::uint64_t>(x) >> 52 & 0x7ff) != 0x7ff;
}
[[maybe_unused]] bool has_finite_bits(float x) {
  return (std::bit_cast<std::uint32_t>(x) >> 23 & 0xff) != 0xff;
}
template <class R>
bool has_finite_bits(const std::complex<R>& x) {
  return has_finite_bits(x.real()) && has_finite_bits(x.imag());
}
template <class M>
bool all_finite_bits(const M& A) {
  for (index_t j = 0; j < A.cols(); ++j)
    for (index_t i = 0; i < A.rows(); ++i)
      if (!has_finite_bits(A(i, j))) return false;
  return true;
}

bool is_not_finite(const status& s) {
  return s.kind() == status_kind::not_finite;
}

template <class T>
struct bad_number {
  const char* name;
  T value;
};
template <class T>
std::vector<bad_number<T>> bad_numbers() {
  using R = real_t<T>;
  using bits = std::conditional_t<sizeof(R) == 8, std::uint64_t, std::uint32_t>;
  constexpr int mantissa = std::numeric_limits<R>::digits - 1;
  const bits infinite = (bits{1} << (8 * sizeof(R) - 1 - mantissa)) - 1;
  const R infinity = std::bit_cast<R>(static_cast<bits>(infinite << mantissa)),
          nan = std::bit_cast<R>(
              static_cast<bits>((infinite << mantissa) | bits{1} << (mantissa - 1)));
  std::vector<bad_number<T>> all = {{"NaN", T(nan)}, {"Inf", T(infinity)}, {"-Inf", T(-infinity)}};
  if constexpr (is_complex<T>) {
    all.push_back({"i NaN", T(R(1), nan)});
    all.push_back({"i Inf", T(R(1), infinity)});
  }
  return all;
}

/// Hermitian, diagonally dominant.
template <class T>
matrix<T> good_matrix(index_t n) {
  matrix<T> A(n, n);
  for (index_t j = 0; j < n; ++j)
    for (index_t i = 0; i < n; ++i)
      A(i, j) = T(static_cast<real_t<T>>(i == j ? 4 * n : 1 + (i + j) % 3));
  return A;
}
template <class T>
matrix<T> good_sides(index_t n, index_t r) {
  matrix<T> B(n, r);
  for (index_t j = 0; j < r; ++j)
    for (index_t i = 0; i < n; ++i) B(i, j) = T(static_cast<real_t<T>>(1 + i % 2 + j));
  return B;
}
/// With x in (i, j), and in (j, i).
template <class T>
matrix<T> spoiled(index_t n, index_t i, index_t j, const T& x) {
  auto A = good_matrix<T>(n);
  A(i, j) = A(j, i) = x;
  return A;
}

// ——— one matrix ———

/// i ≥ j; the diagonal of a Hermitian matrix is real.
template <class T>
void one_matrix(const bad_number<T>& bad, index_t n, index_t i, index_t j) {
  using R = real_t<T>;
  const place at{bad.name, n, i, j};
  const T x = bad.value;
  const bool hermitian = i != j || !has_finite_bits(detail::real_part(x));
  const auto A = spoiled(n, i, j, x), B = good_sides<T>(n, 2);

  for (const norm_kind kind : {norm_kind::one, norm_kind::infinity})
    expect(!has_finite_bits(norm(A, kind)), "norm", at);
  auto equilibrated = equilibration(A);
  expect(is_not_finite(equilibrated.status()), "equilibration", at);

  for (const pivoting how : {pivoting::partial, pivoting::tournament, pivoting::none}) {
    auto C = A;
    const auto f = try_lu(C, {.pivoting = how});
    expect(is_not_finite(f.status()), "lu", at);
    expect(!f.status().completed(), "completed() of lu", at);
    auto X = B;
    expect(!try_solve(f, X).ok() && all_finite_bits(X), "solve with that lu", at);
  }
  {
    auto C = A, X = B;
    expect(is_not_finite(try_lu_solve(C, X)), "lu_solve", at);
  }
  {
    auto C = good_matrix<T>(n);
    const auto f = try_lu(C);
    auto X = B;
    expect(!try_refine(A, f, B, X).ok(), "refine with a bad A", at);
  }
  if (!hermitian) return;
  for (const triangle part : {triangle::lower, triangle::upper}) {
    expect(!has_finite_bits(norm(A, part)), "norm of a triangle", at);
    auto C = A;
    const auto f = try_cholesky(C, {.part = part});
    expect(is_not_finite(f.status()), "cholesky", at);
    auto X = B;
    expect(!try_solve(f, X).ok() && all_finite_bits(X), "solve with that cholesky", at);
    matrix<T> L(n, n);
    expect(is_not_finite(try_cholesky(A, L, {.part = part}).status()), "cholesky out of place", at);
    C = A;
    expect(!try_cholesky(C, {.part = part, .jitter = {.first = 1e-10, .tries = 20}}).ok(),
           "cholesky with jitter", at);
    C = A;
    expect(is_not_finite(try_pivoted_cholesky(C, {.part = part}).status()), "pivoted_cholesky", at);
    C = A;
    expect(is_not_finite(try_modified_cholesky(C, {.part = part}).status()), "modified_cholesky",
           at);
    C = A;
    expect(is_not_finite(try_cholesky_solve(C, X, {.part = part})), "cholesky_solve", at);
  }
  const auto low_rank = try_low_rank_cholesky<T>(
      n, [&](index_t k) { return detail::real_part(A(k, k)); },
      [&](index_t k, std::span<T> a) {
        for (index_t row = 0; row < n; ++row) a[detail::as_size(row)] = A(row, k);
      },
      {.rank = n});
  expect(is_not_finite(low_rank.status()), "low_rank_cholesky", at);
  if (i == j) expect(is_not_finite(equilibration_of_definite(A).status()), "equilibration", at);

  // Factors that the caller has.
  auto L = good_matrix<T>(n);
  for (index_t k = 0; k < n; ++k) L(k, k) = T(R(1));
  L(i, i) = x;
  expect(is_not_finite(factored_cholesky(L).status()), "factored_cholesky", at);
  const std::vector<int> ipiv(detail::as_size(n), static_cast<int>(n));
  expect(is_not_finite(factored_lu(L, ipiv).status()), "factored_lu", at);
  for (const index_t r : {1, 3, 20}) {
    auto X = good_sides<T>(n, r);
    expect(is_not_finite(try_solve(triangular_view<T>(L.view(), triangle::lower), X)),
           "triangular solve", at);
  }
}

/// What is solved with, or appended and added to a good factor.
template <class T>
void right_hand_sides(const bad_number<T>& bad, index_t n, index_t i, index_t r) {
  using R = real_t<T>;
  const place at{bad.name, n, i, r - 1};
  auto S = good_matrix<T>(n), A = good_matrix<T>(n);
  const auto original = good_matrix<T>(n);
  auto f = try_cholesky(S);
  const auto g = try_lu(A);
  expect(f.ok() && g.ok(), "factors of a good matrix", at);
  auto B = good_sides<T>(n, r);
  B(i, r - 1) = bad.value;

  const auto spoils = [&](const char* name, auto&& call) {
    auto X = B;
    const status s = call(X);
    expect(!s.ok() || !all_finite_bits(X), name, at);
  };
  spoils("solve with cholesky", [&](auto& X) { return try_solve(f, X); });
  spoils("solve with lu", [&](auto& X) { return try_solve(g, X, operation::adjoint); });
  spoils("triangular solve", [&](auto& X) { return try_solve(f.L(), X); });
  spoils("cholesky_solve", [&](auto& X) {
    auto C = original;
    return try_cholesky_solve(C, X);
  });
  spoils("lu_solve", [&](auto& X) {
    auto C = original;
    return try_lu_solve(C, X);
  });
  auto X = good_sides<T>(n, r);
  expect(is_not_finite(try_refine(original, f, B, X).status()), "refine, cholesky", at);
  X = good_sides<T>(n, r);
  expect(is_not_finite(try_refine(original, g, B, X).status()), "refine, lu", at);
  X = B;
  expect(is_not_finite(try_refine(original, g, good_sides<T>(n, r), X).status()),
         "refine of a bad X", at);

  auto C = good_matrix<T>(r);
  if (i == n - 1 && r <= n) {
    expect(is_not_finite(try_append(f, B, C)), "append of a bad B", at);
    C(r - 1, r - 1) = bad.value;
    if (!has_finite_bits(detail::real_part(bad.value)))
      expect(is_not_finite(try_append(f, good_sides<T>(n, r), C)), "append of a bad C", at);
  }
  expect(is_not_finite(try_update(f, B)), "update", at);
  expect(is_not_finite(try_downdate(f, B)), "downdate", at);
  if constexpr (!is_complex<T>) {
    R value = R(7);
    for (const norm_kind kind : {norm_kind::one, norm_kind::infinity})
      expect(try_reciprocal_condition(g, bad.value, kind, value).kind() ==
                     status_kind::invalid_argument &&
                 value == R(7),
             "reciprocal_condition with a bad norm", at);
  }
}

template <class T>
void mixed(const bad_number<T>& bad, index_t n, index_t i, index_t j) {
  const place at{bad.name, n, i, j};
  if constexpr (std::is_same_v<real_t<T>, double>)
    for (const bool equilibrate : {false, true}) {
      const auto A = good_matrix<T>(n), B = good_sides<T>(n, 2);
      auto X = B, bad_B = B;
      expect(!try_solve_mixed(spoiled(n, i, j, bad.value), B, X, {.equilibrate = equilibrate}).ok(),
             "solve_mixed with a bad A", at);
      bad_B(i, 1) = bad.value;
      expect(!try_solve_mixed(A, bad_B, X, {.equilibrate = equilibrate}).ok(),
             "solve_mixed with a bad B", at);
      expect(try_solve_mixed(A, B, X, {.equilibrate = equilibrate}).backward_error < 1e-15,
             "solve_mixed of a good system", at);
    }
}

// ——— sizes known at compile time ———

template <class T, index_t n>
void fixed_size(const bad_number<T>& bad) {
  for (index_t j = 0; j < n; ++j)
    for (index_t i = j; i < n; ++i) {
      const place at{bad.name, n, i, j};
      matrix<T, n, n> A;
      matrix<T, n, 1> b;
      for (index_t c = 0; c < n; ++c) {
        b(c, 0) = T(1);
        for (index_t r = 0; r < n; ++r) A(r, c) = good_matrix<T>(n)(r, c);
      }
      const auto good = A;
      A(i, j) = A(j, i) = bad.value;
      auto C = A;
      auto x = b;
      const auto f = try_lu(C);
      expect(is_not_finite(f.status()), "lu of a fixed size", at);
      expect(!try_solve(f, x).ok() && all_finite_bits(x), "solve of a fixed size", at);
      C = A;
      expect(is_not_finite(try_lu_solve(C, x)), "lu_solve of a fixed size", at);
      if (i != j || !has_finite_bits(detail::real_part(bad.value))) {
        C = A;
        expect(is_not_finite(try_cholesky(C).status()), "cholesky of a fixed size", at);
        C = A;
        expect(is_not_finite(try_cholesky_solve(C, x)), "cholesky_solve of a fixed size", at);
      }
      C = good;
      auto whole = try_cholesky(C);
      expect(whole.ok(), "cholesky of a good matrix", at);
      x = b;
      x(i, 0) = bad.value;
      expect(is_not_finite(try_update(whole, x)), "update of a fixed size", at);
      expect(!try_solve(whole, x).ok() || !all_finite_bits(x), "solve with a bad side", at);
    }
}

// ——— batches ———

template <class T>
void batches(const bad_number<T>& bad, index_t n, index_t i, index_t j,
             const batch_layout& layout) {
  using R = real_t<T>;
  const place at{bad.name, n, i, j};
  constexpr index_t count = 19, victim = 13;
  const auto fill = [&](batch<T>& A, index_t cols, const auto& from) {
    for (index_t b = 0; b < count; ++b)
      for (index_t c = 0; c < cols; ++c)
        for (index_t r = 0; r < n; ++r) A(b, r, c) = from(r, c);
  };
  const auto with_bad = [&] {
    batch<T> A(count, n, n, layout);
    fill(A, n, good_matrix<T>(n));
    A(victim, i, j) = A(victim, j, i) = bad.value;
    return A;
  };
  const auto sides = [&](index_t r) {
    batch<T> X(count, n, r, layout);
    fill(X, r, good_sides<T>(n, r));
    return X;
  };
  const auto only_victim = [&](const batch_outcome& s, const char* call) {
    expect(s.failed_count() == 1 && is_not_finite(s.status(victim)), call, at);
  };
  const bool hermitian = i != j || !has_finite_bits(detail::real_part(bad.value));
  for (const float_model floats : {float_model::ieee, float_model::fast}) {
    if (!hermitian) break;
    for (const triangle part : {triangle::lower, triangle::upper}) {
      auto A = with_bad();
      only_victim(try_cholesky(A, {.part = part, .floats = floats}), "cholesky of a batch");
      A = with_bad();
      auto X = sides(1);
      only_victim(try_cholesky_solve(A, X, {.part = part, .floats = floats}),
                  "cholesky_solve of a batch");
    }
  }
  for (const pivoting how : {pivoting::partial, pivoting::none}) {
    auto A = with_bad();
    only_victim(try_lu(A, {.pivoting = how}), "lu of a batch");
    A = with_bad();
    auto X = sides(2);
    only_victim(try_lu_solve(A, X, {.pivoting = how}), "lu_solve of a batch");
  }

  batch<T> S(count, n, n, layout), A(count, n, n, layout);
  fill(S, n, good_matrix<T>(n));
  fill(A, n, good_matrix<T>(n));
  auto f = try_cholesky(S);
  const auto g = try_lu(A);
  expect(f.ok() && g.ok(), "factors of a good batch", at);
  auto X = sides(1);
  X(victim, i, 0) = bad.value;
  only_victim(try_update(f, X), "update of a batch");
  const auto spoils_victim = [&](const auto& factor, const char* call) {
    auto Y = sides(1);
    Y(victim, i, 0) = bad.value;
    static_cast<void>(try_solve(factor, Y));
    for (index_t b = 0; b < count; ++b) {
      bool finite = true;
      for (index_t r = 0; r < n; ++r) finite = finite && has_finite_bits(Y(b, r, 0));
      expect(finite == (b != victim), call, at);
    }
  };
  spoils_victim(f, "solve with a batch, cholesky");
  spoils_victim(g, "solve with a batch, lu");
  if constexpr (!is_complex<T>) {
    std::vector<R> norms(count, R(1)), values(count, R(7));
    norms[victim] = bad.value;
    const auto s = try_reciprocal_condition(g, std::span<const R>(norms), norm_kind::one,
                                            std::span<R>(values));
    expect(s.status().kind() == status_kind::invalid_argument && values[0] == R(7),
           "reciprocal_condition of a batch", at);
  }
}

// ——— results and options that are not finite ———

template <class T>
void overflow() {
  using R = real_t<T>;
  const R huge = std::numeric_limits<R>::max() / R(4), tiny = R(1) / huge;
  const auto diagonal_of = [](index_t n, const R& d) {
    matrix<T> A(n, n);
    for (index_t k = 0; k < n; ++k) A(k, k) = T(d);
    return A;
  };
  for (const index_t n : {5, 40}) {
    const place at{"what overflows", n, 0, 0};
    auto A = diagonal_of(n, huge), S = A;
    const auto f = try_lu(A);
    const auto g = try_cholesky(S);
    T det(7);
    R det_of_definite(7);
    expect(is_not_finite(try_determinant(f, det)) && det == T(7), "determinant", at);
    expect(is_not_finite(try_determinant(g, det_of_definite)) && det_of_definite == R(7),
           "determinant", at);
    signed_logarithm<T> logarithm{};
    expect(try_log_determinant(f, logarithm).ok() && has_finite_bits(logarithm.log_abs),
           "log_determinant", at);
    for (index_t k = 0; k < n; ++k) A(k, 0) = A(0, k) = T(huge);
    expect(!has_finite_bits(norm(A)) && !has_finite_bits(norm(A, triangle::lower)), "norm", at);

    auto D = diagonal_of(n, tiny);
    expect(is_not_finite(try_trace_of_inverse(try_lu(D), det)) && det == T(7), "trace_of_inverse",
           at);
    expect(is_not_finite(try_trace_of_inverse(try_lu(D), diagonal_of(n, R(4)), det)) &&
               is_not_finite(
                   try_trace_of_inverse(try_lu(D), diagonal_of(n, R(4)), triangle::lower, det)) &&
               det == T(7),
           "trace_of_inverse of a product", at);
    for (index_t k = 1; k < n; ++k) D(k, k - 1) = T(R(1));  // D⁻¹ has tiny⁻² and larger ones
    auto x = good_sides<T>(n, 1);
    expect(is_not_finite(try_solve(triangular_view<T>(D.view(), triangle::lower), x)),
           "triangular solve", at);
    auto X = D;
    expect(is_not_finite(try_inverse(factored_cholesky(D), X)), "inverse", at);
    const auto U = D.view().transposed();
    const std::vector<int> ipiv(detail::as_size(n), static_cast<int>(n));
    expect(is_not_finite(try_inverse(factored_lu(U, ipiv), X)), "inverse", at);
  }
  for (const index_t n : {3, 20}) {
    batch<T> all(9, n, n);
    const place at{"what overflows", n, 0, 0};
    for (index_t b = 0; b < 9; ++b)
      for (index_t k = 0; k < n; ++k) all(b, k, k) = T(b == 4 ? huge : R(1));
    const auto f = try_lu(all);
    std::vector<T> values(9, T(7));
    const auto s = try_determinant(f, std::span<T>(values));
    expect(s.failed_count() == 1 && is_not_finite(s.status(4)) && values[4] == T(7) &&
               values[5] == T(1),
           "determinant of a batch", at);
  }
}

void options() {
  for (const auto& [name, x] : bad_numbers<double>()) {
    const place at{name, 3, 0, 0};
    const auto refused = [&](const status& s, const char* call) {
      expect(s.kind() == status_kind::invalid_argument, call, at);
    };
    auto A = good_matrix<double>(3);
    refused(try_cholesky(A, {.jitter = {.first = x, .tries = 3}}).status(), "jitter.first");
    refused(try_cholesky(A, {.jitter = {.first = 1, .factor = x, .tries = 3}}).status(),
            "jitter.factor");
    refused(try_pivoted_cholesky(A, {.tolerance = x}).status(), "tolerance");
    refused(try_low_rank_cholesky<double>(
                3, [](index_t) { return 1.0; }, [](index_t, std::span<double>) {},
                {.rank = 1, .tolerance = x})
                .status(),
            "tolerance of low rank");
    if (!(x > 0))
      refused(try_lu(A, {.pivoting = pivoting::tournament, .max_l = x}).status(), "max_l");
  }
}

template <class T>
void all_of() {
  for (const auto& bad : bad_numbers<T>()) {
    for (const index_t n : {1, 2, 5, 8, 20, 70})
      for (const auto& [i, j] : {std::pair<index_t, index_t>{0, 0},
                                 {n - 1, 0},
                                 {n / 2, n / 2},
                                 {n - 1, n / 2},
                                 {n - 1, n - 1}})
        one_matrix(bad, n, i, j);
    for (const index_t n : {1, 3, 20, 70})
      for (const index_t i : {index_t{0}, n - 1}) {
        for (const index_t r : {1, 2, 9}) right_hand_sides(bad, n, i, r);
        mixed(bad, n, i, index_t{0});
      }
    if constexpr (!is_complex<T>) fixed_size<T, 1>(bad);
    fixed_size<T, 2>(bad);
    fixed_size<T, 3>(bad);
    fixed_size<T, 6>(bad);
    for (const batch_layout& layout : {batch_layout(), batch_layout::canonical()})
      for (const index_t n : {1, 2, 3, 8, 20})
        for (const index_t i : {index_t{0}, n - 1}) batches(bad, n, i, index_t{0}, layout);
  }
  overflow<T>();
}

}  // namespace

int main() {
  all_of<double>();
#ifndef ONLY_DOUBLE  // compiling the kernels of a type takes long
  all_of<float>();
  all_of<std::complex<float>>();
  all_of<std::complex<double>>();
#endif
  options();
  if (wrong > 0) std::printf("%d wrong\n", wrong);
  return wrong > 0;
}
