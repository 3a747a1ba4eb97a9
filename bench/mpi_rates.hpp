#pragma once
// The rates of which bench/scale makes times: of one core, and of messages between two processes.

namespace bench {

/// Collective over all processes, of which the first two are measured; the first one prints a
/// table. `order`: the rows of products and panels.
void print_rates(long order);

}  // namespace bench
