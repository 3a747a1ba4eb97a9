#include "serve.hpp"

namespace study {

void serve_serial(facts properties) {
  serve(trifac::backend::serial{}, properties);
}

}  // namespace study
