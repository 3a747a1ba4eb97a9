// The LAPACK this program is linked with. Its threads are set by its environment variables.

#include <dlfcn.h>

#include "serve.hpp"

namespace study {

#if TRIFAC_EXPECT_LAPACK
void serve_lapack(facts properties) {
  std::string library = "not said";
  if (void* symbol = dlsym(RTLD_DEFAULT, "openblas_get_config"))
    library = reinterpret_cast<const char* (*)()>(symbol)();
  properties.emplace_back("library", library);
  serve(trifac::backend::lapack{}, properties);
}
#else
void serve_lapack(facts) {
  refuse("the worker was built without LAPACKE");
}
#endif

}  // namespace study
