#pragma once
// From checked arguments to the groups of a batch: pieces of it shared by the threads of a backend,
// each with memory of its own.

#include <limits>

#include "trifac/backend/cpu/run.hpp"
#include "trifac/batch/factor.hpp"
#include "trifac/batch/lanes_of.hpp"
#include "trifac/batch/plan.hpp"
#include "trifac/cholesky.hpp"
#include "trifac/lu.hpp"
#include "trifac/lu/check_finite.hpp"
#include "trifac/solve.hpp"

namespace trifac {
inline namespace TRIFAC_ABI {
namespace detail {

/// The nest of every call on a batch: work(from, to, memory) for pieces of it, in any order. No
/// matrix looks at another, so that nothing depends on where pieces end.
template <Backend B, class Work>
status run_batch(const B& backend, index_t batch, index_t lanes, double flops, std::size_t slot,
                 std::span<std::byte> given, const Work& work) {
  const auto plan =
      plan_batch(batch, lanes, threads_for_batch(backend, flops), flops, slot, given.size());
  workspace memory(given, plan.bytes);
  if (!memory.ok())
    return given.empty() ? status::failure(status_kind::out_of_memory, "workspace")
                         : status::argument("options.workspace", "is too small");
  std::byte* const slots =
      plan.bytes > 0 ? memory.take_bytes(plan.bytes - workspace_alignment) : nullptr;
  status outcome;
  run(backend, outcome, plan.flops, [&](auto& on) {
    on.pieces(nest_step::factor_packed, plan.pieces, [&](index_t i) {
      const index_t from = plan.groups * i / plan.pieces * lanes;
      const index_t to = min(batch, plan.groups * (i + 1) / plan.pieces * lanes);
      if (slots != nullptr) return work(from, to, slots + i * static_cast<index_t>(plan.slot));
      alignas(workspace_alignment) std::byte small[slot_on_stack];
      work(from, to, small);
    });
  });
  return outcome;
}

/// A failure of the machine within a matrix's own factorization.
inline constexpr std::int32_t machine_failure = std::numeric_limits<std::int32_t>::min();

inline std::int32_t info_of(const status& s) {
  if (!s.of_the_matrix()) return machine_failure;
  const auto index = static_cast<std::int32_t>(s.index() + 1);
  return s.ok() ? 0 : s.kind() == status_kind::not_finite ? -index : index;
}

/// What the pivots of matrices that are not square do not show.
template <class T>
void check_finite_piece(const batch_view<T>& A, index_t from, index_t to, bool exchanges,
                        std::int32_t* info) {
  for (index_t b = from; b < to; ++b)
    if (info[b] >= 0 && (info[b] == 0 || exchanges)) {
      const status s = check_finite(A[b], status(), 1);
      if (!s) info[b] = info_of(s);
    }
}

template <class T>
index_t lanes_of_type() {
  index_t lanes = 1;
#if TRIFAC_SIMD
  if constexpr (simd::has_kernels<T>)
    simd::with_isa(
        [&](auto target) { lanes = decltype(target)::vector_bytes / index_t{sizeof(real_t<T>)}; });
#endif
  return lanes;
}

#if TRIFAC_SIMD

/// Matrices from … to−1 of A, whose lower triangles become L.
template <class Target, class T>
void factor_cholesky_piece(Target target, const batch_view<T>& A, index_t from, index_t to,
                           std::int32_t* info, std::byte* memory) {
  constexpr index_t w = Target::vector_bytes / index_t{sizeof(real_t<T>)};
  for (index_t b = from; b < to;) {
    if (const auto here = simd::groups_in_place(target, A, b, to); here.count > 0) {
      factor_cholesky_lanes(target, here, info + b);
      b += here.count * w;
      continue;
    }
    const auto lanes = simd::packed_lanes<Target, T>(target, reinterpret_cast<real_t<T>*>(memory),
                                                     A.rows(), A.cols());
    simd::lane_info found[simd::most_lanes] = {};
    simd::pack(target, A, b, to, simd::lane_part::lower, lanes);
    factor_cholesky_lanes(target, simd::lane_groups<T>{lanes}, found);
    simd::unpack(target, lanes, A, b, to, ~0u, simd::lane_part::lower);
    for (index_t l = 0; l < w && b < to; ++l, ++b) info[b] = found[l];
  }
}

/// Matrices from … to−1 of A, which become L\U.
template <class Target, class T>
void factor_lu_piece(Target target, const batch_view<T>& A, index_t from, index_t to,
                     const simd::lane_pivots& pivots, std::int32_t* info, std::byte* memory) {
  constexpr index_t w = Target::vector_bytes / index_t{sizeof(real_t<T>)};
  for (index_t b = from; b < to;) {
    if (const auto here = simd::groups_in_place(target, A, b, to); here.count > 0) {
      factor_lu_lanes(target, here, pivots, b, info + b);
      b += here.count * w;
      continue;
    }
    const auto lanes = simd::packed_lanes<Target, T>(target, reinterpret_cast<real_t<T>*>(memory),
                                                     A.rows(), A.cols());
    simd::lane_info found[simd::most_lanes] = {};
    simd::pack(target, A, b, to, simd::lane_part::whole, lanes);
    factor_lu_lanes(target, simd::lane_groups<T>{lanes}, pivots, b, found);
    simd::unpack(target, lanes, A, b, to, ~0u, simd::lane_part::whole);
    for (index_t l = 0; l < w && b < to; ++l, ++b) info[b] = found[l];
  }
  if (A.rows() != A.cols()) check_finite_piece(A, from, to, pivots.rows != nullptr, info);
}

#endif

/// The same for a scalar type or an order without kernels: one matrix after another.
template <Backend B, class T>
void factor_cholesky_one_by_one(const B& backend, const batch_view<T>& A, index_t from, index_t to,
                                std::int32_t* info) {
  for (index_t b = from; b < to; ++b) info[b] = info_of(try_cholesky(backend, A[b]).status());
}
template <Backend B, class T>
void factor_lu_one_by_one(const B& backend, const batch_view<T>& A, index_t from, index_t to,
                          pivoting how, const simd::lane_pivots& interchanges, std::int32_t* info) {
  pivots p;
  for (index_t b = from; b < to; ++b) {
    info[b] = info_of(try_lu(backend, A[b], p, {.pivoting = how}).status());
    if (interchanges.rows == nullptr) continue;
    for (index_t k = 0; k < p.size(); ++k)
      interchanges.at(b)[k * simd::most_lanes] = static_cast<std::int32_t>(p[k]);
  }
}

}  // namespace detail
}  // namespace TRIFAC_ABI
}  // namespace trifac
