// Cholesky: every variant on every backend, for each triangle, layout and size; LAPACK's test
// matrices and the gallery; what a failure reports and leaves behind; the same bits for any number
// of threads.

#include <gtest/gtest.h>

#include <limits>
#include <sstream>

#include "support/cholesky_engine.hpp"
#include "support/gallery.hpp"
#include "support/layouts.hpp"
#include "support/residual.hpp"
#include "support/scalars.hpp"
#include "trifac/variants.hpp"

namespace trifac::test {
namespace {

constexpr triangle both_triangles[] = {triangle::lower, triangle::upper};

std::string describe(triangle part) {
  return part == triangle::lower ? "lower" : "upper";
}

/// One way to factor: backend, variant, triangle.
template <class T>
struct way {
  const cholesky_engine<T>& on;
  variant v;
  triangle part;

  std::string description() const {
    return on.name() + ", " + std::string(to_string(v)) + ", " + describe(part);
  }
};

template <class T>
std::vector<way<T>> all_ways() {
  std::vector<way<T>> list;
  for (const auto& on : cholesky_engines<T>())
    for (variant v : all_variants())
      if (on->runs(v))
        for (triangle part : both_triangles) list.push_back({*on, v, part});
  return list;
}

/// visit(way) for each backend, variant and triangle, named in the message of a failure.
template <class T, class Visit>
void for_each_way(Visit visit) {
  for (const way<T>& how : all_ways<T>()) {
    if (!takes_its_turn(how.on)) continue;
    SCOPED_TRACE(how.description());
    visit(how);
    if (testing::Test::HasFatalFailure()) return;
  }
}

/// A Hermitian matrix whose leading minors of order 1 … k are positive and that of order k + 1 is
/// negative.
template <class T>
matrix<T> indefinite_at(random_source& random, index_t n, index_t k) {
  matrix<T> A = random_spd<T>(random, n);
  A(k, k) = T(-1);
  return A;
}

template <class T>
class Cholesky : public testing::Test {};
TYPED_TEST_SUITE(Cholesky, lapack_scalars, scalar_names);

TYPED_TEST(Cholesky, FactorsEverySizeInEveryLayout) {
  using T = TypeParam;
  random_source random(101);
  for (index_t n : {0, 1, 2, 3, 7, 8, 9, 15, 16, 17, 37}) {
    const matrix<T> A = random_spd<T>(random, n);
    for_each_way<T>([&](const way<T>& how) {
      for (layout where : layouts_for(how.on)) {
        SCOPED_TRACE(testing::Message() << "n = " << n << ", " << to_string(where));
        placed_matrix<T> placed(n, n, where);
        placed.assign(A, in_triangle(how.part));  // the other triangle holds guards
        placed.remember();
        const auto f = how.on.cholesky(how.v, placed.view(), {.part = how.part, .block = 8});
        EXPECT_TRUE(f.ok()) << f.status().message();
        EXPECT_TRUE(within(cholesky_ratio<T>(A, how.part, placed.view())));
        EXPECT_TRUE(placed.untouched_except(in_triangle(how.part)));
      }
    });
  }
}

TYPED_TEST(Cholesky, OutOfPlaceReadsOneMatrixAndWritesATriangleOfTheOther) {
  using T = TypeParam;
  random_source random(102);
  for (index_t n : {0, 1, 2, 9, 20}) {
    const matrix<T> A = random_spd<T>(random, n);
    for_each_way<T>([&](const way<T>& how) {
      for (layout from : layouts_for(how.on))
        for (layout to : {layout::padded, layout::row_major_padded, layout::strided}) {
          SCOPED_TRACE(testing::Message()
                       << "n = " << n << ", " << to_string(from) << " to " << to_string(to));
          placed_matrix<T> source(n, n, from), target(n, n, to);
          source.assign(A, in_triangle(how.part));
          source.remember();
          const auto f = how.on.cholesky(how.v, std::as_const(source).view(), target.view(),
                                         {.part = how.part, .block = 8});
          EXPECT_TRUE(f.ok()) << f.status().message();
          EXPECT_TRUE(within(cholesky_ratio<T>(A, how.part, target.view())));
          EXPECT_TRUE(source.untouched());
          EXPECT_TRUE(target.untouched_except(in_triangle(how.part)));
        }
    });
  }
}

TYPED_TEST(Cholesky, OutOfPlaceGivesTheBitsOfInPlace) {
  using T = TypeParam;
  random_source random(103);
  const index_t n = 29;
  const matrix<T> A = random_spd<T>(random, n);
  for_each_way<T>([&](const way<T>& how) {
    const cholesky_options options{.part = how.part, .block = 8};
    matrix<T> in_place = A, out_of_place = A;
    EXPECT_TRUE(how.on.cholesky(how.v, in_place.view(), options));
    EXPECT_TRUE(how.on.cholesky(how.v, A.view(), out_of_place.view(), options));
    EXPECT_TRUE(same_bits(in_place.view(), out_of_place.view()));
  });
}

TYPED_TEST(Cholesky, EveryBlockSizeAroundEverySize) {
  using T = TypeParam;
  random_source random(104);
  for (index_t n : {15, 16, 17, 33, 70}) {
    const matrix<T> A = random_spd<T>(random, n);
    for_each_way<T>([&](const way<T>& how) {
      for (index_t block : {0, 1, 16, 31, 100}) {
        SCOPED_TRACE(testing::Message() << "n = " << n << ", block = " << block);
        matrix<T> L = A;
        const auto f = how.on.cholesky(how.v, L.view(), {.part = how.part, .block = block});
        EXPECT_TRUE(f.ok()) << f.status().message();
        EXPECT_TRUE(within(cholesky_ratio<T>(A, how.part, f.matrix())));
      }
    });
  }
}

TYPED_TEST(Cholesky, LargeEnoughForSeveralDefaultBlocks) {
  using T = TypeParam;
  random_source random(105);
  for (index_t n : {200, 301}) {
    const matrix<T> A = random_spd<T>(random, n);
    for (const auto& on : cholesky_engines<T>())
      for (triangle part : both_triangles) {
        SCOPED_TRACE(on->name() + ", " + describe(part) + ", n = " + std::to_string(n));
        matrix<T> L = A;
        EXPECT_TRUE(on->cholesky(variant::best, L.view(), {.part = part}));
        EXPECT_TRUE(within(cholesky_ratio<T>(A, part, L)));
      }
  }
}

TYPED_TEST(Cholesky, LapacksTestMatrices) {
  using T = TypeParam;
  for (index_t n : {1, 2, 3, 5, 10, 50})
    for (int type = 1; type <= dpo_types; ++type) {
      if (dpo_skips(type, n)) continue;
      random_source random(1988);
      const auto test = dpo_matrix<T>(type, random, n);
      for_each_way<T>([&](const way<T>& how) {
        SCOPED_TRACE(testing::Message() << test.name << ", n = " << n);
        matrix<T> L = test.A;
        const auto f = how.on.cholesky(how.v, L.view(), {.part = how.part, .block = 8});
        if (test.first_zero >= 0) {
          EXPECT_EQ(f.status(), status::at(status_kind::not_positive_definite, test.first_zero));
        } else {
          EXPECT_TRUE(f.ok()) << f.status().message();
          EXPECT_TRUE(within(cholesky_ratio<T>(test.A, how.part, L)));
        }
      });
    }
}

TYPED_TEST(Cholesky, GalleryIsFactoredOrRefusedWithAGoodLeadingBlock) {
  using T = TypeParam;
  for (index_t n : {5, 12, 33})
    for (const auto& entry : definite_gallery<T>()) {
      const matrix<T> A = rotated(entry.make(n));
      for_each_way<T>([&](const way<T>& how) {
        SCOPED_TRACE(testing::Message() << entry.name << ", n = " << n);
        matrix<T> L = A;
        const auto f = how.on.cholesky(how.v, L.view(), {.part = how.part, .block = 8});
        const index_t good = f.ok() ? n : f.status().index();
        if (!f.ok()) {
          EXPECT_EQ(f.status().kind(), status_kind::not_positive_definite);
        }
        ASSERT_TRUE(0 < good && good <= n);
        EXPECT_TRUE(f.ok() || n > 5) << "none of them is that ill-conditioned";
        EXPECT_TRUE(within(cholesky_ratio<T>(A.view().block(0, 0, good, good), how.part,
                                             std::as_const(L).view().block(0, 0, good, good))));
      });
    }
}

TYPED_TEST(Cholesky, FactorsOfWholeNumbersAreExact) {
  using T = TypeParam;
  const index_t n = 12;
  for_each_way<T>([&](const way<T>& how) {
    const cholesky_options options{.part = how.part, .block = 5};
    matrix<T> ones = minij<T>(n), binomials = pascal<T>(n), signs = moler<T>(n);
    const auto f = how.on.cholesky(how.v, ones.view(), options);
    const auto g = how.on.cholesky(how.v, binomials.view(), options);
    const auto h = how.on.cholesky(how.v, signs.view(), options);
    ASSERT_TRUE(f && g && h);
    matrix<T> triangle_of_pascal(n, n);
    for (index_t j = 0; j < n; ++j)
      for (index_t i = j; i < n; ++i) {
        triangle_of_pascal(i, j) = j == 0 ? T(1)
                                          : triangle_of_pascal(i - 1, j - 1) +
                                                (i > j ? triangle_of_pascal(i - 1, j) : T(0));
        EXPECT_EQ(f.L()(i, j), T(1));
        EXPECT_EQ(g.L()(i, j), triangle_of_pascal(i, j)) << i << ", " << j;
        EXPECT_EQ(h.L()(i, j), T(i == j ? 1 : -1));
      }
  });
}

TYPED_TEST(Cholesky, SubnormalPivots) {
  using T = TypeParam;
  using R = real_t<T>;
  // Every element is subnormal and its factor a power of two: 2^(−2e) · minij = (2^(−e) · ones) ·
  // transpose.
  const int e = (2 - std::numeric_limits<R>::min_exponent + std::numeric_limits<R>::digits / 2) / 2;
  const R scale = std::ldexp(R(1), -2 * e), root = std::ldexp(R(1), -e);
  const index_t n = 14;
  matrix<T> A = minij<T>(n);
  for (index_t j = 0; j < n; ++j)
    for (index_t i = 0; i < n; ++i) A(i, j) *= T(scale);
  ASSERT_TRUE(R(0) < detail::real_part(A(0, 0)) &&
              detail::real_part(A(n - 1, n - 1)) < std::numeric_limits<R>::min());
  for_each_way<T>([&](const way<T>& how) {
    matrix<T> L = A;
    const auto f = how.on.cholesky(how.v, L.view(), {.part = how.part, .block = 5});
    ASSERT_TRUE(f.ok()) << f.status().message();
    for (index_t j = 0; j < n; ++j)
      for (index_t i = j; i < n; ++i) EXPECT_EQ(f.L()(i, j), T(root)) << i << ", " << j;
  });
}

TYPED_TEST(Cholesky, ReportsTheFirstBadMinorAndLeavesTheFactorBeforeIt) {
  using T = TypeParam;
  const index_t n = 21;
  for (index_t k = 0; k < n; ++k) {
    random_source random(106);
    const matrix<T> A = indefinite_at<T>(random, n, k);
    for_each_way<T>([&](const way<T>& how) {
      for (layout where : {layout::padded, layout::row_major_padded}) {
        SCOPED_TRACE(testing::Message() << "minor " << k << ", " << to_string(where));
        placed_matrix<T> placed(n, n, where);
        placed.assign(A, in_triangle(how.part));
        placed.remember();
        const auto f = how.on.cholesky(how.v, placed.view(), {.part = how.part, .block = 8});
        EXPECT_FALSE(f);
        EXPECT_EQ(f.status(), status::at(status_kind::not_positive_definite, k));
        EXPECT_TRUE(within(cholesky_ratio<T>(A.view().block(0, 0, k, k), how.part,
                                             std::as_const(placed).view().block(0, 0, k, k))));
        EXPECT_TRUE(placed.untouched_except(in_triangle(how.part)));
      }
    });
  }
}

TYPED_TEST(Cholesky, OutOfPlaceFailureLeavesTheFactorBeforeIt) {
  using T = TypeParam;
  const index_t n = 17;
  for (index_t k : {0, 1, 7, 8, 9, 16}) {
    random_source random(107);
    const matrix<T> A = indefinite_at<T>(random, n, k);
    for_each_way<T>([&](const way<T>& how) {
      SCOPED_TRACE(k);
      placed_matrix<T> source(A, layout::padded), target(n, n, layout::padded);
      const auto f = how.on.cholesky(how.v, std::as_const(source).view(), target.view(),
                                     {.part = how.part, .block = 8});
      EXPECT_EQ(f.status(), status::at(status_kind::not_positive_definite, k));
      EXPECT_TRUE(within(cholesky_ratio<T>(A.view().block(0, 0, k, k), how.part,
                                           std::as_const(target).view().block(0, 0, k, k))));
      EXPECT_TRUE(source.untouched());
      EXPECT_TRUE(target.untouched_except(in_triangle(how.part)));
    });
  }
}

TYPED_TEST(Cholesky, AnExactlyZeroPivotIsNotPositive) {
  using T = TypeParam;
  for (index_t k : {0, 1, 4, 5, 10}) {
    matrix<T> A =
        minij<T>(11);  // its factor is all ones, so the pivot is a_kk minus the k ones before it
    A(k, k) = number<T>(static_cast<double>(k));
    for_each_way<T>([&](const way<T>& how) {
      matrix<T> L = A;
      const auto f = how.on.cholesky(how.v, L.view(), {.part = how.part, .block = 5});
      EXPECT_EQ(f.status(), status::at(status_kind::not_positive_definite, k));
    });
  }
}

TYPED_TEST(Cholesky, NaNAndInfinityNeverPass) {
  using T = TypeParam;
  const index_t n = 9;
  random_source random(108);
  const matrix<T> A = random_spd<T>(random, n);
  for (double bad :
       {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity(),
        -std::numeric_limits<double>::infinity()})
    for (index_t j = 0; j < n; ++j)
      for (index_t i = 0; i < n; ++i)
        for_each_way<T>([&](const way<T>& how) {
          SCOPED_TRACE(testing::Message() << bad << " at " << i << ", " << j);
          matrix<T> L = A;
          L(i, j) = number<T>(bad);
          const auto f = how.on.cholesky(how.v, L.view(), {.part = how.part, .block = 4});
          if (!in_triangle(how.part)(i, j)) {
            EXPECT_TRUE(f.ok()) << "the other triangle was read: " << f.status().message();
            return;
          }
          EXPECT_EQ(f.status(), status::at(status_kind::not_finite, std::max(i, j)));
        });
}

TYPED_TEST(Cholesky, OverflowNeverPasses) {
  using T = TypeParam;
  using R = real_t<T>;
  // l_10 = 2^(e − e/4) overflows when squared, so the second pivot is −∞.
  const int e = std::numeric_limits<R>::max_exponent - 1;
  matrix<T> A(4, 4);
  for (index_t k = 0; k < 4; ++k) A(k, k) = T(1);
  A(0, 0) = T(std::ldexp(R(1), -e / 2));
  A(1, 0) = A(0, 1) = T(std::ldexp(R(1), e / 2));
  for_each_way<T>([&](const way<T>& how) {
    matrix<T> L = A;
    const auto f = how.on.cholesky(how.v, L.view(), {.part = how.part, .block = 2});
    EXPECT_EQ(f.status(), status::at(status_kind::not_finite, 1));
  });
}

TYPED_TEST(Cholesky, TheDiagonalIsTakenAsReal) {
  using T = TypeParam;
  if constexpr (is_complex<T>) {
    random_source random(109);
    const index_t n = 13;
    const matrix<T> A = random_spd<T>(random, n);
    for_each_way<T>([&](const way<T>& how) {
      matrix<T> L = A;
      for (index_t k = 0; k < n; ++k) L(k, k) = T(A(k, k).real(), 7);
      const auto f = how.on.cholesky(how.v, L.view(), {.part = how.part, .block = 4});
      EXPECT_TRUE(f.ok());
      EXPECT_TRUE(within(cholesky_ratio<T>(A, how.part, L)));
      for (index_t k = 0; k < n; ++k) EXPECT_EQ(L(k, k).imag(), 0);
    });
  }
}

TYPED_TEST(Cholesky, SameBitsForAnyNumberOfThreads) {
  using T = TypeParam;
  const auto& teams = cholesky_teams<T>();
  if (teams.empty()) GTEST_SKIP() << "no OpenMP in this build";
  random_source random(110);
  for (auto [n, part] : {std::pair<index_t, triangle>{1, triangle::lower},
                         {9, triangle::upper},
                         {40, triangle::lower},
                         {40, triangle::upper},
                         {131, triangle::lower}}) {
    const matrix<T> A = random_spd<T>(random, n);
    for (variant v : all_variants()) {
      if (!teams.front()->runs(v)) continue;
      SCOPED_TRACE(testing::Message() << to_string(v) << ", " << describe(part) << ", n = " << n);
      const cholesky_options options{.part = part, .block = 8};
      matrix<T> one = A;
      EXPECT_TRUE(teams.front()->cholesky(v, one.view(), options));
      for (const auto& more : teams) {
        matrix<T> L = A;
        EXPECT_TRUE(more->cholesky(v, L.view(), options));
        EXPECT_TRUE(same_bits(one.view(), L.view())) << more->name();
      }
    }
  }
}

TYPED_TEST(Cholesky, SameBitsForAnyNumberOfThreadsWhereWorkIsSharedByDefault) {
  using T = TypeParam;
  const auto& teams = cholesky_teams<T>();
  if (teams.empty()) GTEST_SKIP() << "no OpenMP in this build";
  random_source random(111);
  const index_t n = 433;  // enough work for a team
  const matrix<T> A = random_spd<T>(random, n);
  for (triangle part : both_triangles) {
    matrix<T> one = A;
    EXPECT_TRUE(teams.front()->cholesky(variant::best, one.view(), {.part = part}));
    EXPECT_TRUE(within(cholesky_ratio<T>(A, part, one)));
    for (const auto& more : teams) {
      for (variant v :
           {variant::best, variant::packed}) {  // packed has its team on a busy machine too
        matrix<T> L = A;
        EXPECT_TRUE(more->cholesky(v, L.view(), {.part = part}));
        EXPECT_TRUE(same_bits(one.view(), L.view())) << more->name();
      }
    }
  }
}

// Of a device the last columns are the host's, and with its sequential loop their bits too.
TYPED_TEST(Cholesky, CutoffChangesNoBitOnTheHost) {
  using T = TypeParam;
  random_source random(112);
  const index_t n = 30;
  const matrix<T> A = random_spd<T>(random, n);
  for_each_way<T>([&](const way<T>& how) {
    matrix<T> expected = A;
    EXPECT_TRUE(how.on.cholesky(how.v, expected.view(), {.part = how.part, .block = 8}));
    for (index_t cutoff : {1, 8, 29, 30, 1000}) {
      matrix<T> L = A;
      EXPECT_TRUE(
          how.on.cholesky(how.v, L.view(), {.part = how.part, .block = 8, .cutoff = cutoff}));
      EXPECT_TRUE(within(cholesky_ratio<T>(A, how.part, L))) << "cutoff " << cutoff;
      if (!how.on.is_device()) {
        EXPECT_TRUE(same_bits(expected.view(), L.view())) << "cutoff " << cutoff;
      }
    }
  });
}

TYPED_TEST(Cholesky, TriangularViewsOfTheFactor) {
  using T = TypeParam;
  random_source random(113);
  const index_t n = 6;
  const matrix<T> A = random_spd<T>(random, n);
  for (triangle part : both_triangles) {
    matrix<T> stored = A;
    const auto f = cholesky(stored, {.part = part});
    ASSERT_TRUE(f);
    EXPECT_EQ(f.part(), part);
    EXPECT_EQ(f.rows(), n);
    EXPECT_EQ(f.matrix().data(), stored.data());
    for (index_t j = 0; j < n; ++j)
      for (index_t i = 0; i < n; ++i) {
        const T l = i < j                     ? T(0)
                    : part == triangle::lower ? stored(i, j)
                                              : detail::conjugate(stored(j, i));
        EXPECT_EQ(f.L()(i, j), l);
        EXPECT_EQ(f.U()(j, i), detail::conjugate(l));
      }
  }
}

TYPED_TEST(Cholesky, FullLapacksCheckerWithItsSizesAndBlocks) {
  using T = TypeParam;
  for (index_t n : {1, 2, 3, 5, 10, 50, 132})
    for (int type = 1; type <= dpo_types; ++type) {
      if (dpo_skips(type, n)) continue;
      random_source random(1989);
      const auto test = dpo_matrix<T>(type, random, n);
      for (const way<T>& how : all_ways<T>())
        for (index_t block : {1, 3, 20}) {
          SCOPED_TRACE(testing::Message() << how.description() << ", " << test.name << ", n = " << n
                                          << ", block = " << block);
          matrix<T> L = test.A;
          const auto f = how.on.cholesky(how.v, L.view(), {.part = how.part, .block = block});
          if (test.first_zero >= 0) {
            EXPECT_EQ(f.status(), status::at(status_kind::not_positive_definite, test.first_zero));
          } else {
            EXPECT_TRUE(f.ok()) << f.status().message();
            EXPECT_TRUE(within(cholesky_ratio<T>(test.A, how.part, L)));
          }
        }
    }
}

TYPED_TEST(Cholesky, FullLargeOrders) {
  using T = TypeParam;
  random_source random(114);
  for (index_t n : {255, 256, 257, 500, 513, 777}) {
    const matrix<T> A = random_spd<T>(random, n);
    for (const way<T>& how : all_ways<T>()) {
      if (how.part == triangle::upper && n % 2 == 0) continue;
      SCOPED_TRACE(testing::Message() << how.description() << ", n = " << n);
      placed_matrix<T> placed(n, n, layout::padded);
      placed.assign(A, in_triangle(how.part));
      placed.remember();
      EXPECT_TRUE(how.on.cholesky(how.v, placed.view(), {.part = how.part}));
      EXPECT_TRUE(within(cholesky_ratio<T>(A, how.part, placed.view())));
      EXPECT_TRUE(placed.untouched_except(in_triangle(how.part)));
    }
  }
}

}  // namespace
}  // namespace trifac::test
