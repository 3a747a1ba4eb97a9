// `trifac factor` in std::complex<double>: a file of its own, as all variants on all backends take
// a while to compile.

#include "factor_as.hpp"

template int program::factor_as<std::complex<double>>(const options&, const matrix_source&);
