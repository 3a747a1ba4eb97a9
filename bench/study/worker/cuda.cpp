// The first CUDA device, by our kernels and by cuSOLVER.

#if TRIFAC_EXPECT_CUDA
  #include "trifac/backend/cuda.hpp"

  #include "device.hpp"
#else
  #include "serve.hpp"
#endif
#if TRIFAC_EXPECT_CUSOLVER
  #include "trifac/backend/cusolver.hpp"
#endif

namespace study {

#if TRIFAC_EXPECT_CUDA
trifac::backend::cuda configured(const trifac::backend::cuda& backend, const request& r) {
  return with_settings(backend, r);
}

void serve_cuda(facts properties) {
  const auto backend = trifac::backend::cuda::first();
  add_facts(backend, properties);
  serve(backend, properties);
}
#else
void serve_cuda(facts) {
  refuse("the worker was built without CUDA");
}
#endif

#if TRIFAC_EXPECT_CUSOLVER
void serve_cusolver(facts properties) {
  serve(trifac::backend::cusolver::first(), properties);
}
#else
void serve_cusolver(facts) {
  refuse("the worker was built without cuSOLVER");
}
#endif

}  // namespace study
