#pragma once
// What a code block without main() in README.md or docs/ may use; README.md beside this file
// describes the wrapping.

#include <complex>
#include <cstdio>
#include <exception>
#include <initializer_list>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "trifac/trifac.hpp"

namespace snippet {

inline constexpr int skipped = 77;
inline constexpr trifac::index_t n = 24;

inline trifac::matrix<double> A;                ///< symmetric positive definite, n×n
inline trifac::matrix<float> F;                 ///< the same in float
inline trifac::matrix<std::complex<double>> Z;  ///< the same, complex
inline trifac::matrix<double> B;                ///< right-hand sides, n×3
inline trifac::matrix<double> b;                ///< a right-hand side, n×1

/// Gives every block fresh matrices.
inline void reset() {
  A = trifac::matrix<double>(n, n);
  F = trifac::matrix<float>(n, n);
  Z = trifac::matrix<std::complex<double>>(n, n);
  B = trifac::matrix<double>(n, 3);
  b = trifac::matrix<double>(n, 1);
  for (trifac::index_t j = 0; j < n; ++j)
    for (trifac::index_t i = 0; i < n; ++i) {
      A(i, j) = i == j ? 4.0 : 1.0 / static_cast<double>(1 + i + j);
      F(i, j) = static_cast<float>(A(i, j));
      Z(i, j) = A(i, j);
    }
  for (trifac::index_t i = 0; i < n; ++i) {
    b(i, 0) = static_cast<double>(i) - 3;
    for (trifac::index_t j = 0; j < 3; ++j) B(i, j) = b(i, 0) + static_cast<double>(j);
  }
}

/// `return report(status)` fails the block.
inline int report(const trifac::status& s) {
  std::printf("  %s\n", s.message().c_str());
  return 1;
}
/// `return report(reason)`: something is not on this machine; the block is skipped.
inline int report(std::string_view reason) {
  std::printf("  %.*s\n", static_cast<int>(reason.size()), reason.data());
  return skipped;
}

struct entry {
  const char* place;
  int (*run)();
};

/// Runs the blocks of a page. Fails where one fails; `skipped` where all were skipped.
inline int run_all(std::initializer_list<entry> entries) {
  int failed = 0, ran = 0;
  for (const entry& e : entries) {
    reset();
    std::printf("%s\n", e.place);
    int code = 1;
    try {
      code = e.run();
    } catch (const std::exception& error) {
      std::printf("  threw: %s\n", error.what());
    }
    std::printf("  %s\n", code == 0 ? "ran" : code == skipped ? "skipped" : "FAILED");
    ran += code == 0;
    failed += code != 0 && code != skipped;
  }
  return failed > 0 ? 1 : ran > 0 ? 0 : skipped;
}

}  // namespace snippet
