#pragma once
// What every call states of its arguments first, and the statuses of those that are wrong.

#include <vector>

#include "trifac/backend.hpp"
#include "trifac/detail/call.hpp"
#include "trifac/distributed/agreement.hpp"

namespace trifac {
namespace distributed {
inline namespace TRIFAC_ABI {

/// Which call the processes are in.
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
inline status unlike_blocks() {
  return status::argument("A", "has blocks that are not square (MB, NB)");
}
inline status no_memory() {
  return status::failure(status_kind::out_of_memory, "a process has no memory for the buffers");
}
inline status no_backend() {
  return status::failure(status_kind::backend_failure, "is not available on a process");
}

/// One place for each of so many local rows; false where there is no memory.
inline bool make_room(std::vector<index_t>& interchanges, index_t rows) {
  return detail::without_exceptions([&] {
           interchanges.resize(detail::as_size(rows));
           return status();
         })
      .ok();
}

}  // namespace TRIFAC_ABI
}  // namespace distributed
}  // namespace trifac
