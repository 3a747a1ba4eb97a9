#pragma once
// What the local LUs of a tournament on a device owe.

#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "layouts.hpp"
#include "residual.hpp"
#include "trifac/device_matrix_lu.hpp"

namespace trifac::test {

/// Local LUs in registers: that of one group is partial pivoting to the last bit, in ties and with
/// columns of zeros, too. `sizes`: rows and columns, 0 rows being as many as registers hold.
template <class T, class Device>
void expect_local_lus_to_pivot_partially(const Device& device,
                                         const std::vector<std::pair<index_t, index_t>>& sizes) {
  using runtime = typename Device::runtime;
  using executor = device::lu_executor<runtime, T>;
  using indices = typename executor::indices;
  random_source random(611);
  executor on(device.session(), device.settings(), 0);
  const index_t held = device::lu_tournament<runtime, T>::held_rows(on.shape());
  for (auto [rows, b] : sizes) {
    const index_t m = rows == 0 ? held : rows;
    ASSERT_LE(m, held);
    for (const bool ties : {false, true}) {
      SCOPED_TRACE(testing::Message() << m << "×" << b << (ties ? " with ties" : ""));
      matrix<T> A = random_matrix<T>(random, m, b);
      for (index_t j = 0; j < b && ties; ++j)
        for (index_t i = 0; i < m; ++i)
          A(i, j) = T(j % 7 == 3 ? 0 : std::real(A(i, j)) > 0 ? 1 : -1);
      device_matrix D(device, std::as_const(A).view()), LU(device, std::as_const(A).view());
      device_matrix<T, Device> root(device, b, b);

      std::vector<index_t> p(static_cast<std::size_t>(b));
      executor partial(device.session(), device.settings(), b);
      partial.factor_panel(LU.view(), 0, {});
      partial.interchanges().read(p);
      std::vector<index_t> expected(static_cast<std::size_t>(m)), found(p.size());
      for (std::size_t i = 0; i < expected.size(); ++i) expected[i] = static_cast<index_t>(i);
      for (std::size_t k = 0; k < p.size(); ++k)
        std::swap(expected[k], expected[static_cast<std::size_t>(p[k])]);
      expected.resize(p.size());

      const auto numbers = device.session().borrow(sizeof(index_t) * p.size());
      const indices chosen{numbers.get(), 0, b};
      on.local_lu({.panel = D.view(),
                   .candidates = {},
                   .chosen = chosen,
                   .order = chosen,
                   .groups = 1,
                   .units = m,
                   .unit = 1,
                   .copies = root.view(),
                   .scales = {}});
      device.session().runtime.read(numbers.get(), 0, found.data(), sizeof(index_t) * p.size());
      EXPECT_EQ(found, expected);
      const matrix<T> by_partial = LU.to_host(), by_local = root.to_host();
      EXPECT_TRUE(same_bits(by_local.view(), by_partial.view().block(0, 0, b, b)));
    }
  }
}

}  // namespace trifac::test
