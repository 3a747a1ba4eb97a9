#pragma once
// with_status: what every result that has a status() has besides.

#include <utility>

#include "trifac/status.hpp"

namespace trifac {

/// Base of the class Result, which has status(): whether that is a success, and the exception where
/// it is not.
template <class Result>
class with_status {
 public:
  constexpr bool ok() const { return result().status().ok(); }
  constexpr explicit operator bool() const { return ok(); }

#if TRIFAC_EXCEPTIONS
  /// The result where ok(), else throws numerical_error, or what belongs to a status that is not
  /// the matrix's. Of a temporary the result itself.
  constexpr const Result& or_throw() const& {
    if (!ok()) detail::throw_status(result().status());
    return result();
  }
  constexpr Result or_throw() && {
    if (!ok()) detail::throw_status(result().status());
    return std::move(static_cast<Result&>(*this));
  }
  void or_throw() const&& = delete;
#endif

 private:
  constexpr const Result& result() const {
    return static_cast<const Result&>(*this);
  }
};

}  // namespace trifac
