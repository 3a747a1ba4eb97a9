#include "trifac/backend/openmp.hpp"

#include "serve.hpp"

namespace study {

void serve_openmp(int threads, facts properties) {
  serve(trifac::backend::openmp{.threads = threads}, properties);
}

}  // namespace study
