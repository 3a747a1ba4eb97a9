// The file that compiles the calls of this program.
#define TRIFAC_IMPLEMENTATION
#include "trifac/batch.hpp"
#include "trifac/trifac.hpp"
#include "trifac/variants.hpp"

template struct trifac::calls<double>;
template struct trifac::batch_calls<double>;
template struct trifac::variant_calls<trifac::variant::crout, double>;
