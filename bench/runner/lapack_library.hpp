#pragma once
// A shared library with LAPACK's potrf, getrf, potrs and getrs (32-bit integers), loaded by name.

#include <dlfcn.h>

#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "trifac/matrix_view.hpp"

namespace bench {

/// The routines of one library, found by name: PREFIXdpotrf_ or PREFIXdpotrf, and so on.
class lapack_library {
 public:
  using integer = std::int32_t;
  using interchanges = std::vector<integer>;

  lapack_library(const std::string& file, std::string prefix)
      : handle_(dlopen(file.c_str(), RTLD_LAZY | RTLD_GLOBAL)), prefix_(std::move(prefix)) {
    if (handle_ == nullptr) throw std::runtime_error(dlerror());
    for (const char letter : {'s', 'd', 'c', 'z'}) {
      potrf_[index(letter)] = routine<potrf_function>(letter, "potrf");
      getrf_[index(letter)] = routine<getrf_function>(letter, "getrf");
      potrs_[index(letter)] = routine<potrs_function>(letter, "potrs");
      getrs_[index(letter)] = routine<getrs_function>(letter, "getrs");
    }
  }

  void* symbol(const std::string& name) const { return dlsym(handle_, name.c_str()); }
  const std::string& prefix() const { return prefix_; }

  template <class T>
  bool has_cholesky() const {
    return potrf<T>() != nullptr;
  }
  template <class T>
  bool has_lu() const {
    return getrf<T>() != nullptr;
  }

  template <class T>
  bool cholesky(trifac::triangle part, trifac::index_t n, T* a, trifac::index_t ld) {
    const char uplo = part == trifac::triangle::upper ? 'U' : 'L';
    const auto order = static_cast<integer>(n), stride = static_cast<integer>(ld);
    integer info = 0;
    potrf<T>()(&uplo, &order, a, &stride, &info, 1);
    return info == 0;
  }
  template <class T>
  bool lu(trifac::index_t n, T* a, trifac::index_t ld, interchanges& rows) {
    const auto order = static_cast<integer>(n), stride = static_cast<integer>(ld);
    integer info = 0;
    getrf<T>()(&order, &order, a, &stride, rows.data(), &info);
    return info == 0;
  }
  /// B := A⁻¹·B with what cholesky() of lower triangles has left, or lu().
  template <class T>
  bool solve_cholesky(trifac::index_t n, const T* a, trifac::index_t ld, T* b,
                      trifac::index_t sides = 1) {
    const auto order = static_cast<integer>(n), stride = static_cast<integer>(ld);
    const auto columns = static_cast<integer>(sides);
    integer info = 0;
    potrs_[index(trifac::lapack_letter<T>)]("L", &order, &columns, a, &stride, b, &order, &info, 1);
    return info == 0;
  }
  template <class T>
  bool solve_lu(trifac::index_t n, const T* a, trifac::index_t ld, const interchanges& rows, T* b,
                trifac::index_t sides = 1) {
    const auto order = static_cast<integer>(n), stride = static_cast<integer>(ld);
    const auto columns = static_cast<integer>(sides);
    integer info = 0;
    getrs_[index(trifac::lapack_letter<T>)]("N", &order, &columns, a, &stride, rows.data(), b,
                                            &order, &info, 1);
    return info == 0;
  }
  template <class T>
  bool has_solves() const {
    return potrs_[index(trifac::lapack_letter<T>)] && getrs_[index(trifac::lapack_letter<T>)];
  }
  trifac::index_t interchange(const interchanges& rows, trifac::index_t k) const {
    return rows[static_cast<std::size_t>(k)] - 1;
  }

 private:
  // The last argument is the length of uplo, which Fortran compilers pass behind the others.
  using potrf_function = void (*)(const char*, const integer*, void*, const integer*, integer*,
                                  std::size_t);
  using getrf_function = void (*)(const integer*, const integer*, void*, const integer*, integer*,
                                  integer*);
  using potrs_function = void (*)(const char*, const integer*, const integer*, const void*,
                                  const integer*, void*, const integer*, integer*, std::size_t);
  using getrs_function = void (*)(const char*, const integer*, const integer*, const void*,
                                  const integer*, const integer*, void*, const integer*, integer*,
                                  std::size_t);

  static std::size_t index(char letter) { return std::string("sdcz").find(letter); }
  template <class Function>
  Function routine(char letter, const std::string& name) const {
    void* found = symbol(prefix_ + letter + name + "_");
    if (found == nullptr) found = symbol(prefix_ + letter + name);
    return reinterpret_cast<Function>(found);
  }
  template <class T>
  potrf_function potrf() const {
    return potrf_[index(trifac::lapack_letter<T>)];
  }
  template <class T>
  getrf_function getrf() const {
    return getrf_[index(trifac::lapack_letter<T>)];
  }

  void* handle_;
  std::string prefix_;
  potrf_function potrf_[4];
  getrf_function getrf_[4];
  potrs_function potrs_[4];
  getrs_function getrs_[4];
};

using text_function = char* (*)();

/// OpenBLAS's or MKL's own words about what it is and which kernels it chose.
inline std::pair<std::string, std::string> describe(const lapack_library& library) {
  std::string core = "not said", config = "not said";
  if (void* f = library.symbol(library.prefix() + "openblas_get_corename"))
    core = reinterpret_cast<text_function>(f)();
  if (void* f = library.symbol(library.prefix() + "openblas_get_config"))
    config = reinterpret_cast<text_function>(f)();
  if (void* f = library.symbol("mkl_get_version_string")) {
    char text[256] = {};
    reinterpret_cast<void (*)(char*, int)>(f)(text, sizeof text - 1);
    config = text;
    config.erase(config.find_last_not_of(' ') + 1);
    const auto processor = config.find(" for ");
    core = processor == config.npos ? config : config.substr(processor + 5);
  }
  return {core, config};
}

inline void set_threads(const lapack_library& library, int threads) {
  if (void* f = library.symbol(library.prefix() + "openblas_set_num_threads"))
    reinterpret_cast<void (*)(int)>(f)(threads);
  if (void* f = library.symbol("MKL_Set_Num_Threads")) reinterpret_cast<void (*)(int)>(f)(threads);
}

}  // namespace bench
