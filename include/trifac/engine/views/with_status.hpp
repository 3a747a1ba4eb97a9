#pragma once
// with_status: the members common to all results that have a status().

#include <utility>

#include "trifac/status.hpp"

namespace trifac {

/// Base of a class Result with status(): ok(), conversion to bool, or_throw().
template <class Result>
class with_status {
 public:
  constexpr bool ok() const { return result().status().ok(); }
  constexpr explicit operator bool() const { return ok(); }

#if TRIFAC_EXCEPTIONS
  /// The result if ok(); else throws numerical_error, or the exception of a status that is not a
  /// property of the matrix. Returns a temporary by value.
  constexpr const Result& or_throw() const& {
    if (!ok()) detail::throw_status(result().status());
    return result();
  }
  constexpr Result or_throw() && {
    if (!ok()) detail::throw_status(result().status());
    return std::move(static_cast<Result&>(*this));
  }
  void or_throw() const&& = delete;
#else
  void or_throw() const = delete;
#endif

 private:
  constexpr const Result& result() const {
    return static_cast<const Result&>(*this);
  }
};

}  // namespace trifac
