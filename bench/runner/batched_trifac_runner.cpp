// Runner of trifac's batches. Arguments: threads (one means backend::serial),
// interleaved|canonical.

#include <cstdlib>

#include "../peak.hpp"
#include "batched.hpp"
#include "trifac/backend/openmp.hpp"
#include "trifac/batch.hpp"

namespace {

using bench::index_t;

struct trifac_batches {
  int threads = 1;
  bool canonical = false;

  template <class T>
  std::string can(bool, index_t n) const {
    return n > 256 ? "batches are for orders up to 256" : "";
  }

  template <class T>
  class batch {
   public:
    batch(const trifac_batches& library, bool lu, index_t n, index_t count)
        : library_(library),
          lu_(lu),
          A_(count, n, n,
             library.canonical ? trifac::batch_layout::canonical() : trifac::batch_layout{}),
          info_(static_cast<std::size_t>(count)),
          rows_(static_cast<std::size_t>(trifac::batch_interchanges_size(count, n, n))) {}

    void load(index_t k, bench::matrix_view<const T> A) {
      for (index_t j = 0; j < A.cols(); ++j)
        for (index_t i = 0; i < A.rows(); ++i) A_(k, i, j) = A(i, j);
    }
    index_t factor() {
      return library_.threads > 1 ? factor_on(trifac::backend::openmp{.threads = library_.threads})
                                  : factor_on(trifac::backend::serial{});
    }
    void store(index_t k, bench::matrix_view<T> A) const {
      for (index_t j = 0; j < A.cols(); ++j)
        for (index_t i = 0; i < A.rows(); ++i) A(i, j) = A_(k, i, j);
    }
    index_t interchange(index_t k, index_t i) const {
      return rows_[static_cast<std::size_t>(k / 16 * 16 * A_.rows() + 16 * i + k % 16)];
    }

   private:
    template <class B>
    index_t factor_on(const B& backend) {
      if (lu_)
        return trifac::try_lu(backend, A_, {.info = info_, .interchanges = rows_}).failed_count();
      return trifac::try_cholesky(backend, A_, {.info = info_}).failed_count();
    }

    const trifac_batches& library_;
    bool lu_;
    trifac::batch<T> A_;
    std::vector<std::int32_t> info_, rows_;
  };
};

std::string number(double x) {
  std::ostringstream text;
  text.imbue(std::locale::classic());
  text << x;
  return text.str();
}

}  // namespace

int main(int argc, char** argv) {
  trifac_batches library;
  library.threads = argc > 1 ? std::atoi(argv[1]) : 1;
  library.canonical = argc > 2 && std::string(argv[2]) == "canonical";
  bench::introduce({{"core", std::string(to_string(trifac::simd::active_isa()))},
                    {"config", std::string(argc > 2 ? argv[2] : "interleaved") +
                                   ", header-only, -O2, no -march"},
                    {"peak_double", number(bench::multiply_add_peak<double>())},
                    {"peak_float", number(bench::multiply_add_peak<float>())}});
  bench::serve_batches(library);
}
