#pragma once
// What every process of a program receives through MPI, whichever library calls it.

#include <cstdint>

namespace bench {

/// Messages and bytes, counted as trifac::distributed::traffic counts them: a broadcast is one, a
/// reduction or an all-gather of p processes ⌈log₂ p⌉, an all-to-all one from each partner.
struct mpi_counts {
  std::int64_t messages = 0, bytes = 0;
};

/// Counts from here on.
void begin_mpi_counts();
/// Collective over all processes: what this one has received since then.
mpi_counts end_mpi_counts();

}  // namespace bench
