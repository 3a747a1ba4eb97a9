#pragma once
// Conditions that every call checks first, statuses of invalid arguments, and the frame of a
// factorization.

#include <algorithm>

#include "trifac/backend.hpp"
#include "trifac/engine/call/call.hpp"
#include "trifac/engine/distributed/agreement.hpp"

namespace trifac {
namespace distributed {
inline namespace TRIFAC_ABI {

/// The call that a process executes.
enum class call : std::int64_t { cholesky = 1, lu, solve_cholesky, solve_lu };

template <class T>
void state_call(agreement& all, call which) {
  all.same(static_cast<std::int64_t>(which),
           status::argument("call", "is another one on another process"));
  all.same(std::int64_t{lapack_letter<T>},
           status::argument("A", "has another type on another process"));
}

inline status unusable_grid() {
  return status::argument("A", "is on a grid whose rows times columns are not the processes");
}
inline status not_square_blocks() {
  return status::argument("A", "has blocks that are not square (NB is not MB)");
}
inline status no_memory() {
  return status::failure(status_kind::out_of_memory, "a process has no memory for the buffers");
}
inline status no_backend() {
  return status::failure(status_kind::backend_failure, "is not available on a process");
}

/// Factors A in place: agreement on arguments, buffers, and one status at the end. For the upper
/// triangle, factors the transposed matrix.
///   state(all)               the call's own conditions
///   work(on, mine, memory)   the nest on this process's part, if all agree; returns the 0-based
///                            index for not_finite if no pivot showed it, or no_index
template <class Memory, class B, class T, class State, class Work>
status run_factorization(call which, const B& backend, const array<T>& A, triangle part,
                         traffic& moved, State state, Work work) {
  if (!A.grid().usable()) return unusable_grid();
  agreement all;
  state_call<T>(all, which);
  all.matrix(A, "A");
  state(all);
  all.holds(A.desc().row_block == A.desc().col_block, not_square_blocks());
  all.messages(A, std::max(A.rows().block, A.cols().block), "A");
  all.holds(detail::check_backend(backend).ok(), no_backend());
  local_part<T> mine;
  if (all.good()) mine = part == triangle::upper ? A.local_part().transposed() : A.local_part();
  Memory memory(mine);
  all.holds(!all.good() || memory.ok(), no_memory());
  if (const status s = all.reach(A.grid(), moved); !s) return s;
  process_executor on;
  const std::int64_t bad = work(on, mine, memory);
  return final_status(A.grid(), on.outcome, on.mine, bad, moved);
}

}  // namespace TRIFAC_ABI
}  // namespace distributed
}  // namespace trifac
