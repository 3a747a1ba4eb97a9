#pragma once
// lu_packed_panel: a panel of right-looking LU as the loop nest sees it.

#include <span>
#include <type_traits>

#include "trifac/detail/min_max.hpp"
#include "trifac/simd/lu_kernels.hpp"
#include "trifac/status.hpp"

namespace trifac {
inline namespace TRIFAC_ABI {
namespace simd {

/// Bytes of one lu_step for a panel of `rows` × `cols`.
template <class T>
constexpr std::size_t lu_step_bytes(index_t rows, index_t cols) {
  constexpr index_t packet = panel_memory::widest_packet;
  const index_t K = round_up(cols, base_columns);
  const auto padded = [](index_t count, std::size_t size) {
    return panel_memory::padded(static_cast<std::size_t>(count) * size);
  };
  return padded(K * packet, sizeof(T)) + padded((K + base_columns) * K + packet, sizeof(T)) +
         padded(round_up(rows, packet) * K + packet, sizeof(T)) + 2 * padded(K, sizeof(index_t));
}

/// Bytes for the last pass of one thread over columns of so many rows.
template <class T>
constexpr std::size_t lu_left_bytes(index_t rows) {
  return 2 * panel_memory::padded(static_cast<std::size_t>(rows) * sizeof(index_t)) +
         panel_memory::padded(static_cast<std::size_t>(rows + panel_memory::widest_packet) *
                              sizeof(T));
}

/// Bytes for all panels of a factorization: one that is being factored, and the steps of two, since
/// the next panel is factored while this one is still in use. The last pass reuses them.
template <class T>
constexpr std::size_t lu_panels_bytes(index_t m, index_t n, index_t block) {
  const std::size_t working = panel_memory(m, block, sizeof(T)).bytes;
  return block >= n ? working
                    : detail::max(working + 2 * lu_step_bytes<T>(m, block), lu_left_bytes<T>(m));
}

/// What the panels of a tournament need besides: memory for games that go on at the same time, and
/// the root's U11 as solve_right reads it.
template <class T>
struct lu_games {
  static constexpr index_t most_slots = 8;

  index_t slots;      ///< games that can go on at the same time
  index_t most_rows;  ///< of one game
  matrix_view<T> root;
  T* strips;
  T* reciprocals;
  std::byte* memory;

  static constexpr std::size_t slot_bytes(index_t rows, index_t b) {
    return panel_memory(rows, b, sizeof(T)).bytes;
  }
  static constexpr std::size_t bytes(index_t slots, index_t rows, index_t b) {
    return slots * slot_bytes(rows, b) +
           panel_memory::padded(round_up(b, base_columns) * strip_ld * sizeof(T)) +
           panel_memory::padded(round_up(b, base_columns) * sizeof(T)) +
           panel_memory::padded(b * b * sizeof(T));
  }
  lu_games(index_t games, index_t rows, index_t b, std::byte* p) : slots(games), most_rows(rows) {
    strips = panel_memory::take<T>(p, round_up(b, base_columns) * strip_ld);
    reciprocals = panel_memory::take<T>(p, round_up(b, base_columns));
    root = column_major(panel_memory::take<T>(p, b * b), b, b);
    memory = p;
  }
};

/// A panel's status; the index counts from its first column.
inline status status_of(const pivot_faults& faults) {
  if (faults.fatal()) return status::at(status_kind::not_finite, faults.not_finite);
  if (faults.zero >= 0) return status::at(status_kind::singular, faults.zero);
  return {};
}

/// Orders up to which a matrix is factored as one panel in a fixed piece of the stack.
inline constexpr index_t small_lu = 64;

template <class T>
constexpr bool is_small_lu(const matrix_view<T>& A) {
  return A.rows() <= small_lu && A.cols() <= small_lu;
}

/// The most memory of a panel that is_small_lu: more columns may mean narrower blocks.
template <class T>
constexpr std::size_t small_lu_bytes() {
  std::size_t bytes = 0;
  for (index_t n = base_columns; n <= small_lu; n += base_columns)
    bytes = detail::max(bytes, panel_memory(small_lu, n, sizeof(T)).bytes);
  return bytes;
}

#if TRIFAC_SIMD

/// The instruction set for them, which makes no difference to the bits: sixteen floats are more rows
/// than a strip has columns, and such a panel goes by way of a copy (fits_in_place).
template <class T>
isa small_lu_isa() {
  return sizeof(real_t<T>) == 4 ? detail::min(active_isa(), isa::avx2) : active_isa();
}

/// P·A = L·U with partial pivoting where is_small_lu(A). LAPACK: getrf.
template <class T>
status factor_small_lu(const matrix_view<T>& A, std::span<index_t> interchanges) {
  alignas(64) std::byte memory[small_lu_bytes<T>()];
  return with_isa(small_lu_isa<T>(), [&](auto target) {
    return status_of(factor_lu_panel<T>(target, A, interchanges.data(), memory, nullptr));
  });
}

/// Columns k … k+b−1 of A from row k on, to be factored, and then taken to the columns on the
/// right:
///
///       | …   …    …   |
///   A = | …  A11  A12  |    A11: b×b
///       | …  A21  A22  |    L11, L21 and the interchanges are kept ready for [A12; A22]
///
/// Members are safe to call from several threads on different columns. The instruction set is a
/// value, not a type, so that a nest is compiled once for all of them.
template <class T>
class lu_packed_panel {
 public:
  /// Columns that are worth a turn of their own; turns are multiples of these.
  static constexpr index_t columns_at_once = 32;

  lu_packed_panel(isa set, matrix_view<T> A, std::span<index_t> interchanges, index_t block,
                  std::byte* memory)
      : set_(set), A_(A), interchanges_(interchanges), block_(block), memory_(memory) {
    place();
  }
  /// The panel after this one.
  lu_packed_panel next() const {
    lu_packed_panel p = *this;
    p.k_ += block_;
    p.place();
    return p;
  }
  bool exists() const { return k_ < detail::min(A_.rows(), A_.cols()); }

  index_t first() const { return k_; }
  /// With a block as wide as A, all columns, even where there are fewer rows.
  index_t cols() const {
    if (block_ >= A_.cols()) return A_.cols();
    return exists() ? detail::min(block_, detail::min(A_.rows(), A_.cols()) - k_) : 0;
  }
  /// Columns to the right.
  index_t columns_left() const { return A_.cols() - k_ - cols(); }

  /// [A11; A21] := L\U with partial pivoting; the index of a failure counts from A11's first row.
  status factor_block() const {
    const index_t rows = A_.rows() - k_, steps = detail::min(rows, cols());
    const auto own =
        interchanges_.subspan(static_cast<std::size_t>(k_), static_cast<std::size_t>(steps));
    const pivot_faults faults = with_isa(set_, [&](auto target) {
      return factor_lu_panel(target, view(), own.data(), memory_, step());
    });
    for (index_t& row : own) row += k_;
    return status_of(faults);
  }

  /// The panel as it is before factor_block.
  matrix_view<T> view() const { return A_.block(k_, k_, A_.rows() - k_, cols()); }

  // Tournament pivoting: play() every game of every round; adopt the winners as interchanges;
  // start(); solve_left() for all chunks; finish(), or factor_block() where start() or the size of
  // L21 forbids it, since A is as it was until then.

  /// Game g of a round in one of games.slots memories; see tournament_round.
  template <class Round>
  void play(const Round& round, index_t g, const lu_games<T>& games, index_t slot) const {
    const index_t from = round.begin(g), count = round.begin(g + 1) - from, b = round.panel.cols();
    const auto order = round.order.subspan(from, count);
    for (index_t i = 0; i < count; ++i)
      order[i] = round.candidates.empty() ? from + i : round.candidates[from + i];
    const bool last = round.games == 1;
    const auto root = last ? games.root.block(0, 0, b, b) : matrix_view<T>();
    std::byte* const memory =
        games.memory + static_cast<std::size_t>(slot) * games.slot_bytes(games.most_rows, block_);
    with_isa(set_, [&](auto target) {
      play_game(target, round.panel, order.data(), count, round.winners.data() + g * b, root,
                memory);
    });
  }
  /// False where the root's pivots cannot be divided by.
  bool start(const lu_games<T>& games) const {
    const auto root = games.root.block(0, 0, cols(), cols());
    return with_isa(set_, [&](auto target) {
      return start_chosen_panel<T>(target, view(), interchanges_.data() + k_, k_, root, copy(),
                                   games.strips, games.reciprocals, memory_);
    });
  }
  /// Chunks of rows of L21.
  index_t left_chunks() const { return (A_.rows() - k_ - cols() + chunk - 1) / chunk; }
  /// Rows of one chunk := themselves · U11⁻¹; the largest |l_ij| among them, NaN where there is
  /// one.
  real_t<T> solve_left(const lu_games<T>& games, index_t i) const {
    const index_t rows = A_.rows() - k_ - cols(), count = detail::min(chunk, rows - i * chunk);
    return with_isa(set_, [&](auto target) {
      constexpr index_t packet = decltype(target)::vector_bytes / index_t(sizeof(real_t<T>));
      return solve_right(target, copy() + cols() + i * chunk, layout().copy_ld,
                         round_up(count, packet), cols(), games.strips, games.reciprocals);
    });
  }
  void finish() const {
    with_isa(set_, [&](auto target) {
      finish_chosen_panel<T>(target, view(), interchanges_.data() + k_, k_, copy(), step(),
                             memory_);
    });
  }

  /// Columns from … to − 1 on the right: interchanged, solved, updated.
  void eliminate(index_t from, index_t to) const {
    const auto C = A_.block(k_, k_ + cols() + from, A_.rows() - k_, to - from);
    with_isa(set_, [&](auto target) { eliminate_columns(target, step_, C); });
  }

  /// How many threads the memory serves in the last pass, and how many are worth their while.
  index_t left_pieces() const {
    const auto room = static_cast<index_t>(lu_panels_bytes<T>(A_.rows(), A_.cols(), block_) /
                                           lu_left_bytes<T>(A_.rows()));
    return detail::clamp<index_t>(detail::min(room, A_.cols() / 256), 1, block_);
  }
  /// The interchanges of later panels for a piece of the columns of earlier ones; any panel of A
  /// will do.
  void interchange_left(index_t piece, index_t pieces) const {
    std::byte* const memory =
        memory_ + static_cast<std::size_t>(piece) * lu_left_bytes<T>(A_.rows());
    with_isa(set_, [&](auto target) {
      interchange_left_columns(target, A_, block_, interchanges_.data(),
                               static_cast<index_t>(interchanges_.size()), piece, pieces, memory);
    });
  }

 private:
  static constexpr index_t chunk = 96;  // rows of L21; whole tiles of every type

  /// What the columns on the right need, where there are some.
  const lu_step<T>* step() const { return columns_left() > 0 ? &step_ : nullptr; }
  panel_memory layout() const { return {A_.rows() - k_, cols(), sizeof(T)}; }
  T* copy() const { return reinterpret_cast<T*>(memory_ + layout().before_copy); }

  void place() {
    std::byte* p = memory_ + panel_memory(A_.rows(), block_, sizeof(T)).bytes;
    if (k_ / block_ % 2 == 1) p += lu_step_bytes<T>(A_.rows(), block_);
    constexpr index_t packet = panel_memory::widest_packet;
    const index_t K = round_up(block_, base_columns);  // of the widest panel, for all
    step_.inverses = panel_memory::take<T>(p, K * packet);
    step_.F = panel_memory::take<T>(p, (K + base_columns) * K + packet);
    step_.packed = panel_memory::take<T>(p, round_up(A_.rows(), packet) * K + packet);
    step_.moves.source = panel_memory::take<index_t>(p, K);
    step_.moves.target = panel_memory::take<index_t>(p, K);
    step_.K = step_.moves.count = exists() ? round_up(cols(), base_columns) : 0;
  }

  isa set_;
  matrix_view<T> A_;
  std::span<index_t> interchanges_;
  index_t block_;
  std::byte* memory_;
  index_t k_ = 0;
  lu_step<T> step_{};
};

#else

// has_kernels<T> is false: named, but never called.
template <class T>
status factor_small_lu(const matrix_view<T>&, std::span<index_t>) {
  return {};
}
template <class T>
class lu_packed_panel;

#endif

}  // namespace simd
}  // namespace TRIFAC_ABI
}  // namespace trifac
