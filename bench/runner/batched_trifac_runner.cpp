// Runner of trifac's batches. Arguments: threads (one means backend::serial), interleaved|canonical.

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
          B_(count, n, 1,
             library.canonical ? trifac::batch_layout::canonical() : trifac::batch_layout{}),
          info_(static_cast<std::size_t>(count)),
          rows_(static_cast<std::size_t>(trifac::batch_interchanges_size(count, n, n))) {}

    void load(index_t k, bench::matrix_view<const T> A) {
      for (index_t j = 0; j < A.cols(); ++j)
        for (index_t i = 0; i < A.rows(); ++i) A_(k, i, j) = A(i, j);
    }
    void load_side(index_t k, bench::matrix_view<const T> B) {
      for (index_t i = 0; i < B.rows(); ++i) B_(k, i, 0) = B(i, 0);
    }
    index_t factor() {
      return on_threads([this](const auto& backend) { return factor_on(backend); });
    }
    index_t solve() {
      return on_threads([this](const auto& backend) {
        return lu_ ? !trifac::try_solve(backend, LU_, B_) : !trifac::try_solve(backend, L_, B_);
      });
    }
    index_t both() {
      return on_threads([this](const auto& backend) {
        return lu_ ? trifac::try_lu_solve(backend, A_, B_, {.info = info_, .interchanges = rows_})
                         .failed_count()
                   : trifac::try_cholesky_solve(backend, A_, B_, {.info = info_}).failed_count();
      });
    }
    void store(index_t k, bench::matrix_view<T> A) const {
      for (index_t j = 0; j < A.cols(); ++j)
        for (index_t i = 0; i < A.rows(); ++i) A(i, j) = A_(k, i, j);
    }
    void store_side(index_t k, bench::matrix_view<T> X) const {
      for (index_t i = 0; i < X.rows(); ++i) X(i, 0) = B_(k, i, 0);
    }
    index_t interchange(index_t k, index_t i) const {
      return rows_[static_cast<std::size_t>(k / 16 * 16 * A_.rows() + 16 * i + k % 16)];
    }

   private:
    template <class Call>
    index_t on_threads(Call call) {
      return library_.threads > 1 ? call(trifac::backend::openmp{.threads = library_.threads})
                                  : call(trifac::backend::serial{});
    }
    template <class B>
    index_t factor_on(const B& backend) {
      if (lu_) {
        LU_ = trifac::try_lu(backend, A_, {.info = info_, .interchanges = rows_});
        return LU_.failed_count();
      }
      L_ = trifac::try_cholesky(backend, A_, {.info = info_});
      return L_.failed_count();
    }

    const trifac_batches& library_;
    bool lu_;
    trifac::batch<T> A_, B_;
    trifac::batch_cholesky_factor<T> L_;
    trifac::batch_lu_factor<T> LU_;
    std::vector<std::int32_t> info_, rows_;
  };
};

/// Bytes per second, read and written, of a copy of 64 MiB by one thread, of its processor time: the best
/// of several.
double copy_bandwidth() {
  const std::size_t bytes = std::size_t{64} << 20;
  std::vector<char> from(bytes, 1), to(bytes);
  double best = 0;
  for (int i = 0; i < 8; ++i) {
    const double begin = bench::thread_seconds();
    std::copy(from.begin(), from.end(), to.begin());
    best = std::max(best, 2.0 * static_cast<double>(bytes) / (bench::thread_seconds() - begin));
    from[static_cast<std::size_t>(i)] = to[static_cast<std::size_t>(i) + 1];
  }
  return best;
}

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
                    {"copy_bandwidth", number(copy_bandwidth())},
                    {"peak_double", number(bench::multiply_add_peak<double>())},
                    {"peak_float", number(bench::multiply_add_peak<float>())}});
  bench::serve_batches(library);
}
