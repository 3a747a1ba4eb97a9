#pragma once
// solve() of a batch: B := op(A)⁻¹·B for each matrix of a factor and each of B; one factor serves all
// right-hand sides, and one matrix of right-hand sides all factors.

#include <atomic>
#include <utility>
#include <vector>

#include "trifac/batch/batch_like.hpp"
#include "trifac/batch/check.hpp"
#include "trifac/batch/on_device.hpp"
#include "trifac/batch/one_for_all.hpp"
#include "trifac/batch/systems.hpp"
#include "trifac/batch/tuning.hpp"
#include "trifac/detail/overlap.hpp"

namespace trifac {
inline namespace TRIFAC_ABI {
namespace detail {

#if TRIFAC_SIMD
/// conj(X) of packed lanes.
template <class Target, class T>
void conjugate_lanes(Target, const simd::lane_matrix<T>& X) {
  constexpr index_t w = Target::vector_bytes / index_t{sizeof(real_t<T>)};
  for (index_t j = 0; j < X.cols; ++j)
    for (index_t i = 0; i < X.rows; ++i)
      for (index_t l = w; l < 2 * w; ++l) X.at(i, j)[l] = -X.at(i, j)[l];
}

template <class Target, class T>
void solve_groups(Target target, const batch_systems<T>& S, const simd::lane_groups<T>& A,
                  const simd::lane_groups<T>& B, index_t b, real_t<T>* divisors) {
  if (S.what == batch_systems<T>::task::solve_triangle)
    solve_triangle_lanes(target, A, B, S.part, S.diag, divisors);
  else if (S.is_lu)
    solve_lu_lanes(target, A, B, S.pivots(), b, S.op, divisors);
  if (S.is_lu)
    solve_lu_lanes(target, A, B, S.pivots(), S.is_one_factor() ? 0 : b, S.op, divisors);
  else
    solve_cholesky_lanes(target, A, B, divisors);
}

/// I in every lane.
template <class Target, class T>
void set_identity_lanes(Target, const simd::lane_matrix<T>& X) {
  constexpr index_t w = Target::vector_bytes / index_t{sizeof(real_t<T>)};
  for (index_t j = 0; j < X.cols; ++j)
    for (index_t i = 0; i < X.rows; ++i)
      for (index_t l = 0; l < w * simd::planes<T>; ++l)
        X.at(i, j)[l] = real_t<T>(i == j && l < w ? 1 : 0);
}

/// Systems from … to−1. Those whose factorization failed are left as they are.
template <class Target, class T>
void solve_piece(Target target, const batch_systems<T>& S, index_t from, index_t to,
                 std::byte* memory) {
  constexpr index_t w = Target::vector_bytes / index_t{sizeof(real_t<T>)};
  constexpr index_t step = w * simd::planes<T>;
  const index_t n = S.factors.rows();
  real_t<T>* const divisors = reinterpret_cast<real_t<T>*>(memory);
  real_t<T>* const sides = divisors + n * (step + w);
  real_t<T>* const factors = sides + packed_ld<T>(n) * S.sides.cols() * step;
  const bool inverts = S.what == batch_systems<T>::task::invert;
  const auto part = S.is_lu                     ? simd::lane_part::whole
                    : S.part == triangle::lower ? simd::lane_part::lower
                                                : simd::lane_part::upper;
  const auto written = inverts && !S.is_lu ? simd::lane_part::lower : simd::lane_part::whole;
  for (index_t b = from; b < to;) {
    auto A = simd::groups_in_place(target, S.factors, b, to);
    auto B = inverts ? simd::lane_groups<T>{.first = {}, .count = 0}
                     : simd::groups_in_place(target, S.sides, b, to);
  const auto part = S.is_lu ? simd::lane_part::whole : simd::lane_part::lower;
  const simd::lane_groups<T> packed{simd::packed_lanes<Target, T>(target, factors, n, n), to};
  if (S.is_one_factor()) simd::pack(target, S.factors, 0, 1, part, packed.first);
  for (index_t b = from; b < to;) {
    auto A = S.is_one_factor() ? packed : simd::groups_in_place(target, S.factors, b, to);
    auto B = simd::groups_in_place(target, S.sides, b, to);
    const index_t many = A.count > 0 && B.count > 0 ? min(A.count, B.count) : 1;
    const index_t end = min(to, b + many * w);
    bool failed = false;
    for (index_t i = b; i < end; ++i) failed = failed || S.info_of(i) != 0;
    if (many > 1 && !failed) {
      A.count = many;
      solve_groups(target, S, A, B, b, divisors);
      b = end;
      continue;
    }
    // One group: a failed system must not be written.
    const index_t last = min(to, b + w);
    unsigned good = 0;
    for (index_t i = b; i < last; ++i) good |= unsigned{S.info_of(i) == 0} << (i - b);
    const bool whole = good == (1u << w) - 1;
    if (A.count == 0) {
      A.first = packed.first;
      simd::pack(target, S.factors, b, last, part, A.first);
    }
    const bool in_place = B.count > 0 && whole;
    if (!in_place) {
      B.first = simd::packed_lanes<Target, T>(target, sides, n, S.sides.cols());
      if (inverts)
        set_identity_lanes(target, B.first);
      else
        simd::pack(target, S.sides, b, last, simd::lane_part::whole, B.first);
      if constexpr (is_complex<T>)
        if (S.conjugated) conjugate_lanes(target, B.first);
    }
    A.count = B.count = 1;
    solve_groups(target, S, A, B, b, divisors);
    if (!in_place) {
      if constexpr (is_complex<T>)
        if (S.conjugated) conjugate_lanes(target, B.first);
      simd::unpack(target, B.first, S.sides, b, last, good, written);
    }
    b = last;
  }
}
#endif

/// The factors of square matrices, some of which may be bad.
template <class Factor>
status check_batch_factor(const Factor& f, const batch_outcome& outcome) {
  const status call = outcome.first_failure() < 0 ? outcome.status() : status();
  if (call.kind() == status_kind::empty) return status::argument("factor", call.what());
  if (!call) return call;
  return f.rows() == f.cols() ? status() : status::argument("factor", "is not square");
}

template <class T>
const batch_outcome& outcome_of(const batch_triangular_view<T>& A) {
  return A.outcome();
}
inline const batch_outcome& outcome_of(const batch_outcome& f) {
  return f;
}

template <class Factor, class T>
status check_batch_solve(const Factor& f, const batch_view<T>& X, operation op) {
  if (const status s = check_batch_factor(f, outcome_of(f)); !s) return s;
  if (const status s = check_batch(X, "B"); !s) return s;
  if (X.batch() != f.batch())
    return status::argument("B", "must have as many matrices as the factored batch");
/// `name`: of X.
template <class Factor, class T>
status check_batch_solve(const Factor& f, const batch_view<T>& X, const char* name, operation op) {
  const status call = f.first_failure() < 0 ? f.status() : status();
  if (call.kind() == status_kind::empty) return status::argument("factor", call.what());
  if (!call) return call;
  if (f.rows() != f.cols()) return status::argument("factor", "is not square");
  if (const status s = check_batch(X, name); !s) return s;
  if (X.batch() != f.batch() && f.batch() != 1)
    return status::argument(name,
                            "must have as many matrices as the factored batch, unless that is one "
                            "matrix for all");
  if (X.rows() != f.rows())
    return status::argument(name, "must have as many rows as the factored matrices");
  if (!X.empty() && overlap(f.matrices()[0], part_in_use::whole, X[0], part_in_use::whole))
    return status::argument(name, "overlaps the factored matrices");
  return check_operation(op);
}

/// B := op(A)⁻¹·B; B is not empty.
template <PackingBackend B, class Factor, class T>
status run_solve_batch(const B& backend, const Factor& f, const batch_view<T>& X,
                       const batch_solve_options& options) {
  const double n = static_cast<double>(X.rows());
  const double flops = 2 * n * n * static_cast<double>(X.cols()) * static_cast<double>(X.batch());
  const auto solve_in_pieces = [&](index_t lanes, std::size_t slot, const auto& piece) {
    return run_batch(backend, X.batch(), lanes, flops, slot, options.workspace, piece);
  };
#if TRIFAC_SIMD
  if constexpr (simd::has_kernels<T>)
    if (goes_in_lanes<T>(f.rows(), f.cols())) {
      batch_systems<T> S = systems_of(f, X, options.op);
      std::vector<std::int32_t> rows;
      if (S.is_one_factor() && X.batch() > 1) {
        rows = interchanges_for(S, simd::most_lanes);
        S.interchanges = rows;
      }
      return solve_in_pieces(
          lanes_of_type<T>(), slot_bytes<T>(f.rows(), f.cols(), X.cols()),
          [&](index_t from, index_t to, std::byte* memory) {
            simd::with_isa([&](auto target) { solve_piece(target, S, from, to, memory); });
          });
    }
#endif
  std::atomic<bool> complete = true;
  const status s = solve_in_pieces(1, 0, [&](index_t from, index_t to, std::byte*) {
    const auto solve_them = [&] {
      return solve_one_by_one(backend::serial{}, f, X, options.op, from, to);
    };
    if (!without_exceptions(solve_them)) complete = false;  // no exception may leave a piece
  });
  return complete ? s : status::failure(status_kind::out_of_memory, "workspace");
}

/// X := op(A)⁻¹·B; without B that of X.
template <BatchBackend B, class Factor, class T>
status solve_batch(const B& backend, const Factor& f, const batch_view<const T>* right,
                   const batch_view<T>& X, batch_solve_options options) {
  options.tuning =
      tuned_batch(backend, options.tuning, options.profile, batch_operation::solve, f.matrices());
  if (const status s = check_batch_solve(f, X, right ? "X" : "B", options.op); !s) return s;
  if (right != nullptr)
    if (const status s = check_sides(*right, X); !s) return s;
  if (const status s = check_batch_tuning<B>(options.tuning, batch_operation::solve, X.rows()); !s)
    return s;
  if (const status s = check_backend(backend); !s) return s;
  const status outcome = outcome_of(f).status();
  if (X.empty()) return outcome;
  if (X.empty()) return f.status();
  if (right != nullptr) copy_sides(*right, X);
  if (f.batch() == 1 && !f.ok()) return f.status();
  const status s = run_solve_batch(backend, f, X, options);
  return s ? outcome : s;
}

/// The same with what a call has: the factor of a batch or of one matrix.
template <BatchBackend B, class F, class T>
status solve_batch_or_one(const B& backend, const F& f, const batch_view<const T>* right,
                          const batch_view<T>& X, const batch_solve_options& options) {
  if constexpr (requires { f.matrices(); }) {
    return solve_batch(backend, f, right, X, options);
  } else {
    if (const status s = check_square_factor(f); !s) return s;
    std::int32_t info = 0;
    return solve_batch(backend, as_batch(f, {&info, 1}), right, X, options);
  }
}

}  // namespace detail

/// What cholesky() and lu() of a batch return.
template <class F>
concept BatchFactor = std::same_as<F, batch_cholesky_factor<typename F::value_type>> ||
    std::same_as<F, batch_lu_factor<typename F::value_type>>;

/// What solve() of a batch takes: a factor, or its triangles, those on a CPU only.
template <class F, class B>
concept BatchSolvable = BatchFactor<F> ||
    (std::same_as<F, batch_triangular_view<typename F::value_type>>&& PackingBackend<B>);

/// B := op(A)⁻¹·B for each matrix, in place; factor: batch × n × n, B: batch × n × r in any layout,
/// any number r of columns. No exception leaves it.
/// @return  the call's own failure, B being unchanged then; else the factor's status: success, or
///          that of its first failed matrix. The systems of failed matrices are unchanged, all
///          others are solved. Above order 256 memory may run out midway: some are solved then.
/// With f.L() or f.U() in place of the factor: B := op(L)⁻¹·B or op(U)⁻¹·B, on serial, threads and
/// openmp; the systems of matrices that failed, singular ones too, are unchanged.
/// 2n²·r flops for each, n²·r with a triangle; workspace: batch_workspace_bytes with r. LAPACK: potrs,
/// getrs, trtrs for each.
template <BatchBackend B, BatchSolvable<B> F, WritableBatch M>
/// What solves a batch: the factor of a batch, or of one matrix for all of it.
template <class F>
concept FactorForBatch = BatchFactor<F> || Factor<F>;
/// Right-hand sides that a call reads: a batch, or a matrix or vector for all of it.
template <class R>
concept SidesForBatch = BatchLike<const R&> || RightHandSides<const R&>;

/// B := op(A)⁻¹·B for each matrix, in place; factor: batch × n × n, or that of one matrix for all, as
/// cholesky(A) and lu(A) or a batch of one have it; B: batch × n × r in any layout, any number r of
/// columns. One factor gives the bits of a batch of its copies. No exception leaves it.
/// @return  the call's own failure, B being unchanged then; else the factor's status: success, or
///          that of its first failed matrix. The systems of failed matrices are unchanged, all
///          others are solved. Above order 256 memory may run out midway: some are solved then.
/// 2n²·r flops for each; workspace: batch_workspace_bytes with r. LAPACK: potrs, getrs for each.
template <BatchBackend B, FactorForBatch F, WritableBatch M>
status try_solve(const B& backend, const F& factor, M&& X,
                 const batch_solve_options& options = {}) noexcept {
  using T = typename F::value_type;
  static_assert(std::is_same_v<batch_scalar_t<M>, T>,
                "B has another scalar type than the factor: copy it into a batch of that type");
  return detail::without_exceptions([&] {
    return detail::solve_batch_or_one<B, F, T>(backend, factor, nullptr, batch_view_of(X), options);
  });
}
template <BatchSolvable<backend::serial> F, WritableBatch M>
template <FactorForBatch F, WritableBatch M>
status try_solve(const F& factor, M&& X, const batch_solve_options& options = {}) noexcept {
  return try_solve(backend::serial{}, factor, std::forward<M>(X), options);
}

/// X := op(A)⁻¹·B for each matrix; factor and X as the factor and B above; B: batch × n × r, or one
/// matrix, a vector, a batch of one for all. B and X share no memory: looked for in each system.
/// @return  as above; X is unchanged after the call's own failure, and B for matrices that failed.
/// 2n²·r flops for each, and the copy.
template <BatchBackend B, FactorForBatch F, SidesForBatch R, WritableBatch M>
status try_solve(const B& backend, const F& factor, const R& right, M&& X,
                 const batch_solve_options& options = {}) noexcept {
  using T = typename F::value_type;
  static_assert(std::is_same_v<batch_scalar_t<M>, T>,
                "X has another scalar type than the factor: make it a batch of that type");
  const batch_view<const T> sides = detail::sides_of<T>(right);
  return detail::without_exceptions([&] {
    return detail::solve_batch_or_one<B, F, T>(backend, factor, &sides, batch_view_of(X), options);
  });
}
template <FactorForBatch F, SidesForBatch R, WritableBatch M>
status try_solve(const F& factor, const R& right, M&& X,
                 const batch_solve_options& options = {}) noexcept {
  return try_solve(backend::serial{}, factor, right, std::forward<M>(X), options);
}

#if TRIFAC_EXCEPTIONS
/// try_solve that throws what belongs to its status, numerical_error after the systems of the other
/// matrices were solved.
template <BatchBackend B, BatchSolvable<B> F, WritableBatch M>
template <BatchBackend B, FactorForBatch F, WritableBatch M>
void solve(const B& backend, const F& factor, M&& X, const batch_solve_options& options = {}) {
  if (const status s = try_solve(backend, factor, std::forward<M>(X), options); !s)
    detail::throw_status(s);
}
template <BatchSolvable<backend::serial> F, WritableBatch M>
void solve(const F& factor, M&& X, const batch_solve_options& options = {}) {
  solve(backend::serial{}, factor, std::forward<M>(X), options);
}

/// X = op(A)⁻¹·B for each matrix, B unchanged (or moved in): a batch in the layout of B where B is
/// one, else in chunks of a cache line. Throws what solve() does, for one bad matrix, too.
template <BatchBackend B, BatchSolvable<B> F, class M>
requires BatchLike<M&>
[[nodiscard]] auto solved(const B& backend, const F& factor, M&& right,
                          const batch_solve_options& options = {}) {
  batch<typename F::value_type> X(std::forward<M>(right));
  solve(backend, factor, X, options);
  return X;
}
template <BatchSolvable<backend::serial> F, class M>
requires BatchLike<M&>
[[nodiscard]] auto solved(const F& factor, M&& right, const batch_solve_options& options = {}) {
  return solved(backend::serial{}, factor, std::forward<M>(right), options);
template <FactorForBatch F, WritableBatch M>
void solve(const F& factor, M&& X, const batch_solve_options& options = {}) {
  solve(backend::serial{}, factor, std::forward<M>(X), options);
}
template <BatchBackend B, FactorForBatch F, SidesForBatch R, WritableBatch M>
void solve(const B& backend, const F& factor, const R& right, M&& X,
           const batch_solve_options& options = {}) {
  if (const status s = try_solve(backend, factor, right, std::forward<M>(X), options); !s)
    detail::throw_status(s);
}
template <FactorForBatch F, SidesForBatch R, WritableBatch M>
void solve(const F& factor, const R& right, M&& X, const batch_solve_options& options = {}) {
  solve(backend::serial{}, factor, right, std::forward<M>(X), options);
}
#endif

}  // namespace TRIFAC_ABI
}  // namespace trifac
