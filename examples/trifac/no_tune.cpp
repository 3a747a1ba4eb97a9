// `trifac tune` of a program that was built without it.

#include "tune.hpp"

namespace program {

int tune_batches(const tune_options& /*o*/, std::ostream& /*out*/) {
  throw usage_error(
      "this program was built without tune: configure with -DTRIFAC_BUILD_TUNER=ON and all four "
      "TRIFAC_KERNEL_TYPES");
}

}  // namespace program
