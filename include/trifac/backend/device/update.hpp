#pragma once
// The verbs that every blocked factorization needs on a device: products through packed strips,
// triangular solves, copies.

#include "trifac/backend/device/executor.hpp"
#include "trifac/backend/device/tiles.hpp"
#include "trifac/kernel/arithmetic.hpp"
#include "trifac/kernel/packed_update.hpp"
#include "trifac/kernel/triangular.hpp"

namespace trifac::device {
inline namespace TRIFAC_ABI {

template <class Runtime, class T>
class update_verbs : public executor_base<Runtime, T> {
 public:
  using base = executor_base<Runtime, T>;
  using typename base::handle;
  using typename base::operand;
  using typename base::scratch;
  using typename base::view;
  using program = typename Runtime::program;

  update_verbs(session<Runtime>& s, const device_settings& settings)
      : base(s, settings), shape_(choose_shape(s.runtime.facts(), settings)) {}
  /// For the second queue; see executor_base.
  update_verbs(const update_verbs& first, device_queue queue)
      : base(first, queue), shape_(first.shape_) {}

  /// C := C − A·B; m×n, m×k, k×n. In pieces of `deepest` along k.
  void update(view C, operand A, operand B) {
    if (C.row_stride() != 1 && C.col_stride() == 1) {  // Cᵀ −= Bᵀ·Aᵀ
      C = C.transposed();
      A = std::exchange(B, A.transposed()).transposed();
    }
    if (C.empty()) return;
    for (index_t p = 0; p < A.cols(); p += deepest) {
      const index_t depth = std::min(deepest, A.cols() - p);
      const auto rows = pack(A.block(0, p, A.rows(), depth));
      auto columns_of_B = B.block(p, 0, depth, B.cols()).transposed();
      columns_of_B.conjugated =
          !columns_of_B.conjugated;  // the kernel conjugates its right operand
      const auto cols = pack(columns_of_B);
      launch_update(C, rows.get(), cols.get(), depth, whole, depth);
    }
  }

  /// C := C − A·B by the library; false where it does not do that. After a failure it computes on
  /// with what is there.
  bool update_by_library(view C, operand A, operand B) {
    if constexpr (Runtime::has_library) {
      if (C.row_stride() != 1) {  // Cᵀ −= Bᵀ·Aᵀ
        C = C.transposed();
        A = std::exchange(B, A.transposed()).transposed();
      }
      if (!C.empty() && this->uses_library(C.rows(), C.cols(), A.cols()))
        return this->runtime().library().update(C, A, B);
    }
    return false;
  }

  /// Lower triangle of C := C − A·Aᴴ; C: n×n, A: n×k.
  void update_lower(view C, view A) {
    if (C.empty()) return;
    const bool upper = C.row_stride() != 1 && C.col_stride() == 1;
    if (upper) C = C.transposed();
    for (index_t p = 0; p < A.cols(); p += deepest) {
      const index_t depth = std::min(deepest, A.cols() - p);
      const auto rows = pack({A.block(0, p, A.rows(), depth), upper});
      launch_update(C, rows.get(), rows.get(), depth, upper ? upper_triangle : lower_triangle,
                    depth);
    }
  }

  /// B := L⁻¹·B and B := U⁻¹·B by blocks: substitution with a diagonal block, then a product.
  void solve_lower(operand L, view B, diagonal diag) {
    for (index_t k = 0; k < B.rows(); k += solve_block) {
      const index_t b = std::min(solve_block, B.rows() - k), below = B.rows() - k - b;
      const view B1 = B.block(k, 0, b, B.cols());
      substitute(L.block(k, k, b, b), B1, diag, false);
      update(B.block(k + b, 0, below, B.cols()), L.block(k + b, k, below, b), B1);
    }
  }
  void solve_upper(operand U, view B, diagonal diag) {
    for (index_t end = B.rows(); end > 0; end -= std::min(solve_block, end)) {
      const index_t b = std::min(solve_block, end), k = end - b;
      const view B1 = B.block(k, 0, b, B.cols());
      substitute(U.block(k, k, b, b), B1, diag, true);
      update(B.block(0, 0, k, B.cols()), U.block(0, k, k, b), B1);
    }
  }
  /// B := B·U⁻¹, as Uᵀ·Xᵀ = Bᵀ.
  void solve_right_upper(operand U, view B) {
    solve_lower(U.transposed(), B.transposed(), diagonal::general);
  }

  /// B := A, or its lower triangle.
  void copy(view A, view B) { copy_part(A, B, 0); }
  void copy_lower(view A, view B) { copy_part(A, B, 1); }

 protected:
  static constexpr int whole = 0, lower_triangle = 1, upper_triangle = 2;

  const tile_shape& shape() const { return shape_; }

  /// The program of texts that use packed tiles, with this shape.
  program& load_tiled(const char* name, std::initializer_list<const char*> texts) {
    program_source source{
        name, {kernel::arithmetic, kernel::packed_tiles}, base::definitions(shape_.vector)};
    for (std::string& d : shape_.definitions()) source.definitions.push_back(std::move(d));
    source.texts.insert(source.texts.end(), texts.begin(), texts.end());
    return this->runtime().load(source);
  }
  static std::size_t parts_of(index_t n, index_t part) {
    return static_cast<std::size_t>((n + part - 1) / part);
  }
  /// Items of a group that works on n things, one for each.
  extent line(index_t n) const {
    const index_t most = static_cast<index_t>(std::min<std::size_t>(64, this->facts().most_items));
    return {static_cast<std::size_t>(std::clamp<index_t>(n, 1, most)), 1};
  }

  /// Memory for packed strips of a matrix of that many rows and columns.
  scratch borrow_strips(index_t rows, index_t columns) const {
    const index_t strip = shape_.strip();
    return this->template borrow<T>((rows + strip - 1) / strip * strip * columns);
  }

  /// C −= A·Bᴴ from the first `depth` columns of packed strips that have `columns` of them.
  void launch_update(view C, handle A, handle B, index_t depth, int part, index_t columns) {
    const extent groups{parts_of(C.rows(), shape_.strip() * shape_.strips),
                        parts_of(C.cols(), shape_.tile_columns() * shape_.tiles)};
    launch("update", groups, update_items(), C.memory(), C.offset(), C.rows(), C.cols(),
           C.row_stride(), C.col_stride(), A, B, static_cast<int>(depth), columns, part,
           this->state());
  }
  extent update_items() const {
    return {static_cast<std::size_t>(shape_.items_x), static_cast<std::size_t>(shape_.items_y)};
  }

  /// The rows of A in packed strips.
  scratch pack(operand A) {
    scratch strips = borrow_strips(A.rows(), A.cols());
    if (A.cols() == 0 || A.rows() == 0) return strips;
    const view& V = A.view;
    launch("pack", {parts_of(A.rows(), shape_.strip()), parts_of(A.cols(), pack_columns)},
           {static_cast<std::size_t>(shape_.items_x * shape_.items_y > 1 ? shape_.strip() : 1), 1},
           V.memory(), V.offset(), V.rows(), V.cols(), V.row_stride(), V.col_stride(),
           static_cast<int>(A.conjugated), strips.get(), this->state());
    return strips;
  }

 private:
  static constexpr index_t deepest = 512;      // packed columns at once: bounds the scratch memory
  static constexpr index_t solve_block = 64;   // rows of one substitution
  static constexpr index_t pack_columns = 64;  // PACK_COLUMNS in kernel/packed_update.hpp

  static tile_shape choose_shape(const device_facts& f, const device_settings& settings) {
    const bool vectors =
        Runtime::has_vectors && (settings.tiles == tile_choice::vectors ||
                                 (settings.tiles == tile_choice::by_device && f.is_cpu));
    return vectors ? vector_tiles<T>(f) : group_tiles<T>(f);
  }

  void substitute(operand A, view X, diagonal diag, bool backward) {
    if (X.empty()) return;
    const extent items = line(X.cols());
    launch("solve_block", {parts_of(X.cols(), static_cast<index_t>(items.x))}, items,
           A.view.memory(), A.view.offset(), A.view.row_stride(), A.view.col_stride(),
           static_cast<int>(A.conjugated), static_cast<int>(backward),
           static_cast<int>(diag == diagonal::unit), X.memory(), X.offset(), X.rows(), X.cols(),
           X.row_stride(), X.col_stride(), this->state());
  }
  void copy_part(view A, view B, int lower) {
    if (A.empty()) return;
    const extent items = line(A.rows());
    launch("copy", {parts_of(A.rows(), static_cast<index_t>(items.x))}, items, A.memory(),
           A.offset(), A.row_stride(), A.col_stride(), B.memory(), B.offset(), B.row_stride(),
           B.col_stride(), A.rows(), A.cols(), lower, this->state());
  }

  // Only what a factorization uses gets compiled, so this class has a program of its own.
  template <class... Arguments>
  void launch(const char* kernel_name, extent groups, extent items, const Arguments&... arguments) {
    if (!program_) program_ = &load_tiled("update", {kernel::packed_update, kernel::triangular});
    this->enqueue(*program_, kernel_name, groups, items, arguments...);
  }

  tile_shape shape_;
  program* program_ = nullptr;
};

}  // namespace TRIFAC_ABI
}  // namespace trifac::device
