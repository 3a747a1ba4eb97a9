#pragma once
// What each file with definitions of the calls includes: they are here. Where the calls were only
// declared, those of float, double and complex of both are still compiled elsewhere.

#include "trifac/engine/calls/calls.hpp"

namespace trifac {
#if TRIFAC_DECLARED
inline namespace TRIFAC_CALLS {
extern template struct calls<float>;
extern template struct calls<double>;
extern template struct calls<std::complex<float>>;
extern template struct calls<std::complex<double>>;
}  // namespace TRIFAC_CALLS
#endif

inline namespace TRIFAC_ABI {
namespace detail {

template <class T>
struct include_trifac_nests_hpp {};

}  // namespace detail
}  // namespace TRIFAC_ABI
}  // namespace trifac
