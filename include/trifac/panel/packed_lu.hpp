#pragma once
// lu_packed_panel: a panel of right-looking LU as the loop nest sees it.

#include <cstddef>
#include <cstdint>
#include <span>

#include "trifac/detail/as_size.hpp"
#include "trifac/detail/min_max.hpp"
#include "trifac/simd/lu/kernels.hpp"
#include "trifac/simd/lu/memory.hpp"
#include "trifac/simd/lu/pivot_faults.hpp"
#include "trifac/status.hpp"

namespace trifac {
inline namespace TRIFAC_ABI {
namespace simd {

#if TRIFAC_SIMD

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
  /// Columns that a team's thread takes at a time when there are `n` for each of its turns.
  index_t piece(index_t n) const {
    const index_t turn = is_row_major() ? row_turn : column_turn;
    return detail::clamp<index_t>(n / turn * turn, turn, turns_of_piece * turn);
  }

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
  // start(); solve_left() for all chunks; finish() for all pieces, or factor_block() where start()
  // or the size of L21 forbids it, since A is as it was until then.

  /// Game g of a round in one of games.slots memories; see tournament_round.
  template <class Round>
  void play(const Round& round, index_t g, const tournament_memory<T>& games, index_t slot) const {
    const index_t from = round.begin(g), count = round.begin(g + 1) - from, b = round.panel.cols();
    const auto order = round.order.subspan(detail::as_size(from), detail::as_size(count));
    for (index_t i = 0; i < count; ++i)
      order[detail::as_size(i)] =
          round.candidates.empty() ? from + i : round.candidates[detail::as_size(from + i)];
    const bool last = round.games == 1;
    const auto root = last ? games.root.block(0, 0, b, b) : matrix_view<T>();
    std::byte* const memory =
        games.memory + static_cast<std::size_t>(slot) * games.slot_bytes(games.most_rows, block_);
    with_isa(set_, [&](auto target) {
      local_lu(target, round.panel, order.data(), count, round.winners.data() + g * b, root,
               memory);
    });
  }
  /// False where the root's pivots cannot be divided by.
  bool start(const tournament_memory<T>& games) const {
    const auto root = games.root.block(0, 0, cols(), cols());
    return with_isa(set_, [&](auto target) {
      return start_candidate_panel<T>(target, chosen(games), A_.rows() - k_,
                                      interchanges_.data() + k_, k_, root, memory_);
    });
  }
  /// Chunks of rows of L21.
  index_t left_chunks() const { return (A_.rows() - k_ - cols() + chunk - 1) / chunk; }
  /// Rows of one chunk, interchanged and solved, in the panel's copy; the largest |l_ij| among them,
  /// NaN where there is one.
  real_t<T> solve_left(const tournament_memory<T>& games, index_t i) const {
    const index_t from = cols() + i * chunk, to = detail::min(from + chunk, A_.rows() - k_);
    const lu_step<T>* const packs = cols() == step_.K ? step() : nullptr;
    return with_isa(set_, [&](auto target) {
      return solve_candidate_rows(target, chosen(games), view(), from, to, packs);
    });
  }
  /// Pieces of finish.
  index_t finish_pieces() const { return 1 + (cols() + finish_columns - 1) / finish_columns; }
  void finish(const tournament_memory<T>& games, index_t i) const {
    with_isa(set_, [&](auto target) {
      if (i > 0) {
        const index_t from = (i - 1) * finish_columns;
        const index_t to = detail::min(from + finish_columns, cols());
        store_candidate_columns(target, chosen(games), view(), from, to);
      } else if (step()) {
        finish_candidate_panel(target, chosen(games), view(), step_);
      }
    });
  }

  /// Columns from … to − 1 on the right: interchanged, solved, updated.
  void eliminate(index_t from, index_t to) const {
    from = line_end(from);
    to = line_end(to);
    const auto C = A_.block(k_, k_ + cols() + from, A_.rows() - k_, to - from);
    with_isa(set_, [&](auto target) { eliminate_columns(target, step_, view(), C); });
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
  static constexpr index_t finish_columns = 16;

  /// Where a piece that would end at column c on the right ends: in row-major storage with a cache
  /// line, as two threads would have to write it in turn.
  index_t line_end(index_t c) const {
    if (!is_row_major() || c == 0 || c >= columns_left()) return c;
    constexpr std::uintptr_t line = 64;
    const auto begin = reinterpret_cast<std::uintptr_t>(&A_(k_, k_ + cols() + c));
    const auto rest = static_cast<index_t>((line - begin % line) % line / sizeof(T));
    return detail::min(columns_left(), c + rest);
  }
  bool is_row_major() const { return A_.col_stride() == 1 && A_.row_stride() != 1; }
  /// What the columns on the right need, where there are some.
  const lu_step<T>* step() const { return columns_left() > 0 ? &step_ : nullptr; }
  panel_memory layout() const { return {A_.rows() - k_, cols(), sizeof(T)}; }
  candidate_panel<T> chosen(const tournament_memory<T>& games) const {
    const panel_memory here = layout();
    permutation moves = games.moves;
    moves.count = here.moves;
    return {reinterpret_cast<T*>(memory_ + here.before_copy),
            here.copy_ld,
            here.rows,
            moves,
            games.U11,
            games.reciprocals};
  }

  void place() {
    std::byte* p = memory_ + panel_memory(A_.rows(), block_, sizeof(T)).bytes;
    if (k_ / block_ % 2 == 1) p += lu_step_bytes<T>(A_.rows(), block_);
    constexpr index_t packet = panel_memory::widest_packet;
    const index_t K = round_up(block_, base_columns);  // of the widest panel, for all
    step_.inverses = panel_memory::take<T>(p, K * packet);
    step_.F = panel_memory::take<T>(p, (K + base_columns) * K + packet);
    T* const packed = panel_memory::take<T>(p, round_up(A_.rows(), packet) * K + packet);
    step_.packed = is_row_major() ? nullptr : packed;
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
class lu_packed_panel;

#endif

}  // namespace simd
}  // namespace TRIFAC_ABI
}  // namespace trifac
