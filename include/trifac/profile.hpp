#pragma once
// Measurements of a machine in the form that calls use: the orders from which threads or a device
// are faster, the best block and cutoff, and parameters of batches. bench/trifac-study recommend
// and trifac tune write them to a file, io/profile_file.hpp reads it; `best` and batch calls take
// it as options.profile, backend::automatic as its argument.

#include <array>
#include <cstddef>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "trifac/engine/views/batch_findings.hpp"
#include "trifac/scalar.hpp"

namespace trifac {

/// The two factorizations with separate entries.
enum class factorization { cholesky, lu };

/// The findings for one factorization and one type. Default values change nothing.
struct tuning {
  static constexpr index_t never = std::numeric_limits<index_t>::max();

  index_t threads_from = never;  ///< from this order on, a team is faster than one thread
  int threads = 0;               ///< of that team; 0: OpenMP's default
  index_t device_from = never;   ///< from this order on, a device is faster than the host
  index_t block = 0;             ///< block size of `best`; 0: the library's choice
  index_t block_from = 0;        ///< `block` applies from this order on
  index_t cutoff = 0;            ///< last columns that variants by columns run on one thread
};

/// The findings for batches on one device, identified by profile_device(backend).
struct device_findings {
  std::string device;
  std::vector<batch_finding> found;
};

/// Both factorizations of the four types, and batches by device.
struct profile {
  std::array<tuning, 8> entries = {};  ///< Cholesky for s, d, c, z, then LU
  std::vector<device_findings> batches = {};

  /// The findings for batches on a device; empty if it was never tuned.
  std::span<const batch_finding> batches_on(std::string_view device) const {
    for (const device_findings& on_device : batches)
      if (on_device.device == device) return on_device.found;
    return {};
  }

  /// The entry for T; for types without kernels, one that changes nothing.
  template <class T>
  constexpr tuning of(factorization what) const {
    if constexpr (LapackScalar<T>)
      return entries[place<T>(what)];
    else
      return {};
  }
  template <LapackScalar T>
  constexpr tuning& of(factorization what) {
    return entries[place<T>(what)];
  }

 private:
  template <class T>
  static constexpr std::size_t place(factorization what) {
    constexpr std::size_t type = (is_complex<T> ? 2 : 0) + (sizeof(real_t<T>) == 8 ? 1 : 0);
    return (what == factorization::lu ? 4 : 0) + type;
  }
};

inline namespace TRIFAC_ABI {
namespace detail {

/// The options completed by their profile, if any, for order n and type T. Options set by the
/// caller are kept.
template <class T, bool is_best, factorization what, class Options>
constexpr Options tuned(Options options, index_t n) {
  if (options.profile == nullptr) return options;
  const tuning t = options.profile->template of<T>(what);
  if (is_best && options.block == 0 && n >= t.block_from) options.block = t.block;
  if constexpr (what == factorization::cholesky)
    if (!is_best && options.cutoff == 0) options.cutoff = t.cutoff;
  return options;
}

}  // namespace detail
}  // namespace TRIFAC_ABI
}  // namespace trifac
