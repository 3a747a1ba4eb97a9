#pragma once
// The automatic backend: one thread, a team or a device, whichever the profile lists as fastest for
// the order and type.

#include <type_traits>
#include <utility>

#include "trifac/backend/openmp.hpp"
#include "trifac/engine/cpu/serial_policy.hpp"
#include "trifac/profile.hpp"

namespace trifac {
namespace backend {

/// Placeholder for a missing device.
struct no_device {};

inline namespace TRIFAC_ABI {
inline namespace TRIFAC_OPENMP_SWITCH {

/// Factorizations, and solves with their factors, run on serial, openmp or `device` according to
/// the crossover orders of the profile; block and cutoff are the profile's if the caller set none.
/// An unavailable device is skipped, as is openmp in a program compiled without it. Results are
/// those of the backend that runs.
template <class Device = no_device>
class automatic {
 public:
  static constexpr std::string_view name = "automatic";
  static constexpr bool chooses = true;

  explicit automatic(const trifac::profile& measured, Device device = {})
      : profile_(measured), device_(std::move(device)) {}

  availability available() const noexcept { return {true, ""}; }
  friend constexpr bool supports(const automatic&, variant) { return true; }

  const trifac::profile& profile() const { return profile_; }

  /// Calls body(backend) with the backend for order n and type T.
  template <class T, class Body>
  auto choose(factorization what, index_t n, Body body) const {
    const tuning t = profile_.template of<T>(what);
    if constexpr (!std::is_same_v<Device, no_device> && LapackScalar<T>)
      if (n >= t.device_from && device_.available()) return body(device_);
    const openmp team{.threads = t.threads};
    if (n >= t.threads_from && team.available()) return body(team);
    return body(serial{});
  }

 private:
  trifac::profile profile_;
  Device device_;
};

}  // namespace TRIFAC_OPENMP_SWITCH
}  // namespace TRIFAC_ABI
}  // namespace backend
}  // namespace trifac
