// Runner of trifac itself. Argument: threads; one means backend::serial.

#include <cstdlib>

#include "../peak.hpp"
#include "protocol.hpp"
#include "trifac/backend/openmp.hpp"
#include "trifac/cholesky.hpp"
#include "trifac/factored.hpp"
#include "trifac/lu.hpp"
#include "trifac/solve.hpp"

namespace {

template <class Backend>
class trifac_library {
 public:
  using interchanges = trifac::pivots;

  explicit trifac_library(const Backend& backend) : backend_(backend) {}

  template <class T>
  bool has_cholesky() const {
    return true;
  }
  template <class T>
  bool has_lu() const {
    return true;
  }

  template <class T>
  bool cholesky(trifac::triangle part, trifac::index_t n, T* a, trifac::index_t ld) {
    return trifac::try_cholesky(backend_, trifac::column_major(a, n, n, ld), {.part = part}).ok();
  }
  template <class T>
  bool lu(trifac::index_t n, T* a, trifac::index_t ld, trifac::pivots& p) {
    return trifac::try_lu(backend_, trifac::column_major(a, n, n, ld), p).ok();
  }
  trifac::index_t interchange(const trifac::pivots& p, trifac::index_t k) const { return p[k]; }

  template <class T>
  bool has_solves() const {
    return true;
  }
  template <class T>
  bool solve_cholesky(trifac::index_t n, const T* a, trifac::index_t ld, T* b,
                      trifac::index_t sides) {
    const auto f = trifac::factored_cholesky(trifac::column_major(a, n, n, ld));
    return trifac::try_solve(backend_, f, trifac::column_major(b, n, sides)).ok();
  }
  template <class T>
  bool solve_lu(trifac::index_t n, const T* a, trifac::index_t ld, const trifac::pivots& p, T* b,
                trifac::index_t sides) {
    const auto f =
        trifac::factored_lu(trifac::column_major(a, n, n, ld), p.span(), trifac::ipiv_base::zero);
    return trifac::try_solve(backend_, f, trifac::column_major(b, n, sides)).ok();
  }

 private:
  Backend backend_;
};

template <class Backend>
void serve_with(const Backend& backend) {
  trifac_library<Backend> library(backend);
  bench::serve(library);
}

std::string number(double x) {
  std::ostringstream text;
  text.imbue(std::locale::classic());
  text << x;
  return text.str();
}

}  // namespace

int main(int argc, char** argv) {
  const int threads = argc > 1 ? std::atoi(argv[1]) : 1;
  bench::introduce({{"core", std::string(to_string(trifac::simd::active_isa()))},
                    {"config", "header-only, -O2, no -march"},
                    {"peak_double", number(bench::multiply_add_peak<double>())},
                    {"peak_float", number(bench::multiply_add_peak<float>())}});
  if (threads <= 1)
    serve_with(trifac::backend::serial{});
  else
    serve_with(trifac::backend::openmp{.threads = threads});
}
