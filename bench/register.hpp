#pragma once
// The families of benchmarks, each registered by the file of its name.

#include "options.hpp"

namespace bench {

void register_cholesky(const options& o);
void register_lu(const options& o);
void register_solve(const options& o);
void register_operations(const options& o);

}  // namespace bench
