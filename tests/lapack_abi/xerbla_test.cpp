// A program that is linked with libtrifac_lapack.so, and not told to export its names: the library
// reports wrong arguments to its XERBLA.

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>

namespace {
std::string reports;
}

extern "C" {
void dpotrf_(const char* uplo, const std::int32_t* n, double* a, const std::int32_t* lda,
             std::int32_t* info);
void dpotrf_64_(const char* uplo, const std::int64_t* n, double* a, const std::int64_t* lda,
                std::int64_t* info);
void xerbla_(const char* name, const std::int32_t* position, std::size_t length) {
  reports += std::string(name, length) + ' ' + std::to_string(*position) + '\n';
}
void xerbla_64_(const char* name, const std::int64_t* position, std::size_t length) {
  reports += "64: " + std::string(name, length) + ' ' + std::to_string(*position) + '\n';
}
}

int main() {
  double a = 1;
  const std::int32_t n = -1, lda = 1;
  const std::int64_t long_n = 2, long_lda = 1;
  std::int32_t info = 0;
  std::int64_t long_info = 0;
  dpotrf_("L", &n, &a, &lda, &info);
  dpotrf_64_("U", &long_n, &a, &long_lda, &long_info);
  std::printf("%sinfo %d, %d\n", reports.c_str(), static_cast<int>(info),
              static_cast<int>(long_info));
  return reports == "DPOTRF 2\n64: DPOTRF 4\n" && info == -2 && long_info == -4 ? 0 : 1;
}
