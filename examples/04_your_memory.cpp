// trifac on memory you already have: row-major arrays, blocks of larger matrices, std::vector, and
// a matrix that is moved in.

#include <array>
#include <complex>
#include <cstdio>
#include <trifac/trifac.hpp>
#include <vector>

namespace {

// A factor that owns its matrix can be returned.
trifac::cholesky_factor<double> factor_of_identity(trifac::index_t n) {
  trifac::matrix<double> A(n, n);
  for (trifac::index_t i = 0; i < n; ++i) A(i, i) = 4;
  return trifac::cholesky(std::move(A)).or_throw();
}

}  // namespace

int main() {
  using complex = std::complex<double>;

  // A Hermitian matrix, row-major, as the upper triangle of the first three rows and columns of a
  // 4×4 array.
  std::array<complex, 16> memory{};
  const auto A = trifac::row_major(memory.data(), 4, 4).block(0, 0, 3, 3);
  for (trifac::index_t i = 0; i < 3; ++i) A(i, i) = 3;
  A(0, 1) = complex(0, 1);
  A(1, 2) = complex(1, -1);

  const auto factor = trifac::cholesky(A, {.part = trifac::triangle::upper});
  if (!factor) return 1;
  std::vector<complex> x{1, 2, 3};
  trifac::solve(factor, x);
  for (const complex& value : x) std::printf("%8.4f %+8.4fi\n", value.real(), value.imag());

  const auto identity = factor_of_identity(3);
  std::printf("L(0, 0) = %g, U(0, 1) = %g\n", identity.L()(0, 0), identity.U()(0, 1));

  // Without exceptions: a wrong argument is a status that names it.
  const auto wrong = trifac::try_cholesky(trifac::row_major(memory.data(), 3, 4));
  std::printf("%s\n", wrong.status().message().c_str());
}
