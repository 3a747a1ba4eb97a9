// Multiprecision numbers of Boost, binary and decimal, through every variant and both
// factorizations, and through every other call.

#include <gtest/gtest.h>

#include <boost/multiprecision/cpp_bin_float.hpp>
#include <boost/multiprecision/cpp_dec_float.hpp>

#include "support/every_call_suite.hpp"
#include "support/scalar_suite.hpp"

namespace trifac::test {
namespace {

namespace mp = boost::multiprecision;

// Without expression templates: an expression is a number, as for the built-in types.
using binary_50 = mp::number<mp::cpp_bin_float<50>, mp::et_off>;
using decimal_50 = mp::number<mp::cpp_dec_float<50>, mp::et_off>;

#if TRIFAC_TEST_TWO_SCALARS
using multiprecision = testing::Types<decimal_50>;  // the one that is less like the built-in types
#else
using multiprecision = testing::Types<binary_50, decimal_50>;
#endif
INSTANTIATE_TYPED_TEST_SUITE_P(Boost, OtherScalars, multiprecision, scalar_names);

#if TRIFAC_TEST_TWO_SCALARS
using binary = testing::Types<binary_50>;
INSTANTIATE_TYPED_TEST_SUITE_P(Boost, EveryCall, binary, scalar_names);
#else
INSTANTIATE_TYPED_TEST_SUITE_P(Boost, EveryCall, multiprecision, scalar_names);
#endif

}  // namespace
}  // namespace trifac::test
