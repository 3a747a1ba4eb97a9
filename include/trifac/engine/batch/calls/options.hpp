#pragma once
// Options of the factorizations of a batch.

#include <cstddef>
#include <cstdint>
#include <span>

#include "trifac/batch_view.hpp"
#include "trifac/engine/base/float_model.hpp"
#include "trifac/engine/cholesky/options.hpp"
#include "trifac/engine/lu/options.hpp"
#include "trifac/engine/views/batch_tuning.hpp"
#include "trifac/profile.hpp"

namespace trifac {

/// Options of cholesky() on a batch.
struct batch_cholesky_options {
  triangle part = triangle::lower;           ///< which triangles are read and overwritten
  std::span<std::int32_t> info = {};         ///< at least batch numbers; empty: the factor's own
  std::span<std::byte> workspace = {};       ///< batch_workspace_bytes; empty: the thread's own
  batch_tuning tuning = {};                  ///< parameters of the kernels
  float_model floats = float_model::ieee;    ///< fast: less exact roots, docs/batched.md
  const trifac::profile* profile = nullptr;  ///< gives tuning on devices, where it is not set
  /// Factors A + f.shift(b)·I, of each matrix with the first of these shifts that succeeds. Of
  /// cholesky() on CPUs only.
  cholesky_jitter jitter = {};
};

/// Options of lu() on a batch.
struct batch_lu_options {
  trifac::pivoting pivoting = trifac::pivoting::partial;  ///< partial or none
  std::span<std::int32_t> info = {};                      ///< as above
  std::span<std::int32_t> interchanges =
      {};                               ///< at least batch_interchanges_size; empty: the factor's
  std::span<std::byte> workspace = {};  ///< as above
  batch_tuning tuning = {};             ///< as above
  float_model floats = float_model::ieee;    ///< fast: on devices only; CPUs divide exactly
  const trifac::profile* profile = nullptr;  ///< as above
};

/// Options of solve() on a batch.
struct batch_solve_options {
  std::span<std::byte> workspace = {};       ///< batch_workspace_bytes; empty: the thread's own
  batch_tuning tuning = {};                  ///< as above
  float_model floats = float_model::ieee;    ///< as of lu()
  const trifac::profile* profile = nullptr;  ///< as above
};

}  // namespace trifac
