// `trifac factor` in std::complex<float>: a file of its own, as all variants on all backends take a
// while to compile.

#include "factor_as.hpp"

template int program::factor_as<std::complex<float>>(const options&, const matrix_source&);
