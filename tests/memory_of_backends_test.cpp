// Memory, by loop nests of the test's own: each allocation of a factorization or a solve may fail,
// on every backend of the host and where it is timed, and a backend without packed panels takes the
// workspace of its nest.

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "backends.hpp"
#include "support/counted_memory.inl"
#include "support/layouts.hpp"
#include "support/matrices.hpp"
#include "support/residual.hpp"
#include "trifac/backend/automatic.hpp"
#include "trifac/backend/timed.hpp"
#include "trifac/nests.hpp"
#include "trifac/solve.hpp"
#include "trifac/trace.hpp"
#include "trifac/variants.hpp"

namespace trifac::test {
namespace {

// What a backend has that knows nothing of packed panels: the block operations.
struct plain_only {
  static constexpr std::string_view name = "plain only";
  availability available() const noexcept { return {true, ""}; }
  friend constexpr bool supports(const plain_only&, variant) { return true; }
};
template <class Nest>
void run(const plain_only&, status& outcome, double flops, Nest nest) {
  run(backend::serial{}, outcome, flops, nest);
}

/// There `best` is right_looking, whose panels may be wider than packed ones.
TEST(MemoryOfBackends, BackendsWithoutPackedPanelsTakeTheWorkspaceOfTheirNest) {
  const matrix<double> S = spd(300);
  matrix<double> L = S;
  EXPECT_TRUE(cholesky(plain_only{}, L));
  EXPECT_TRUE(within(cholesky_ratio<double>(S, triangle::lower, L)));
  for (index_t n : {96, 700})
    for (index_t block : {0, 600}) {
      SCOPED_TRACE(testing::Message() << "n = " << n << ", block = " << block);
      const matrix<double> A = general(n, n);
      lu_options options{.pivoting = pivoting::tournament, .block = block};
      guarded_bytes memory(lu_workspace_bytes<double, variant::right_looking>(n, n, options));
      options.workspace = memory.from(0);
      matrix<double> LU = A;
      const auto f = lu(plain_only{}, LU, options);
      EXPECT_TRUE(f);
      EXPECT_TRUE(within(lu_ratio<double>(A, LU, f.interchanges().span())));
      EXPECT_TRUE(memory.tail_untouched());
    }
}

/// visit(backend, name) for each backend of the host, `automatic` among them, and for whole
/// factorizations that are timed.
template <class Visit>
void for_each_host(Visit visit) {
  for_each_backend([&](const auto& on, const std::string& name) {
    visit(on, name);
    if constexpr (LibraryBackend<std::remove_cvref_t<decltype(on)>, double>) {
      backend::operation_times times;
      visit(backend::timed(on, times), "timed " + name);
    }
  });
  visit(backend::automatic<>(profile{}), std::string("automatic"));
}

/// Variants whose teams wait at a barrier for each row or column, on matrices that have many.
bool waits_long(std::string_view backend, variant v, index_t n) {
  return backend == backend::openmp::name && n > 20 &&
         (detail::is_by_elements(v) || v == variant::unblocked);
}

/// try_lu<v> with the caller's pivots, v known at run time.
template <class B>
status lu_status(variant v, const B& on, matrix_view<double> A, pivots& p,
                 const lu_options& options) {
  return detail::with_variant<lu_variants>(
      v, [&]<variant V>() { return try_lu<V>(on, A, p, options).status(); },
      [] { return status::argument("variant", "is not one of LU"); });
}

TEST(MemoryOfBackends, AnyAllocationOfCholeskyMayFail) {
  int mattered = 0;
  for (index_t n : {20, 150}) {
    const matrix<double> A = spd(n);
    for_each_host([&](const auto& on, const std::string& name) {
      for (variant v : cholesky_variants)
        for (triangle part : {triangle::lower, triangle::upper})
          for (layout where : {layout::padded, layout::row_major_padded, layout::strided}) {
            if (!supports(on, v) || waits_long(name, v, n)) continue;
            SCOPED_TRACE(name + ", " + std::string(to_string(v)) + ", n = " + std::to_string(n) +
                         ", " + std::string(to_string(where)));
            const cholesky_options options{.part = part};
            placed_matrix<double> in(n, n, where), out(n, n, where), expected(A, where);
            in.assign(A, [](index_t, index_t) { return true; });
            in.remember();
            ASSERT_TRUE(try_cholesky(v, on, expected.view(), options));
            const auto is_expected = [&](matrix_view<const double> L) {
              for (index_t j = 0; j < n; ++j)
                for (index_t i = 0; i < n; ++i)
                  if (in_triangle(part)(i, j) && !same_element(L(i, j), expected.view()(i, j)))
                    return false;
              return true;
            };
            mattered += expect_nothing_touched(
                [] {},
                [&] {
                  return try_cholesky(v, on, std::as_const(in).view(), out.view(), options)
                      .status();
                },
                [&] { return out.untouched() && in.untouched(); },
                [&] {
                  const bool good = is_expected(out.view());
                  out.restore();
                  return good && in.untouched();
                });
            mattered += expect_nothing_touched(
                [] {}, [&] { return try_cholesky(v, on, in.view(), options).status(); },
                [&] { return in.untouched(); },
                [&] {
                  const bool good = is_expected(in.view());
                  in.restore();
                  return good;
                });
          }
    });
  }
  EXPECT_GT(mattered, 20);
}

TEST(MemoryOfBackends, AnyAllocationOfLuMayFail) {
  int mattered = 0, ways = 0;
  pivots other(3);  // of another factorization
  other[0] = 2;
  for (index_t n : {20, 150}) {
    random_source random(553);
    const matrix<double> A = dominant_matrix<double>(random, n, n);
    for_each_host([&](const auto& on, const std::string& name) {
      for (variant v : lu_variants)
        for (pivoting how : {pivoting::none, pivoting::partial, pivoting::tournament})
          for (selection rule : {selection::plain, selection::scaled})
            for (layout where : {layout::padded, layout::row_major_padded, layout::strided}) {
              if (waits_long(name, v, n)) continue;
              SCOPED_TRACE(name + ", " + std::string(to_string(v)) + ", " +
                           std::string(to_string(how)) + ", " + std::string(to_string(rule)) +
                           ", n = " + std::to_string(n) + ", " + std::string(to_string(where)));
              const lu_options options{
                  .pivoting = how, .selection = rule, .block = 32, .leaves = 3};
              placed_matrix<double> LU(A, where), expected(A, where);
              pivots p, expected_p;
              const status possible = lu_status(v, on, expected.view(), expected_p, options);
              if (possible.kind() == status_kind::invalid_argument)
                continue;  // no such combination
              ASSERT_TRUE(possible);
              ++ways;
              mattered += expect_nothing_touched(
                  [&] { p = other; }, [&] { return lu_status(v, on, LU.view(), p, options); },
                  [&] { return LU.untouched() && p == other; },
                  [&] {
                    const bool good = same_bits(LU.view(), expected.view()) && p == expected_p;
                    LU.restore();
                    return good;
                  });
            }
    });
  }
  EXPECT_GT(mattered, 20);
  EXPECT_GT(ways, 100);
}

TEST(MemoryOfBackends, AnyAllocationOfASolveMayFail) {
  int mattered = 0;
  const matrix<double> S = spd(150), A = general(150, 150), B = general(150, 40);
  for (layout where : {layout::padded, layout::row_major_padded, layout::strided}) {
    placed_matrix<double> stored_S(S, where), stored_A(A, where);
    const auto f = cholesky(stored_S.view());
    const auto g = lu(stored_A.view());
    for_each_host([&](const auto& on, const std::string& name) {
      for (operation op : {operation::none, operation::transpose})
        for (index_t columns : {1, 40}) {
          SCOPED_TRACE(name + ", " + std::to_string(columns) + " columns, " +
                       std::string(to_string(where)));
          const auto right = B.view().block(0, 0, 150, columns);
          const auto check = [&](const auto& factor) {
            placed_matrix<double> X(right, where), expected(right, where);
            solve(on, factor, expected.view(), op);
            mattered +=
                expect_nothing_touched([] {}, [&] { return try_solve(on, factor, X.view(), op); },
                                       [&] { return X.untouched(); },
                                       [&] {
                                         const bool good = same_bits(X.view(), expected.view());
                                         X.restore();
                                         return good;
                                       });
          };
          check(f);
          check(g);
        }
    });
  }
#if TRIFAC_EXPECT_LAPACK
  EXPECT_GT(mattered, 0);
#else
  EXPECT_EQ(mattered, 0) << "a solve without memory goes on in smaller pieces";
#endif
}

/// Without any memory products go on in smaller pieces, with the same bits.
TEST(MemoryOfBackends, ProductsWithoutMemoryHaveTheSameBits) {
  for (index_t n : {150, 300}) {
    const matrix<double> A = spd(n);
    for_each_host([&](const auto& on, const std::string& name) {
      for (variant v : {variant::left_looking, variant::right_looking, variant::recursive,
                        variant::top_looking}) {
        if (!supports(on, v)) continue;
        SCOPED_TRACE(name + ", " + std::string(to_string(v)));
        matrix<double> expected = A, L = A;
        ASSERT_TRUE(try_cholesky(v, on, expected.view(), {.block = 100}));
        free_workspace_cache();
        memory_is_full = true;
        const status s = try_cholesky(v, on, L.view(), {.block = 100}).status();
        memory_is_full = false;
        EXPECT_TRUE(s) << s.message();
        EXPECT_TRUE(same_bits(L.view(), expected.view()));
      }
    });
  }
}

}  // namespace
}  // namespace trifac::test
