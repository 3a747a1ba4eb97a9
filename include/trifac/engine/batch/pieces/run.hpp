#pragma once
// From checked arguments to the pieces of a batch, shared by the threads of a backend, each with
// memory of its own.

#include "trifac/engine/batch/pieces/lanes_for.hpp"
#include "trifac/engine/batch/pieces/plan.hpp"
#include "trifac/engine/call/workspace.hpp"
#include "trifac/engine/calls/batch_calls.hpp"
#include "trifac/engine/calls/calls.hpp"
#include TRIFAC_DEFINITIONS(cpu, share)
// clang-format off
#include TRIFAC_DEFINITIONS(batch/pieces, calls)
// clang-format on

namespace trifac {
inline namespace TRIFAC_ABI {
namespace detail {

/// piece(i) for i = 0 … pieces−1, in any order, on the threads of a backend.
template <class T, Backend B, class Piece>
status share_pieces(const B& backend, double work, index_t pieces, const Piece& piece) {
  const auto call = [](void* self, index_t i) { (*static_cast<const Piece*>(self))(i); };
  return calls_on<B, T>::share(nest_backend<T>(backend), work, pieces, call,
                               const_cast<Piece*>(&piece));
}

/// Checks that the caller's workspace has room for a piece, before anything is written.
template <class B, class T>
status check_batch_workspace(std::span<std::byte> given, index_t rows, index_t cols,
                             index_t sides) {
  if constexpr (PackingBackend<B>)
    if (!given.empty() && lanes_for<T>(rows, cols) > 0 &&
        given.size() < batch_workspace_bytes<T>(rows, cols, sides))
      return status::argument("options.workspace", "is too small");
  return {};
}

/// A matrix alone that does not go in lanes: the call of one has the whole team for it, a piece has
/// one thread; special path batch-of-one. Not of users' numbers, whose exceptions a piece catches.
template <class T>
constexpr bool is_for_the_team(index_t batch, index_t lanes) {
  return LapackScalar<T> && batch == 1 && lanes == 0;
}

/// The nest of every other call on a batch: work(from, to, memory) for pieces of it, in any order.
/// No matrix depends on another, so the result does not depend on the pieces.
template <class T, Backend B, class Work>
status run_batch(const B& backend, index_t batch, index_t lanes, double flops, std::size_t slot,
                 std::span<std::byte> given, const Work& work) {
  const double all = flops * independent_work;
  const auto plan = plan_batch(batch, lanes, threads_for_batch(backend, all), slot, given.size());
  workspace memory(given, plan.bytes);
  if (!memory.ok()) return no_workspace(given);
  std::byte* const slots =
      plan.bytes > 0 ? memory.take_bytes(plan.bytes - workspace_alignment) : nullptr;
  return share_pieces<T>(backend, all, plan.pieces, [&](index_t i) {
    const index_t from = plan.groups * i / plan.pieces * lanes;
    const index_t to = min(batch, plan.groups * (i + 1) / plan.pieces * lanes);
    if (slots != nullptr) return work(from, to, slots + i * static_cast<index_t>(plan.slot));
    alignas(workspace_alignment) std::byte small[slot_on_stack];
    work(from, to, small);
  });
}

}  // namespace detail
}  // namespace TRIFAC_ABI
}  // namespace trifac
