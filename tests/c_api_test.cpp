// trifac.h: each function has the results of the C++ call of its name, to the bit, for every type,
// layout and option; and which of them allocate. (c_api/ has programs in C and Fortran.)

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <new>
#include <string_view>
#include <vector>

#include "support/batches.hpp"
#include "support/layouts.hpp"
#include "support/matrices.hpp"
#include "support/scalars.hpp"
#include "trifac.h"
#include "trifac/backend/threads.hpp"
#include "trifac/batch.hpp"
#include "trifac/trifac.hpp"

namespace {

std::atomic<int> allocations = 0;
std::atomic<bool> memory_is_full = false;

void* allocate(std::size_t bytes, std::size_t alignment) {
  ++allocations;
  const std::size_t rounded = (bytes + alignment - 1) / alignment * alignment;
  void* const memory =
      memory_is_full ? nullptr : std::aligned_alloc(alignment, rounded > 0 ? rounded : alignment);
  if (!memory) throw std::bad_alloc();
  return memory;
}
void release(void* memory) {
  std::free(memory);
}

}  // namespace

#include "support/replaced_new.inl"

namespace trifac::test {
namespace {

/// The functions of one type without its letter.
template <class T>
struct c_api;
#define TRIFAC_TEST_C_API(T, x)                                                            \
  template <>                                                                              \
  struct c_api<T> {                                                                        \
    using matrix = trifac_##x##matrix;                                                     \
    using batch = trifac_##x##batch;                                                       \
    using factor = trifac_##x##factor;                                                     \
    using batch_factor = trifac_##x##batch_factor;                                         \
    static factor* create() { return trifac_##x##factor_create(); }                        \
    static batch_factor* create_batch() { return trifac_##x##batch_factor_create(); }      \
    static void destroy(factor* f) { trifac_##x##factor_destroy(f); }                      \
    static void destroy(batch_factor* f) { trifac_##x##batch_factor_destroy(f); }          \
    static constexpr auto cholesky = trifac_##x##cholesky;                                 \
    static constexpr auto cholesky_workspace_bytes = trifac_##x##cholesky_workspace_bytes; \
    static constexpr auto lu = trifac_##x##lu;                                             \
    static constexpr auto lu_workspace_bytes = trifac_##x##lu_workspace_bytes;             \
    static constexpr auto interchanges = trifac_##x##interchanges;                         \
    static constexpr auto cholesky_solve = trifac_##x##cholesky_solve;                     \
    static constexpr auto lu_solve = trifac_##x##lu_solve;                                 \
    static constexpr auto batch_workspace_bytes = trifac_##x##batch_workspace_bytes;       \
    static constexpr auto solve = trifac_##x##solve;                                       \
    static constexpr auto inverse = trifac_##x##inverse;                                   \
    static constexpr auto determinant = trifac_##x##determinant;                           \
    static constexpr auto log_determinant = trifac_##x##log_determinant;                   \
    static constexpr auto reciprocal_condition = trifac_##x##reciprocal_condition;         \
    static constexpr auto refine = trifac_##x##refine;                                     \
    static constexpr auto update = trifac_##x##update;                                     \
    static constexpr auto downdate = trifac_##x##downdate;                                 \
    static constexpr auto batch_cholesky = trifac_##x##batch_cholesky;                     \
    static constexpr auto batch_lu = trifac_##x##batch_lu;                                 \
    static constexpr auto batch_cholesky_solve = trifac_##x##batch_cholesky_solve;         \
    static constexpr auto batch_lu_solve = trifac_##x##batch_lu_solve;                     \
    static constexpr auto batch_solve = trifac_##x##batch_solve;                           \
    static constexpr auto batch_inverse = trifac_##x##batch_inverse;                       \
  }
TRIFAC_TEST_C_API(float, s);
TRIFAC_TEST_C_API(double, d);
TRIFAC_TEST_C_API(std::complex<float>, c);
TRIFAC_TEST_C_API(std::complex<double>, z);

template <class T>
struct factors {
  factors() = default;
  ~factors() {
    c_api<T>::destroy(one);
    c_api<T>::destroy(many);
  }
  factors(const factors&) = delete;
  factors& operator=(const factors&) = delete;

  typename c_api<T>::factor* one = c_api<T>::create();
  typename c_api<T>::batch_factor* many = c_api<T>::create_batch();
};

template <class T>
typename c_api<T>::matrix for_c(const matrix_view<T>& A) {
  return {A.data(), A.rows(), A.cols(), A.row_stride(), A.col_stride()};
}
/// A batch of whole chunks; one in a single chunk has none for C.
template <class T>
typename c_api<T>::batch for_c(const batch_view<T>& A) {
  const auto& s = A.strides();
  typename c_api<T>::batch C{nullptr, nullptr,      A.batch(),    A.rows(), A.cols(),
                             0,       s.row_stride, s.col_stride, 0,        0};
  if (A.has_pointers()) {
    C.pointers = A.pointers();
    return C;
  }
  C.data = A.address(0);
  if (s.chunk == 1) {
    C.matrix_stride = s.chunk_stride;
  } else {
    C.matrix_stride = s.lane_stride;
    if (s.first + A.batch() > s.chunk) {
      C.chunk = s.chunk;
      C.chunk_stride = s.chunk_stride;
    }
  }
  return C;
}

testing::AssertionResult same_status(const trifac_status& c, const status& s) {
  if (c.kind == static_cast<int>(s.kind()) && c.index == s.index() &&
      std::string_view(c.argument) == s.argument())
    return testing::AssertionSuccess();
  return testing::AssertionFailure() << "kind " << c.kind << ", index " << c.index << ", argument "
                                     << c.argument << "; in C++: " << s.message();
}

/// Two copies of a matrix in the same layout, for C and for C++.
template <class T>
struct twice {
  twice(const matrix<T>& A, layout where) : c(A.view(), where), cpp(A.view(), where) {}
  testing::AssertionResult same() const {
    return c.guards_untouched() ? same_bits(c.view(), cpp.view())
                                : testing::AssertionFailure() << "wrote outside of the matrix";
  }
  placed_matrix<T> c, cpp;
};

/// Of numbers that headers compute, in the library and here with other optimization: to rounding.
template <class T>
bool same_number(const T& c, const T& cpp) {
  return same_element(c, cpp) ||
         detail::absolute(T(c - cpp)) <= 16 * unit_roundoff<T> * detail::absolute(cpp);
}

template <class T>
class CApi : public testing::Test {};
TYPED_TEST_SUITE(CApi, lapack_scalars, scalar_names);

constexpr index_t orders[] = {0, 1, 2, 6, 9, 33, 64, 65, 129};

/// Every call on a factor of A, which is f in C++ and held by `factor` in C.
template <class T, class F>
void expect_the_same_with(typename c_api<T>::factor* factor, const F& f, const matrix<T>& A,
                          layout where) {
  using c = c_api<T>;
  using R = real_t<T>;
  const backend::threads two{.threads = 2};
  trifac_options options = TRIFAC_OPTIONS_INIT;
  options.threads = 2;
  random_source random(static_cast<std::uint64_t>(2000 + A.rows()));
  const matrix<T> B = random_matrix<T>(random, A.rows(), 3);
  for (const operation op : {operation::none, operation::transpose, operation::adjoint}) {
    twice<T> X(B, where);
    EXPECT_TRUE(same_status(c::solve(factor, for_c(X.c.view()), static_cast<int>(op), &options),
                            try_solve(two, f, X.cpp.view(), op)));
    EXPECT_TRUE(X.same());

    twice<T> of_A(A, where), of_B(B, where);
    R backward[3] = {}, forward[3] = {};
    const auto refined = try_refine(two, of_A.cpp.view(), f, of_B.cpp.view(), X.cpp.view(), op);
    EXPECT_TRUE(
        same_status(c::refine(for_c(of_A.c.view()), factor, for_c(of_B.c.view()), for_c(X.c.view()),
                              static_cast<int>(op), backward, forward, &options),
                    refined.status()));
    EXPECT_TRUE(X.same());
    EXPECT_TRUE(of_A.c.untouched() && of_B.c.untouched());
    for (std::size_t j = 0; j < refined.backward_errors.size(); ++j) {
      EXPECT_TRUE(same_number(backward[j], refined.backward_errors[j]));
      EXPECT_TRUE(same_number(forward[j], refined.forward_bounds[j]));
    }
  }
  twice<T> X(A, where);
  EXPECT_TRUE(same_status(c::inverse(factor, for_c(X.c.view()), &options),
                          try_inverse(two, f, X.cpp.view())));
  EXPECT_TRUE(X.same());

  T determinant(7), sign(7);
  R log_abs(7), condition(7), expected_condition(7);
  determinant_t<F> expected(7);
  signed_logarithm<determinant_t<F>> logarithm{7, 7};
  EXPECT_TRUE(same_status(c::determinant(factor, &determinant), try_determinant(f, expected)));
  EXPECT_TRUE(same_number(determinant, T(expected)));
  EXPECT_TRUE(
      same_status(c::log_determinant(factor, &sign, &log_abs), try_log_determinant(f, logarithm)));
  EXPECT_TRUE(same_number(sign, T(logarithm.sign)) && same_number(log_abs, logarithm.log_abs));
  for (const norm_kind kind : {norm_kind::one, norm_kind::infinity}) {
    EXPECT_TRUE(
        same_status(c::reciprocal_condition(factor, static_cast<int>(kind), &condition, &options),
                    try_reciprocal_condition(two, f, f.norm(kind), kind, expected_condition)));
    EXPECT_TRUE(same_number(condition, expected_condition));
  }
}

TYPED_TEST(CApi, CholeskyIsThatOfCpp) {
  using T = TypeParam;
  using c = c_api<T>;
  const factors<T> made;
  random_source random(2001);
  for (const index_t n : orders)
    for (const layout where : all_layouts)
      for (const triangle part : {triangle::lower, triangle::upper})
        for (const bool bad : {false, true}) {
          SCOPED_TRACE(testing::Message() << "n = " << n << ", " << to_string(where) << ", part "
                                          << static_cast<int>(part) << ", bad " << bad);
          matrix<T> S = random_spd<T>(random, n);
          if (bad && n > 0) S(n / 2, n / 2) = T(-1);
          trifac_cholesky_options options = TRIFAC_CHOLESKY_OPTIONS_INIT;
          options.part = static_cast<int>(part);
          options.norm = 1;
          twice<T> A(S, where), again(S, where), X(random_matrix<T>(random, n, 2), where);
          const auto f = try_cholesky(A.cpp.view(), {.part = part, .norm = true});
          EXPECT_TRUE(same_status(c::cholesky(for_c(A.c.view()), made.one, &options), f.status()));
          EXPECT_TRUE(A.same());
          EXPECT_TRUE(
              same_status(c::cholesky_solve(for_c(again.c.view()), for_c(X.c.view()), &options),
                          try_cholesky_solve(again.cpp.view(), X.cpp.view(), {.part = part})));
          EXPECT_TRUE(again.same() && X.same());
          if (f) expect_the_same_with<T>(made.one, f, S, where);
        }
}

TYPED_TEST(CApi, LuIsThatOfCpp) {
  using T = TypeParam;
  using c = c_api<T>;
  const factors<T> made;
  random_source random(2002);
  for (const index_t n : orders)
    for (const layout where : all_layouts)
      for (const pivoting how : {pivoting::none, pivoting::partial, pivoting::tournament})
        for (const index_t m : {n, n + 3, n / 2}) {
          SCOPED_TRACE(testing::Message()
                       << m << " x " << n << ", " << to_string(where) << ", " << to_string(how));
          const matrix<T> G = random_matrix<T>(random, m, n);
          trifac_lu_options options = TRIFAC_LU_OPTIONS_INIT;
          options.pivoting = static_cast<int>(how);
          options.norm = 1;
          twice<T> A(G, where), again(G, where), X(random_matrix<T>(random, m, 2), where);
          const auto f = try_lu(A.cpp.view(), {.pivoting = how, .norm = true});
          EXPECT_TRUE(same_status(c::lu(for_c(A.c.view()), made.one, &options), f.status()));
          EXPECT_TRUE(A.same());
          for (index_t k = 0; k < std::min(m, n); ++k)
            EXPECT_EQ(c::interchanges(made.one)[k], f.interchanges()[k]);
          EXPECT_TRUE(same_status(c::lu_solve(for_c(again.c.view()), for_c(X.c.view()), &options),
                                  try_lu_solve(again.cpp.view(), X.cpp.view(), {.pivoting = how})));
          EXPECT_TRUE(again.same() && X.same());
          if (m == n) expect_the_same_with<T>(made.one, f, G, where);
        }
}

TYPED_TEST(CApi, NumbersThatAreNotFiniteAreThoseOfCpp) {
  using T = TypeParam;
  using c = c_api<T>;
  using limits = std::numeric_limits<real_t<T>>;
  const factors<T> made;
  random_source random(2003);
  for (const index_t n : {1, 5, 70})
    for (const real_t<T> x : {limits::quiet_NaN(), limits::infinity()}) {
      matrix<T> S = random_spd<T>(random, n);
      S(n / 2, n / 2) = T(x);
      twice<T> A(S, layout::padded), B(S, layout::padded);
      const auto f = try_lu(A.cpp.view());
      const trifac_status s = c::lu(for_c(A.c.view()), made.one, nullptr);
      EXPECT_TRUE(same_status(s, f.status()));
      EXPECT_EQ(s.kind, TRIFAC_NOT_FINITE);
      EXPECT_TRUE(A.same());
      for (index_t k = 0; k < n; ++k) EXPECT_EQ(c::interchanges(made.one)[k], f.interchanges()[k]);
      EXPECT_EQ(c::solve(made.one, for_c(B.c.view()), TRIFAC_NO_TRANSPOSE, nullptr).index, s.index);
      EXPECT_TRUE(B.c.untouched());
      EXPECT_TRUE(same_status(c::cholesky(for_c(B.c.view()), made.one, nullptr),
                              try_cholesky(B.cpp.view()).status()));
    }
}

TYPED_TEST(CApi, ConditionNeedsANormThatIsFinite) {
  using T = TypeParam;
  using R = real_t<T>;
  using c = c_api<T>;
  const factors<T> made;
  matrix<T> A(2, 2);
  A(0, 0) = A(1, 0) = T(std::numeric_limits<R>::max() / R(1.5));  // their sum overflows
  A(1, 1) = T(1);
  const auto blamed = [&](auto options, const auto& factored) {
    matrix<T> kept(A);
    options.size = sizeof options;
    EXPECT_EQ(factored(for_c(kept.view()), made.one, &options).kind, TRIFAC_SUCCESS);
    R value(7);
    const trifac_status s = c::reciprocal_condition(made.one, TRIFAC_NORM_ONE, &value, nullptr);
    EXPECT_EQ(value, R(7));
    EXPECT_EQ(s.kind, TRIFAC_INVALID_ARGUMENT);
    return std::string(s.argument);
  };
  trifac_lu_options with{}, without{};
  with.norm = 1;
  EXPECT_EQ(blamed(with, c::lu), "factor");
  A(1, 0) = T(0);
  EXPECT_EQ(blamed(without, c::lu), "factor");
}

TYPED_TEST(CApi, UpdatesAreThoseOfCpp) {
  using T = TypeParam;
  using c = c_api<T>;
  const factors<T> made;
  random_source random(2004);
  for (const index_t n : orders)
    for (const layout where : padded_layouts) {
      SCOPED_TRACE(testing::Message() << "n = " << n << ", " << to_string(where));
      twice<T> A(random_spd<T>(random, n), where), X(random_matrix<T>(random, n, 3), where);
      auto f = try_cholesky(A.cpp.view());
      c::cholesky(for_c(A.c.view()), made.one, nullptr);
      for (int k = 0; k < 3; ++k) {  // the last one has no factor
        const bool up = k == 0;
        EXPECT_TRUE(
            same_status((up ? c::update : c::downdate)(made.one, for_c(X.c.view()), nullptr),
                        up ? try_update(f, X.cpp.view()) : try_downdate(f, X.cpp.view())));
        EXPECT_TRUE(!f || A.same());
        if (k == 1)
          for (index_t i = 0; i < n; ++i) X.c.view()(i, 0) = X.cpp.view()(i, 0) = T(1000);
      }
      EXPECT_EQ(f.ok(), n == 0);
    }
}

TYPED_TEST(CApi, BatchesAreThoseOfCpp) {
  using T = TypeParam;
  using c = c_api<T>;
  const factors<T> made;
  const index_t count = 21;
  for (const index_t n : {1, 4, 17, 70})
    for (const int where : {0, 1, 2, 3, 4, 5, 6, 7})
      for (const int threads : {1, 2}) {
        SCOPED_TRACE(testing::Message() << "n = " << n << ", layout " << where);
        const backend::threads on{.threads = threads};
        trifac_cholesky_options cholesky = TRIFAC_CHOLESKY_OPTIONS_INIT;
        trifac_lu_options lu = TRIFAC_LU_OPTIONS_INIT;
        trifac_options options = TRIFAC_OPTIONS_INIT;
        cholesky.threads = lu.threads = options.threads = threads;
        for (const bool definite : {true, false}) {
          auto all = random_batch<T>(count, n, n, definite);
          for (index_t i = 0; i < n; ++i) all[5](i, 0) = T(0);
          auto C = place(all, where), A = place(all, where);
          const auto sides = random_batch<T>(count, n, 2);
          auto X = place(sides, where), Y = place(sides, where);
          auto V = place(all, where), W = place(all, where);
          std::vector<std::int32_t> info(count, 77);
          const auto compare = [&](auto f) {
            EXPECT_TRUE(std::ranges::equal(info, f.info()));
            EXPECT_TRUE(
                same_status(c::batch_solve(made.many, for_c(X.view), TRIFAC_ADJOINT, &options),
                            try_solve(on, f, Y.view, operation::adjoint)));
            const auto inverses = try_inverse(on, f, W.view);
            EXPECT_TRUE(
                same_status(c::batch_inverse(made.many, for_c(V.view), info.data(), &options),
                            inverses.status()));
            EXPECT_TRUE(std::ranges::equal(info, inverses.info()));
            return f.status();
          };
          const trifac_status s =
              definite ? c::batch_cholesky(for_c(C.view), made.many, info.data(), &cholesky)
                       : c::batch_lu(for_c(C.view), made.many, info.data(), &lu);
          EXPECT_TRUE(same_status(
              s, definite ? compare(try_cholesky(on, A.view)) : compare(try_lu(on, A.view))));
          const auto expect_same = [&](const char* what) {
            for (index_t b = 0; b < count; ++b) {
              EXPECT_TRUE(b == 5 || same_bits(C.view[b], A.view[b])) << what << b;
              EXPECT_TRUE(same_bits(X.view[b], Y.view[b])) << what << b;
              EXPECT_TRUE(same_bits(V.view[b], W.view[b])) << what << b;
            }
          };
          expect_same("two passes, matrix ");
          C = place(all, where);
          A = place(all, where);
          const auto outcome =
              definite ? try_cholesky_solve(on, A.view, Y.view) : try_lu_solve(on, A.view, Y.view);
          const trifac_status t =
              definite
                  ? c::batch_cholesky_solve(for_c(C.view), for_c(X.view), info.data(), &cholesky)
                  : c::batch_lu_solve(for_c(C.view), for_c(X.view), info.data(), &lu);
          EXPECT_TRUE(same_status(t, outcome.status()));
          EXPECT_TRUE(std::ranges::equal(info, outcome.info()));
          expect_same("one pass, matrix ");
        }
      }
}

TYPED_TEST(CApi, ThreadsChangeNoBit) {
  using T = TypeParam;
  using c = c_api<T>;
  const factors<T> made;
  random_source random(2005);
  const index_t n = 400;
  const matrix<T> G = random_matrix<T>(random, n, n);
  twice<T> A(G, layout::packed);
  trifac_lu_options options = TRIFAC_LU_OPTIONS_INIT;
  ASSERT_EQ(c::lu(for_c(A.cpp.view()), made.one, nullptr).kind, TRIFAC_SUCCESS);
  for (const int threads : {0, 3, 1000}) {
    options.threads = threads;
    A.c.restore();
    ASSERT_EQ(c::lu(for_c(A.c.view()), made.one, &options).kind, TRIFAC_SUCCESS);
    EXPECT_TRUE(A.same());
  }
}

TYPED_TEST(CApi, SmallCallsAllocateNothingAndWorkspaceSuffices) {
  using T = TypeParam;
  using c = c_api<T>;
  const factors<T> made;
  random_source random(2006);
  for (const index_t n : {1, 8, 40, 64, 150}) {
    SCOPED_TRACE(n);
    twice<T> A(random_spd<T>(random, n), layout::packed),
        X(random_matrix<T>(random, n, 2), layout::packed);
    trifac_cholesky_options cholesky = TRIFAC_CHOLESKY_OPTIONS_INIT;
    trifac_lu_options lu = TRIFAC_LU_OPTIONS_INIT;
    std::vector<std::byte> memory(
        std::max(c::cholesky_workspace_bytes(n), c::lu_workspace_bytes(n, n, nullptr)));
    cholesky.workspace = lu.workspace = memory.data();
    cholesky.workspace_bytes = lu.workspace_bytes = memory.size();
    const int before = allocations;
    if (n <= 64) {  // above LU has memory for its interchanges
      EXPECT_EQ(c::lu(for_c(A.c.view()), made.one, &lu).kind, TRIFAC_SUCCESS);
      EXPECT_EQ(c::solve(made.one, for_c(X.c.view()), TRIFAC_TRANSPOSE, nullptr).kind,
                TRIFAC_SUCCESS);
      A.c.restore();
      EXPECT_EQ(c::lu_solve(for_c(A.c.view()), for_c(X.c.view()), &lu).kind, TRIFAC_SUCCESS);
      A.c.restore();
    }
    EXPECT_EQ(c::cholesky(for_c(A.c.view()), made.one, &cholesky).kind, TRIFAC_SUCCESS);
    EXPECT_EQ(c::solve(made.one, for_c(X.c.view()), TRIFAC_ADJOINT, nullptr).kind, TRIFAC_SUCCESS);
    A.c.restore();
    EXPECT_EQ(c::cholesky_solve(for_c(A.c.view()), for_c(X.c.view()), &cholesky).kind,
              TRIFAC_SUCCESS);
    EXPECT_EQ(allocations - before, 0);
    if (memory.size() > 0) {
      cholesky.workspace_bytes = lu.workspace_bytes = 1;
      const trifac_status s = c::lu_workspace_bytes(n, n, nullptr) > 0
                                  ? c::lu(for_c(A.c.view()), made.one, &lu)
                                  : c::cholesky(for_c(A.c.view()), made.one, &cholesky);
      EXPECT_EQ(s.kind, TRIFAC_INVALID_ARGUMENT);
      EXPECT_STREQ(s.argument, "options.workspace");
    }
  }
  // Orders of which no memory has room.
  constexpr std::size_t no_memory = std::numeric_limits<std::size_t>::max();
  for (const index_t n : {index_t{1} << 40, std::numeric_limits<index_t>::max()}) {
    SCOPED_TRACE(n);
    EXPECT_EQ(c::cholesky_workspace_bytes(n), no_memory);
    EXPECT_EQ(c::lu_workspace_bytes(n, n, nullptr), no_memory);
    EXPECT_EQ(c::batch_workspace_bytes(n, n, n, n), no_memory);
  }
}

TYPED_TEST(CApi, WithoutMemoryThereIsAStatus) {
  using T = TypeParam;
  using c = c_api<T>;
  const factors<T> made;
  random_source random(2007);
  const index_t n = 300;
  twice<T> A(random_spd<T>(random, n), layout::packed);
  auto batch = place(random_batch<T>(5, 9, 9, true), 0);
  std::int32_t info[5] = {7, 7, 7, 7, 7};
  ASSERT_EQ(c::cholesky(for_c(A.cpp.view()), made.one, nullptr).kind, TRIFAC_SUCCESS);
  trifac_free_workspace_cache();
  memory_is_full = true;
  auto* const none = c::create();
  auto* const no_batch = c::create_batch();
  const trifac_status of_one = c::lu(for_c(A.c.view()), made.one, nullptr),
                      of_many = c::batch_lu(for_c(batch.view), made.many, info, nullptr);
  memory_is_full = false;
  EXPECT_EQ(none, nullptr);
  EXPECT_EQ(no_batch, nullptr);
  EXPECT_EQ(of_one.kind, TRIFAC_OUT_OF_MEMORY);
  EXPECT_EQ(of_many.kind, TRIFAC_OUT_OF_MEMORY);
  EXPECT_TRUE(A.c.untouched());
  EXPECT_EQ(c::solve(made.one, for_c(A.c.view()), 0, nullptr).kind, TRIFAC_OUT_OF_MEMORY);
  EXPECT_EQ(c::batch_solve(made.many, for_c(batch.view), 0, nullptr).kind, TRIFAC_OUT_OF_MEMORY);
  EXPECT_EQ(info[4], 7);
}

}  // namespace
}  // namespace trifac::test
