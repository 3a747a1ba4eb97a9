#pragma once
// Options of a Cholesky factorization.

#include <cstddef>
#include <span>

#include "trifac/engine/base/progress.hpp"
#include "trifac/matrix_view.hpp"
#include "trifac/profile.hpp"

namespace trifac {

/// Shifts to add to the diagonal of an A that is not quite positive definite: none, then first·s,
/// first·factor·s, …, `tries` of them, s being the mean of |a_ii| (1 where all are 0). They end
/// where a shift, or the diagonal with it, leaves the range of the type.
struct cholesky_jitter {
  double first = 0;  ///< 0: no shift is tried
  double factor = 10;
  int tries = 6;  ///< how many; the largest shift is first·factor^(tries − 1)·s
};

/// Options of a Cholesky factorization.
struct cholesky_options {
  triangle part = triangle::lower;  ///< which triangle is read and overwritten
  index_t block = 0;   ///< block size; 0: chosen. Changes no bit of `best` and `packed`;
                       ///< other variants by blocks round at the blocks' ends
  index_t cutoff = 0;  ///< by columns: so many last columns run on one thread
  bool norm = false;   ///< also determine norm(), which costs O(n²): for reciprocal_condition
  /// At least cholesky_workspace_bytes; empty: the thread's own (workspace_cache.hpp).
  std::span<std::byte> workspace = {};
  const trifac::profile* profile = nullptr;  ///< gives block and cutoff where they are 0
  /// Is told how far the factorization is, and may end it (progress.hpp).
  progress_ref progress = {};
  /// Factors A + f.shift()·I with the first of these shifts that succeeds. In place the other
  /// triangle of A is overwritten with this one, for the tries to start from. Of cholesky() only.
  cholesky_jitter jitter = {};
};

}  // namespace trifac
