#pragma once
// What every device backend owes besides what all backends owe. opencl_test.cpp and
// cuda_double/cuda_test.cpp run these cases on a device of theirs.

#include <gtest/gtest.h>

#include <array>
#include <limits>
#include <string>
#include <thread>
#include <vector>

#include "layouts.hpp"
#include "random.hpp"
#include "residual.hpp"
#include "trifac/device_matrix.hpp"
#include "trifac/lu.hpp"
#include "trifac/solve.hpp"
#include "trifac/variants.hpp"

namespace trifac::test {

inline constexpr device::column_kernels all_column_kernels[] = {device::column_kernels::multiple,
                                                                device::column_kernels::single,
                                                                device::column_kernels::rounds};

/// The kernels of the thesis and of the rounds, with groups of these sizes, in place and out of
/// place.
template <class T, class Device>
void expect_columns_in_every_kind_of_kernels(const Device& device, const std::vector<int>& groups) {
  random_source random(603);
  const index_t n = 37;
  const matrix<T> A = random_spd<T>(random, n);
  for (auto columns : all_column_kernels)
    for (int group : groups)
      for (triangle part : {triangle::lower, triangle::upper}) {
        SCOPED_TRACE(testing::Message()
                     << "kernels " << static_cast<int>(columns) << ", group " << group);
        const Device on = device.with({.group = group, .columns = columns});
        matrix<T> in_place = A, L = A;
        ASSERT_TRUE(cholesky<variant::crout>(on, in_place, {.part = part}));
        ASSERT_TRUE(cholesky<variant::crout>(on, A, L, {.part = part}));
        EXPECT_TRUE(within(cholesky_ratio<T>(A, part, in_place)));
        EXPECT_TRUE(same_bits(in_place.view(), L.view()));
      }
}

/// The last columns on the host, by both of its loops. The vector loop has the device's bits; the
/// scalar one is the sequential loop, so that of a cutoff of n all bits are those of one thread.
template <variant V, class T, class Device>
void expect_last_columns_on_the_host(const Device& device) {
  random_source random(610);
  const index_t n = 37;
  const matrix<T> A = random_spd<T>(random, n);
  for (auto columns : all_column_kernels)
    for (triangle part : {triangle::lower, triangle::upper}) {
      const auto factor = [&](const auto& on, index_t cutoff, bool in_place) {
        matrix<T> L = A;
        const cholesky_options options{.part = part, .cutoff = cutoff};
        EXPECT_TRUE(in_place ? cholesky<V>(on, L, options) : cholesky<V>(on, A, L, options));
        return L;
      };
      const matrix<T> alone = factor(backend::serial{}, 0, true);
      const matrix<T> on_device = factor(device.with({.columns = columns}), 0, true);
      for (auto loop : {device::cutoff_loop::scalar, device::cutoff_loop::vector})
        for (index_t cutoff : {1, 5, 36, 37, 100})
          for (bool in_place : {true, false}) {
            SCOPED_TRACE(testing::Message() << "kernels " << static_cast<int>(columns) << ", loop "
                                            << static_cast<int>(loop) << ", cutoff " << cutoff
                                            << ", in place " << in_place);
            const matrix<T> L =
                factor(device.with({.columns = columns, .cutoff = loop}), cutoff, in_place);
            EXPECT_TRUE(within(cholesky_ratio<T>(A, part, L)));
            if (loop == device::cutoff_loop::vector) {
              EXPECT_TRUE(same_bits(on_device.view(), L.view()));
            } else if (cutoff >= n) {
              EXPECT_TRUE(same_bits(alone.view(), L.view()));
            }
          }
    }
}

/// A bad pivot among them reaches the status; the columns left of it are written.
template <variant V, class T, class Device>
void expect_a_bad_pivot_on_the_host(const Device& device) {
  const index_t n = 19;
  for (auto loop : {device::cutoff_loop::scalar, device::cutoff_loop::vector})
    for (index_t k : {12, 18}) {
      random_source random(611);
      matrix<T> A = random_spd<T>(random, n), L(n, n);
      A(k, k) = T(-1);
      const auto f = cholesky<V>(device.with({.cutoff = loop}), A, L, {.cutoff = 9});
      EXPECT_EQ(f.status(), status::at(status_kind::not_positive_definite, k));
      EXPECT_TRUE(
          within(cholesky_ratio<T>(std::as_const(A).view().block(0, 0, k, k), triangle::lower,
                                   std::as_const(L).view().block(0, 0, k, k))));
    }
}

template <class T, class Device>
void expect_the_bad_minor_from_every_kind_of_kernels(const Device& device) {
  const index_t n = 19;
  for (auto columns : all_column_kernels)
    for (index_t k : {0, 1, 10, 18}) {
      random_source random(604);
      matrix<T> A = random_spd<T>(random, n), L(n, n);
      A(k, k) = T(-1);
      const auto f = cholesky<variant::crout>(device.with({.group = 4, .columns = columns}), A, L);
      EXPECT_EQ(f.status(), status::at(status_kind::not_positive_definite, k));
      EXPECT_TRUE(
          within(cholesky_ratio<T>(std::as_const(A).view().block(0, 0, k, k), triangle::lower,
                                   std::as_const(L).view().block(0, 0, k, k))));
    }
}

template <class T, class Device>
void expect_resident_cholesky(const Device& device) {
  random_source random(605);
  for (index_t n : {0, 1, 30, 150})
    for (triangle part : {triangle::lower, triangle::upper})
      for (operation op : {operation::none, operation::transpose, operation::adjoint}) {
        const matrix<T> A = random_spd<T>(random, n), B = random_matrix<T>(random, n, 3);
        device_matrix K(device, A.view()), X(device, B.view());
        const auto f = cholesky(K, {.part = part, .block = 32});
        solve(f, X, op);
        EXPECT_TRUE(f.status().ok()) << f.status().message();
        EXPECT_TRUE(within(cholesky_ratio<T>(A, part, K.to_host())));
        EXPECT_TRUE(within(solve_ratio<T>(applied<T>(op, A), X.to_host(), B)));
      }
}

/// A failure reaches the status, and not the solution.
template <class T, variant V, class Device>
void expect_a_resident_failure(const Device& device) {
  const index_t n = 150, k = 133;
  random_source random(606);
  matrix<T> A = random_spd<T>(random, n);
  A(k, k) = T(-1);
  const matrix<T> B = random_matrix<T>(random, n, 2);
  device_matrix K(device, std::as_const(A).view()), X(device, B.view());
  const auto f = cholesky<V>(K, {.block = 32});
  solve(f, X);
  EXPECT_EQ(f.status(), status::at(status_kind::not_positive_definite, k));
  EXPECT_THROW(f.or_throw(), numerical_error);
  EXPECT_THROW(solve(f, X), numerical_error);  // it is known now
  const matrix<T> unsolved = X.to_host();
  EXPECT_TRUE(same_bits(unsolved.view(), B.view()));
}

/// The compiler's message names the file and the line of the kernel's text.
template <class Device>
void expect_the_place_of_an_error(const Device& device) {
  constexpr const char* text = TRIFAC_KERNEL_LINE("broken.hpp") R"kernel(
KERNEL void broken(GLOBAL int* x) { *x = undeclared; }
)kernel";
  const std::string line = std::to_string(__LINE__ - 2);
  try {
    (void)device.session().runtime.load({"broken", {text}, {"VW=1", "REAL=float", "DOUBLE=0"}});
    FAIL() << "it compiled";
  } catch (const backend_error& e) {
    const std::string what = e.what();
    EXPECT_TRUE(what.find("broken.hpp:" + line) != std::string::npos ||
                what.find("broken.hpp(" + line) != std::string::npos)
        << what;
    EXPECT_NE(what.find("undeclared"), std::string::npos) << what;
  }
}

/// `own`: a value whose session no other test has used.
template <class Device>
void expect_nothing_compiled_after_warmup(const Device& own, const std::vector<pivoting>& ways) {
  EXPECT_EQ(own.times().run, 0);
  own.template warmup<float>();
  const std::size_t programs = own.session().runtime.programs();
  random_source random(608);
  matrix<float> A = random_spd<float>(random, 300), B = random_matrix<float>(random, 300, 2);
  const auto f = cholesky(own, A);
  ASSERT_TRUE(f);
  solve(own, f, B);
  for (pivoting how : ways) {
    matrix<float> G = random_matrix<float>(random, 600, 100);
    ASSERT_TRUE(lu(own, G, {.pivoting = how}));
  }
  EXPECT_EQ(own.session().runtime.programs(), programs);
  EXPECT_GT(own.times().run, 0);
}

/// The host and the device agree about the structs that kernels take.
template <class Device>
void expect_the_same_structs(const Device& on) {
  constexpr const char* text = TRIFAC_KERNEL_LINE("structs.hpp") R"kernel(
KERNEL void read_structs(GLOBAL i64* x, VIEW v, int between, ROUND r, int behind)
{
  x[0] = sizeof(VIEW);
  x[1] = v.offset, x[2] = v.rows, x[3] = v.cols, x[4] = v.rs, x[5] = v.cs;
  x[6] = between;
  x[7] = sizeof(ROUND);
  x[8] = r.groups, x[9] = r.units, x[10] = r.unit, x[11] = r.listed, x[12] = r.rule;
  x[13] = behind;
}
)kernel";
  auto& runtime = on.session().runtime;
  auto& program = runtime.load({"structs",
                                {kernel::VIEW_text, kernel::ROUND_text, text},
                                {"VW=1", "REAL=float", "DOUBLE=0", "COMPLEX=0"}});
  std::array<index_t, 14> found{};
  const auto memory = runtime.allocate(sizeof found);
  runtime.launch(program, "read_structs", {}, {}, memory.get(), kernel::VIEW{1, -2, 3, -4, 5}, 6,
                 kernel::ROUND{7, 8, 9, 10, -11}, 12);
  runtime.read(memory.get(), 0, found.data(), sizeof found);
  const std::array<index_t, 14> expected = {sizeof(kernel::VIEW),  1, -2, 3, -4, 5,   6,
                                            sizeof(kernel::ROUND), 7, 8,  9, 10, -11, 12};
  EXPECT_EQ(found, expected);
}

/// Factors of some matrices by a device of one thread.
template <class Device>
std::vector<matrix<double>> some_factors(const Device& on) {
  std::vector<matrix<double>> list;
  random_source random(609);
  for (index_t n = 20; n < 200; n += 15) {
    list.push_back(random_spd<double>(random, n));
    EXPECT_TRUE(cholesky(on, list.back(), {.block = 32}));
  }
  return list;
}

/// The same bits from two threads at once, on devices that may be one, as from one thread.
template <class Device>
void expect_the_same_from_two_threads(const Device& alone, const Device& left,
                                      const Device& right) {
  const auto expected = some_factors(alone);
  std::vector<matrix<double>> theirs;
  std::thread other([&] { theirs = some_factors(left); });
  const auto mine = some_factors(right);
  other.join();
  ASSERT_EQ(mine.size(), expected.size());
  ASSERT_EQ(theirs.size(), expected.size());
  for (std::size_t k = 0; k < expected.size(); ++k) {
    EXPECT_TRUE(same_bits(expected[k].view(), mine[k].view()));
    EXPECT_TRUE(same_bits(expected[k].view(), theirs[k].view()));
  }
}

}  // namespace trifac::test
