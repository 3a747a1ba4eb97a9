#pragma once
// Every program that the executors of a GPU ask for, found by letting them work on a runtime that
// only writes down.

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "support/recording_runtime.hpp"
#include "trifac/engine/device/batch.hpp"
#include "trifac/engine/device/cholesky.hpp"
#include "trifac/engine/device/lu.hpp"
#include "trifac/variants.hpp"

namespace trifac::test {

using programs = std::map<std::string, recording_runtime::program>;
using recording_session = device::session<recording_runtime>;

/// What a factorization by name, and a solve, ask for.
template <variant V, class T>
void record_cholesky(programs& into, const device::device_settings& settings, triangle part,
                     index_t n) {
  recording_session s(&into);
  matrix<T> A(n, n), X(n, 3);
  const auto lower = part == triangle::upper ? A.view().transposed() : A.view();
  ASSERT_TRUE(device::cholesky_of_host<V>(s, settings, matrix_view<const T>(lower), lower,
                                          cholesky_options{.part = part}));
  ASSERT_TRUE(device::solve_with_cholesky_of_host(
      s, settings, operand<T>(matrix_view<const T>(lower)), X.view()));
}
template <variant V, class T>
void record_lu(programs& into, const device::device_settings& settings, const lu_options& options,
               index_t m, index_t n) {
  recording_session s(&into);
  matrix<T> A(m, n), X(m, 3);
  pivots p(std::min(m, n));
  ASSERT_TRUE(device::lu_of_host<V>(s, settings, A.view(), p.span(), options));
  if (m != n) return;
  for (operation op : {operation::none, operation::adjoint})
    ASSERT_TRUE(device::solve_with_lu_of_host(s, settings, matrix_view<const T>(A.view()),
                                              std::span<const index_t>(p.span()), op, X.view()));
}

/// What batches of m×n matrices ask for.
template <class T>
void record_batches(programs& into, index_t m, index_t n) {
  recording_session s(&into);
  device::batch_calls<recording_runtime, T> calls(s, {}, {});
  using how = device::batch_solve_how;
  std::vector<T> a(static_cast<std::size_t>(3 * m * n)), b(static_cast<std::size_t>(6 * n));
  std::vector<std::int32_t> rows(static_cast<std::size_t>(16 * n)), info(3);
  const auto A = strided(a.data(), 3, m, n), B = strided(b.data(), 3, n, 2);
  ASSERT_TRUE(calls.lu(A, rows, info));
  ASSERT_TRUE(calls.lu(A, {}, info));
  const auto C = strided(a.data(), 3, m, n - 1);
  ASSERT_TRUE(calls.lu(C, rows, info));
  if (m != n) return;
  ASSERT_TRUE(calls.cholesky(A, info));
  for (const auto k :
       {how::with::cholesky, how::with::lu, how::with::lu_transposed, how::with::lower,
        how::with::upper, how::with::unit_lower, how::with::unit_upper})
    ASSERT_TRUE(calls.solve(how{.factor = k}, A, rows, info, B));
  for (const auto k : {how::with::cholesky, how::with::lu})
    ASSERT_TRUE(calls.factor_and_solve(how{.factor = k}, A, rows, info, B));
}

/// What batches with a group of items for each matrix ask for; `tuning` is of factorizations.
template <class T>
void record_groups(programs& into, index_t n, batch_tuning tuning = {}) {
  recording_session s(&into);
  tuning.kernel = batch_kernel::groups;
  device::batch_launches<recording_runtime, T> kernels(s, {}, tuning);
  using how = device::batch_solve_how;
  device::batch_operand<void*> A, B;
  A.place = {0, 3, n, n, 1, n * n, 1, 1, n, 0};
  B.place = {0, 3, n, 2, 1, 2 * n, 1, 1, n, 0};
  kernels.cholesky(A, true, nullptr);
  for (const pivoting by : {pivoting::partial, pivoting::none}) kernels.lu(A, by, nullptr, nullptr);
  for (const auto k : {how::with::cholesky, how::with::lu, how::with::lu_transposed})
    kernels.solve({.factor = k}, A, nullptr, nullptr, B);
  kernels.copy(B, B);
}

/// What `best` can choose.
template <class T>
programs record_best() {
  programs found;
  for (index_t n : {1, 100, 300, 1100}) {
    for (triangle part : {triangle::lower, triangle::upper})
      record_cholesky<variant::best, T>(found, {}, part, n);
    record_lu<variant::best, T>(found, {}, {}, n, n);
    record_lu<variant::best, T>(found, {}, {}, n + 50, n);
    record_lu<variant::best, T>(found, {}, {.pivoting = pivoting::tournament}, n, n);
    record_lu<variant::best, T>(found, {}, {.pivoting = pivoting::none}, n, n);
    const lu_options one_group{
        .pivoting = pivoting::tournament, .selection = selection::scaled, .leaves = 1};
    record_lu<variant::best, T>(found, {}, one_group, n, n);
  }
  for (index_t m : {5000, 10000})  // two and four rows in an item of a cluster
    record_lu<variant::best, T>(found, {}, {}, m, 10);
  return found;
}
/// The same, recorded once.
template <class T>
const programs& programs_of_best() {
  static const programs found = record_best<T>();
  return found;
}
/// What all variants and settings can ask for.
template <class T>
programs all_programs() {
  programs found = programs_of_best<T>();
  for (auto columns : {device::column_kernels::multiple, device::column_kernels::single,
                       device::column_kernels::rounds}) {
    record_cholesky<variant::crout, T>(found, {.columns = columns}, triangle::lower, 20);
    record_cholesky<variant::banachiewicz, T>(found, {.columns = columns}, triangle::lower, 20);
  }
  record_cholesky<variant::crout_distributed_sum, T>(found, {}, triangle::lower, 20);
  record_cholesky<variant::left_looking, T>(found, {}, triangle::lower, 200);
  for (std::string_view name : device::block_kernels_names) {
    const auto blocks =
        device::value_named<device::block_kernels>(device::block_kernels_names, name);
    record_lu<variant::four_block, T>(found, {.blocks = *blocks}, {.pivoting = pivoting::none}, 200,
                                      200);
  }
  return found;
}

}  // namespace trifac::test
