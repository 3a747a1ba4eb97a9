#pragma once
// State of a factor: the caller's matrix or an owned one, and the status of the factorization.

#include <type_traits>
#include <utility>

#include "trifac/matrix.hpp"
#include "trifac/status.hpp"

namespace trifac {
inline namespace TRIFAC_ABI {
namespace detail {

/// A factor of one matrix or of a batch that is a triangle: Cholesky's, not LU's.
template <class Factor>
concept HasTriangle = requires(const Factor& f) {
  f.part();
};

/// Refers to the caller's matrix or owns one. Default: an empty factor.
template <class T>
struct factor_state {
  constexpr factor_state() = default;
  template <class U>  // T, or const T for a matrix factored elsewhere
  constexpr factor_state(const matrix_view<U>& A, const status& s)
      : caller(A), is_const(std::is_const_v<U>), outcome(s) {}
  constexpr factor_state(matrix<T>&& A, const status& s)
      : owned(std::move(A)), owns(true), outcome(s) {}

  /// Member by member: a 16-byte copy would stall on the 8-byte stores before it.
  constexpr matrix_view<const T> view() const {
    if (!owns)
      return {caller.data(), caller.rows(), caller.cols(), caller.row_stride(),
              caller.col_stride()};
    return order == dynamic ? owned.view() : owned.view().block(0, 0, order, order);
  }
  /// For writing; null if the caller's matrix is const.
  constexpr matrix_view<T> writable_view() {
    if (owns) return order == dynamic ? owned.view() : owned.view().block(0, 0, order, order);
    return {is_const ? nullptr : const_cast<T*>(caller.data()), caller.rows(), caller.cols(),
            caller.row_stride(), caller.col_stride()};
  }

  matrix<T> owned;
  matrix_view<const T> caller;
  index_t order = dynamic;  ///< of an owned matrix with capacity for more: its leading block
  bool owns = false;
  bool is_const = false;  ///< the caller's matrix
  status outcome = status::of_empty_factor();
};

/// State whose moves leave a default State: a moved-from factor is empty. A copy assignment that
/// throws changes nothing.
template <class State>
struct emptied_by_move : State {
  using State::State;
  constexpr emptied_by_move() = default;
  constexpr explicit emptied_by_move(State&& state) noexcept : State(std::move(state)) {}
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

/// For calls that modify a factor: modify/, batch/each/.
struct factor_access {
  template <class Factor>
  static constexpr auto& state(Factor& f) {
    return f.state_;
  }
  template <class Factor>
  static constexpr auto& norm(Factor& f) {
    return f.norm_;
  }
  /// For batches.
  template <class Outcome>
  static auto info(Outcome& f) {
    return f.state_.info.span();
  }
  template <class Outcome>
  static void count_failures(Outcome& f) {
    f.count_failures();
  }
};

}  // namespace detail
}  // namespace TRIFAC_ABI
}  // namespace trifac
