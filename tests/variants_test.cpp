// Variants and methods by run-time name, and the storage of the published versions.

#include "trifac/variants.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <type_traits>

#include "backends.hpp"
#include "bench/study/cholesky_run.hpp"
#include "bench/study/names.hpp"
#include "support/layouts.hpp"
#include "support/matrices.hpp"
#include "support/residual.hpp"

namespace trifac::test {
namespace {

TEST(AnyVariant, NamesGoThereAndBack) {
  std::set<std::string_view> names;
  for (std::size_t v = 0; v < variant_names.size(); ++v) {
    const auto name = to_string(static_cast<variant>(v));
    EXPECT_EQ(variant_from_string(name), static_cast<variant>(v));
    names.insert(name);
  }
  EXPECT_EQ(names.size(), variant_names.size()) << "two variants share a name";
  EXPECT_FALSE(variant_from_string("no such variant"));
  EXPECT_FALSE(variant_from_string(""));
  EXPECT_EQ(to_string(variant::crout_distributed_sum), "crout_distributed_sum");
}

TEST(AnyVariant, EveryVariantIsInTheListOfAFactorization) {
  for (std::size_t i = 0; i < variant_names.size(); ++i) {
    const auto v = static_cast<variant>(i);
    EXPECT_TRUE(is_cholesky_variant(v) || is_lu_variant(v)) << to_string(v);
  }
  EXPECT_EQ(std::set(cholesky_variants.begin(), cholesky_variants.end()).size(),
            cholesky_variants.size());
  EXPECT_EQ(std::set(lu_variants.begin(), lu_variants.end()).size(), lu_variants.size());
}

TEST(AnyVariant, GivesTheBitsOfTheNamedCall) {
  random_source random(801);
  const auto A = random_spd<double>(random, 25);
  const auto expect_same = [&A](variant v, auto named_call) {
    SCOPED_TRACE(to_string(v));
    matrix<double> expected = A, chosen = A;
    named_call(expected);
    EXPECT_TRUE(try_cholesky(v, backend::serial{}, chosen.view(), {.block = 8}));
    EXPECT_TRUE(same_bits(chosen.view(), expected.view()));
  };
  expect_same(variant::crout, [](auto& L) { (void)cholesky<variant::crout>(L, {.block = 8}); });
  expect_same(variant::top_looking,
              [](auto& L) { (void)cholesky<variant::top_looking>(L, {.block = 8}); });
  matrix<double> expected = A, chosen = A;
  const lu_options by_tournament{.pivoting = pivoting::tournament, .block = 8, .leaves = 2};
  (void)lu<variant::right_looking>(expected, by_tournament);
  EXPECT_TRUE(try_lu(variant::right_looking, backend::serial{}, chosen.view(), by_tournament));
  EXPECT_TRUE(same_bits(chosen.view(), expected.view()));
}

TEST(AnyVariant, RefusesTheOtherFactorizationsVariants) {
  random_source random(802);
  placed_matrix<double> A(random_spd<double>(random, 5), layout::padded);
  EXPECT_STREQ(try_cholesky(variant::four_block, backend::serial{}, A.view()).status().argument(),
               "variant");
  EXPECT_STREQ(try_lu(variant::banachiewicz, backend::serial{}, A.view()).status().argument(),
               "variant");
  EXPECT_TRUE(A.untouched());
}

TEST(AnyVariant, EveryMethodFactorsInItsOwnStorageOnEveryBackend) {
  random_source random(803);
  for (index_t n : {1, 2, 33}) {
    const auto A = random_spd<double>(random, n);
    for (const cholesky_method& method : cholesky_methods)
      for_each_backend([&](const auto& backend, const std::string& name) {
        SCOPED_TRACE(std::string(method.name) + " on " + name);
        cholesky_run<double> run(method, n);
        matrix<double> L(n, n);
        for (int repetition = 0; repetition < 2; ++repetition) {
          run.load(A);
          const status s = run.factor(backend, {.cutoff = 3});
          if (!supports(backend, method.algorithm)) {
            EXPECT_EQ(s.kind(), status_kind::invalid_argument);
            continue;
          }
          EXPECT_TRUE(s) << s.message();
          run.store(L);
          EXPECT_TRUE(within(cholesky_ratio<double>(A, triangle::lower, L)));
        }
      });
  }
}

TEST(AnyVariant, MethodsByNameIncludeTheSixOfTheThesis) {
  for (const char* name : {"banachiewicz_row_pointers", "crout_row_pointers", "crout_contiguous",
                           "crout_contiguous_transposed", "crout_contiguous_in_place",
                           "crout_contiguous_in_place_transposed"}) {
    const auto method = cholesky_method_from_string(name);
    ASSERT_TRUE(method) << name;
    EXPECT_EQ(method->name, name);
    EXPECT_EQ(method->in_place, std::string(name).find("in_place") != std::string::npos);
  }
  EXPECT_FALSE(cholesky_method_from_string("crout_upside_down"));
}

TEST(AnyVariant, EveryLuMethodFactorsInBothLayoutsOnEveryBackend) {
  random_source random(804);
  for (index_t n : {1, 2, 33}) {
    const auto A = dominant_matrix<double>(random, n, n);
    for (const lu_method& method : lu_methods)
      for (layout where : {layout::padded, layout::row_major})
        for_each_backend([&](const auto& backend, const std::string& name) {
          SCOPED_TRACE(testing::Message()
                       << method.name << " on " << name << ", " << to_string(where));
          EXPECT_EQ(lu_method_from_string(method.name)->algorithm, method.algorithm);
          placed_matrix<double> LU(A, where);
          const auto f = try_lu(method.algorithm, backend, LU.view(),
                                {.pivoting = method.pivoting,
                                 .selection = method.selection,
                                 .block = 8,
                                 .leaves = method.pivoting == pivoting::tournament ? 2 : 0});
          if (name == "lapack" && method.name != "best") {
            EXPECT_EQ(f.status().kind(), status_kind::invalid_argument);
            return;
          }
          EXPECT_TRUE(f) << f.status().message();
          EXPECT_TRUE(within(lu_ratio<double>(A, f.matrix(), f.interchanges().span())));
        });
  }
  EXPECT_FALSE(lu_method_from_string("lu_by_magic"));
}

TEST(Names, AreDifferentAndGoThereAndBack) {
  std::set<std::string_view> choices;
  for (const named_choice& choice : named_choices) {
    EXPECT_TRUE(choices.insert(choice.what).second) << choice.what;
    EXPECT_GE(choice.names.size(), 2u) << choice.what;
    EXPECT_EQ(std::set<std::string_view>(choice.names.begin(), choice.names.end()).size(),
              choice.names.size())
        << choice.what;
    EXPECT_EQ(names_for(choice.what).data(), choice.names.data());
    for (std::string_view name : choice.names)
      EXPECT_EQ(name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_+"), name.npos)
          << name;
  }
  EXPECT_TRUE(names_for("nothing of the kind").empty());
  for (std::string_view name : names_for("cholesky"))
    EXPECT_TRUE(cholesky_method_from_string(name)) << name;
  for (std::string_view name : names_for("lu")) EXPECT_TRUE(lu_method_from_string(name)) << name;
}

TEST(Names, AreInTheOrderOfTheirEnumerations) {
  using namespace device;
  EXPECT_EQ(value_named<column_kernels>(column_kernels_names, "multiple"),
            column_kernels::multiple);
  EXPECT_EQ(value_named<column_kernels>(column_kernels_names, "single"), column_kernels::single);
  EXPECT_EQ(value_named<column_kernels>(column_kernels_names, "rounds"), column_kernels::rounds);
  EXPECT_EQ(value_named<cutoff_loop>(cutoff_loop_names, "scalar"), cutoff_loop::scalar);
  EXPECT_EQ(value_named<cutoff_loop>(cutoff_loop_names, "vector"), cutoff_loop::vector);
  EXPECT_EQ(value_named<float_model>(float_model_names, "ieee"), float_model::ieee);
  EXPECT_EQ(value_named<float_model>(float_model_names, "fast"), float_model::fast);
  EXPECT_EQ(to_string(block_kernels::packed), "packed");
  EXPECT_EQ(to_string(block_kernels::rows), "rows");
  EXPECT_EQ(to_string(block_kernels::columns), "columns");
  EXPECT_EQ(to_string(block_kernels::several_groups), "several_groups");
  EXPECT_EQ(to_string(block_kernels::group_per_block), "group_per_block");
  EXPECT_EQ(to_string(block_kernels::group_per_block_local), "group_per_block_local");
  using backend::device_kind;
  EXPECT_EQ(value_named<device_kind>(device_kind_names, "any"), device_kind::any);
  EXPECT_EQ(value_named<device_kind>(device_kind_names, "cpu"), device_kind::cpu);
  EXPECT_EQ(value_named<device_kind>(device_kind_names, "gpu"), device_kind::gpu);
  EXPECT_EQ(value_named<device_kind>(device_kind_names, "accelerator"), device_kind::accelerator);
  for (pivoting p : {pivoting::none, pivoting::partial, pivoting::tournament})
    EXPECT_EQ(value_named<pivoting>(pivoting_names, to_string(p)), p);
  for (selection s : {selection::plain, selection::scaled})
    EXPECT_EQ(value_named<selection>(selection_names, to_string(s)), s);
  EXPECT_FALSE(value_named<cutoff_loop>(cutoff_loop_names, ""));
}

TEST(RowPointers, FailuresAndWrongArgumentsAreReported) {
  const index_t n = 6;
  row_pointer_matrix<double> A(n, n), L(n, n), small(3, 3);
  for (index_t i = 0; i < n; ++i) A(i, i) = i == 4 ? -1 : 1;
  const auto crout = [](const auto& from, auto& to, cholesky_options options = {}) {
    return try_cholesky<variant::crout>(backend::serial{}, from, to, options);
  };
  EXPECT_EQ(crout(A, L), status::at(status_kind::not_positive_definite, 4));
  EXPECT_EQ(try_cholesky<variant::banachiewicz>(backend::serial{}, A, L),
            status::at(status_kind::not_positive_definite, 4));
  EXPECT_STREQ(crout(A, small).argument(), "L");
  EXPECT_STREQ(crout(A, L, {.part = triangle::upper}).argument(), "options.part");
  EXPECT_STREQ(crout(A, L, {.cutoff = -1}).argument(), "options.cutoff");
  EXPECT_EQ(A(4, 4), -1);
}

}  // namespace
}  // namespace trifac::test
