// Runner of a shared library in a loop over canonical matrices, or of MKL's compact calls on
// interleaved ones. Arguments: file, prefix of its symbols (may be empty), threads, loop|compact.

#include <cstdlib>

#include "batched.hpp"
#include "lapack_library.hpp"

namespace {

using bench::index_t;

struct library_loop {
  bench::lapack_library& library;

  template <class T>
  std::string can(bool lu, index_t) const {
    return (lu ? library.has_lu<T>() : library.has_cholesky<T>()) && library.has_solves<T>()
               ? ""
               : "has no such routine";
  }

  template <class T>
  class batch : public bench::loop_batch<T, batch<T>> {
   public:
    batch(const library_loop& all, bool lu, index_t n, index_t count)
        : bench::loop_batch<T, batch<T>>(n, count),
          library_(all.library),
          lu_(lu),
          n_(n),
          rows_(static_cast<std::size_t>(count), rows_of_one(static_cast<std::size_t>(n))) {}

    bool factor_one(index_t k) {
      return lu_ ? library_.lu<T>(n_, this->at(k), n_, rows_[static_cast<std::size_t>(k)])
                 : library_.cholesky<T>(trifac::triangle::lower, n_, this->at(k), n_);
    }
    bool solve_one(index_t k) {
      return lu_ ? library_.solve_lu<T>(n_, this->at(k), n_, rows_[static_cast<std::size_t>(k)],
                                        this->side(k))
                 : library_.solve_cholesky<T>(n_, this->at(k), n_, this->side(k));
    }
    index_t interchange(index_t k, index_t i) const {
      return library_.interchange(rows_[static_cast<std::size_t>(k)], i);
    }

   private:
    using rows_of_one = bench::lapack_library::interchanges;

    bench::lapack_library& library_;
    bool lu_;
    index_t n_;
    std::vector<rows_of_one> rows_;
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
      for (index_t k = 0; k < count; ++k) columns_.push_back(this->side(k));
      packed_.resize(lines(n_));
      packed_sides_.resize(lines(1));
    }

    /// Packing is not timed: the batch lies so from the start, as ours does.
    void ready() {
      pack()(column_major, n_, n_, matrices_.data(), n_, memory(packed_), n_, format_, count_);
    }
    void sides_ready() {
      pack()(column_major, n_, 1, columns_.data(), n_, memory(packed_sides_), n_, format_, count_);
    }
    index_t factor() {
      int info = 0;
      library_.routine<void (*)(int, int, int, T*, int, int*, int, int)>(name<T>("potrf_compact"))(
          column_major, lower, n_, memory(packed_), n_, &info, format_, count_);
      return info != 0;
    }
    index_t solve() {
      const auto trsm = library_.routine<void (*)(int, int, int, int, int, int, int, T, const T*,
                                                  int, T*, int, int, int)>(name<T>("trsm_compact"));
      for (const int op : {no_transpose, transpose})
        trsm(column_major, left, lower_triangle, op, not_unit, n_, 1, T(1), memory(packed_), n_,
             memory(packed_sides_), n_, format_, count_);
      return 0;
    }
    index_t both() { return factor() + solve(); }
    void results() {
      unpack()(column_major, n_, n_, matrices_.data(), n_, memory(packed_), n_, format_, count_);
      unpack()(column_major, n_, 1, columns_.data(), n_, memory(packed_sides_), n_, format_,
               count_);
    }
    index_t interchange(index_t, index_t i) const { return i; }

   private:
    // Of MKL's enumerations.
    static constexpr int column_major = 102, lower = 122, left = 141, lower_triangle = 122,
                         no_transpose = 111, transpose = 112, not_unit = 131;
    struct alignas(64) line {
      char bytes[64];
    };

    std::size_t lines(int columns) const {
      const int bytes = library_.routine<int (*)(int, int, int, int)>(name<T>("get_size_compact"))(
          n_, columns, format_, count_);
      return static_cast<std::size_t>(bytes) / 64 + 1;
    }
    auto pack() const {
      return library_.routine<void (*)(int, int, int, T* const*, int, T*, int, int, int)>(
          name<T>("gepack_compact"));
    }
    auto unpack() const {
      return library_.routine<void (*)(int, int, int, T**, int, const T*, int, int, int)>(
          name<T>("geunpack_compact"));
    }
    static T* memory(std::vector<line>& memory) { return reinterpret_cast<T*>(memory.data()); }

    const mkl_compact& library_;
    int n_, count_, format_;
    std::vector<T*> matrices_, columns_;
    std::vector<line> packed_, packed_sides_;
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
