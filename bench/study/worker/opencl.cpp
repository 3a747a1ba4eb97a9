// The first OpenCL device of a kind: cpu, gpu, accelerator or any.

#if TRIFAC_EXPECT_OPENCL
  #include "trifac/backend/opencl.hpp"

  #include "device.hpp"
#else
  #include "serve.hpp"
#endif

namespace study {

#if TRIFAC_EXPECT_OPENCL
trifac::backend::opencl configured(const trifac::backend::opencl& backend, const request& r) {
  return with_settings(backend, r);
}

void serve_opencl(const std::string& device, facts properties) {
  using trifac::backend::device_kind;
  const auto kind =
      trifac::device::value_named<device_kind>(trifac::device::device_kind_names, device);
  if (!kind) return refuse("there is no kind of device " + device);
  const auto backend = trifac::backend::opencl::first(*kind);
  add_facts(backend, properties);
  serve(backend, properties);
}
#else
void serve_opencl(const std::string&, facts) {
  refuse("the worker was built without OpenCL");
}
#endif

}  // namespace study
