// Runner of a shared library in a loop over canonical matrices, or of MKL's compact calls on
// interleaved ones. Arguments: file, prefix of its symbols (may be empty), threads, loop|compact.

#include <cstdlib>

#include "batched.hpp"
#include "lapack_library.hpp"

namespace {

using bench::index_t;

using rows_of_one = bench::lapack_library::interchanges;

struct library_loop {
  bench::lapack_library& library;

  template <class T>
  std::string can(bool lu, index_t) const {
    return (lu ? library.has_lu<T>() : library.has_cholesky<T>()) ? "" : "has no such routine";
  }

  template <class T>
  class batch : public bench::canonical_loop<T, rows_of_one> {
   public:
    batch(const library_loop& all, bool lu, index_t n, index_t count)
        : bench::canonical_loop<T, rows_of_one>(n, count, rows_of_one(static_cast<std::size_t>(n))),
          library_(all.library),
          lu_(lu),
          n_(n) {}

    index_t factor() {
      return this->each([&](T* A, rows_of_one& rows) {
        return lu_ ? library_.lu<T>(n_, A, n_, rows)
                   : library_.cholesky<T>(trifac::triangle::lower, n_, A, n_);
      });
    }
    index_t interchange(index_t k, index_t i) const {
      return library_.interchange(this->rows(k), i);
    }

   private:
    bench::lapack_library& library_;
    bool lu_;
    index_t n_;
  };
};

/// MKL's compact batches: as many matrices interleaved as a vector has elements. LU is without
/// pivoting there, which is another factorization.
struct mkl_compact {
  bench::lapack_library& library;

  template <class T>
  static std::string name(const char* routine) {
    return std::string("mkl_") + trifac::lapack_letter<T> + routine;
  }
  template <class Function>
  Function routine(const std::string& name) const {
    return reinterpret_cast<Function>(library.symbol(name));
  }
  template <class T>
  std::string can(bool lu, index_t) const {
    if (lu) return "its compact LU has no pivoting";
    return library.symbol(name<T>("potrf_compact")) != nullptr ? "" : "has no compact routines";
  }

  template <class T>
  class batch : public bench::canonical_batch<T> {
   public:
    batch(const mkl_compact& all, bool, index_t n, index_t count)
        : bench::canonical_batch<T>(n, count),
          library_(all),
          n_(static_cast<int>(n)),
          count_(static_cast<int>(count)),
          format_(all.routine<int (*)()>("mkl_get_format_compact")()) {
      for (index_t k = 0; k < count; ++k) matrices_.push_back(this->at(k));
      const int bytes = all.routine<int (*)(int, int, int, int)>(name<T>("get_size_compact"))(
          n_, n_, format_, count_);
      packed_.resize(static_cast<std::size_t>(bytes) / 64 + 1);
    }

    /// Packing is not timed: the batch lies so from the start, as ours does.
    void ready() {
      pack("gepack_compact", [&](auto call) {
        call(column_major, n_, n_, matrices_.data(), n_, memory(), n_, format_, count_);
      });
    }
    index_t factor() {
      int info = 0;
      library_.routine<void (*)(int, int, int, T*, int, int*, int, int)>(name<T>("potrf_compact"))(
          column_major, lower, n_, memory(), n_, &info, format_, count_);
      return info != 0;
    }
    void store(index_t k, bench::matrix_view<T> A) {
      if (k == 0)
        library_.routine<void (*)(int, int, int, T**, int, const T*, int, int, int)>(
            name<T>("geunpack_compact"))(column_major, n_, n_, matrices_.data(), n_, memory(), n_,
                                         format_, count_);
      bench::canonical_batch<T>::store(k, A);
    }
    index_t interchange(index_t, index_t i) const { return i; }

   private:
    static constexpr int column_major = 102, lower = 122;
    struct alignas(64) line {
      char bytes[64];
    };

    template <class Call>
    void pack(const char* routine, Call call) {
      call(library_.routine<void (*)(int, int, int, T* const*, int, T*, int, int, int)>(
          name<T>(routine)));
    }
    T* memory() { return reinterpret_cast<T*>(packed_.data()); }

    const mkl_compact& library_;
    int n_, count_, format_;
    std::vector<T*> matrices_;
    std::vector<line> packed_;
  };
};

}  // namespace

int main(int argc, char** argv) try {
  if (argc != 5) throw std::runtime_error("takes FILE PREFIX THREADS loop|compact");
  bench::lapack_library library(argv[1], argv[2]);
  set_threads(library, std::atoi(argv[3]));
  const auto [core, config] = describe(library);
  const std::string how = argv[4];
  bench::introduce({{"core", core}, {"config", config + ", " + how}});
  if (how == "compact") {
    mkl_compact compact{library};
    bench::serve_batches(compact);
  } else {
    library_loop loop{library};
    bench::serve_batches(loop);
  }
} catch (const std::exception& e) {
  bench::refuse(e.what());
  return 1;
}
