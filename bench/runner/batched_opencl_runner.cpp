// Runner of trifac's batches on the first CPU that is an OpenCL device, as many of its cores as the
// driver has taken. Argument: chunked|canonical.

#include "batched_trifac.hpp"
#include "trifac/backend/opencl.hpp"

int main(int argc, char** argv) {
  using trifac::backend::opencl;
  static const opencl& device = *new opencl(opencl::first(trifac::backend::device_kind::cpu));
  if (const trifac::availability here = device.available(); !here) {
    bench::refuse(std::string(here.reason));
    return 1;
  }
  const std::string layout = argc > 1 ? argv[1] : "chunked";
  const auto& facts = device.facts();
  bench::introduce({{"core", std::to_string(facts.units) + " units"},
                    {"config", layout + ", " + facts.name + ", " + facts.driver}});
  bench::serve_trifac_batches(device, layout == "canonical");
}
