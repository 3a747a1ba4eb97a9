// Fuzz target for the readers: any bytes give a matrix or a read_error of one line, and a matrix
// that was read survives being written and read again. Build with clang++ -fsanitize=fuzzer, or
// with replay.cpp for the files of corpus/.

#include <complex>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <sstream>
#include <string>
#include <string_view>

#include "trifac/io/read_matrix.hpp"

namespace {

using namespace trifac;

constexpr io::read_limits small{.memory_bytes = 1 << 14};

void require(bool holds) {
  if (!holds) std::abort();
}

template <class R>
bool same(const R& a, const R& b) {
  if constexpr (is_complex<R>)
    return same(a.real(), b.real()) && same(a.imag(), b.imag());
  else
    return a == b || (a != a && b != b);
}

template <class T>
void require_same(const matrix<T>& A, const matrix<T>& B) {
  require(A.rows() == B.rows() && A.cols() == B.cols());
  if (A.empty()) return;
  for (index_t j = 0; j < A.cols(); ++j)
    for (index_t i = 0; i < A.rows(); ++i) require(same(A(i, j), B(i, j)));
}

template <class T>
void read_as(std::string_view bytes) {
  try {
    const matrix<T> A = io::parse_matrix<T>(bytes, "fuzz", small);
    const io::matrix_file about = io::describe_matrix(bytes, "fuzz");
    require(A.rows() == about.rows && A.cols() == about.cols);
    if (A.empty()) return;
    std::stringstream text, binary;
    io::write_matrix_market(text, A);
    io::write_npy(binary, A);
    require_same(io::read_matrix_market<T>(text, "text"), A);
    require_same(io::read_npy<T>(binary, "binary"), A);
  } catch (const io::read_error& error) {
    require(error.file() == "fuzz" &&
            std::string_view(error.what()).find('\n') == std::string::npos);
    require(error.line() >= 0 && error.byte() <= static_cast<index_t>(bytes.size()));
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  read_as<double>(bytes);
  read_as<float>(bytes);
  read_as<std::complex<float>>(bytes);
  return 0;
}
