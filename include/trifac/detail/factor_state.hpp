#pragma once
// What a factor holds: the caller's matrix or one of its own, and how the factorization ended.

#include <type_traits>
#include <utility>

#include "trifac/matrix.hpp"
#include "trifac/status.hpp"

namespace trifac {
inline namespace TRIFAC_ABI {
namespace detail {

/// Refers to the caller's matrix, or owns one. Without arguments it is that of an empty factor.
template <class T>
struct factor_state {
  constexpr factor_state() = default;
  template <class U>  // T, or const T of a matrix that was factored elsewhere
  constexpr factor_state(const matrix_view<U>& A, const status& s) : caller(A), outcome(s) {}
  constexpr factor_state(matrix<T>&& A, const status& s)
      : own(std::move(A)), owns(true), outcome(s) {}

  constexpr matrix_view<const T> view() const { return owns ? own.view() : caller; }

  matrix<T> own;
  matrix_view<const T> caller;
  bool owns = false;
  status outcome = status::empty();
};

/// State whose moves leave State(): a factor that was moved from is empty, whatever it held. A copy
/// assignment that throws leaves it as it was.
template <class State>
struct emptied_by_move : State {
  using State::State;
  constexpr emptied_by_move() = default;
  constexpr emptied_by_move(const emptied_by_move&) = default;
  constexpr emptied_by_move(emptied_by_move&& other) noexcept : State(other.take()) {}
  constexpr emptied_by_move& operator=(const emptied_by_move& other) {
    return *this = emptied_by_move(other);
  }
  constexpr emptied_by_move& operator=(emptied_by_move&& other) noexcept {
    static_cast<State&>(*this) = other.take();
    return *this;
  }

 private:
  constexpr State take() { return std::exchange(static_cast<State&>(*this), State()); }
};

}  // namespace detail
}  // namespace TRIFAC_ABI
}  // namespace trifac
