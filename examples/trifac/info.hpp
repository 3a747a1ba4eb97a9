#pragma once
// The command `trifac info`.

#include <ostream>

namespace program {

/// Prints the compiler, the instruction sets of the CPU, caches, cores, backends and scalar types.
void print_info(std::ostream& out);

}  // namespace program
