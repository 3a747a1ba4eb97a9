#pragma once
// array: a block-cyclically distributed matrix, stored as in ScaLAPACK.

#include "trifac/engine/base/as_size.hpp"
#include "trifac/engine/distributed/grid.hpp"
#include "trifac/matrix_view.hpp"

namespace trifac {
namespace distributed {

/// The distribution of a matrix: ScaLAPACK's array descriptor desc[9] without type and context.
/// Block (i, j) of row_block × col_block elements is on the process in row (i + first_row) mod grid
/// rows, column (j + first_col) mod grid columns, which stores its blocks contiguously,
/// column-major.
struct descriptor {
  index_t rows = 0, cols = 0;            ///< of the whole matrix: M, N
  index_t row_block = 1, col_block = 1;  ///< MB, NB
  int first_row = 0, first_col = 0;      ///< the process with block (0, 0): RSRC, CSRC
  index_t ld = 1;                        ///< leading dimension of the local array: LLD

  static constexpr descriptor of(const int* desc) {
    return {desc[2], desc[3], desc[4], desc[5], desc[6], desc[7], desc[8]};
  }
};

inline namespace TRIFAC_ABI {

/// One dimension of a distributed matrix: n indices in blocks, distributed cyclically.
struct axis {
  index_t n = 0, block = 1;
  int source = 0;                      ///< the process with block 0
  const communicator* line = nullptr;  ///< the processes it is distributed over

  int size() const { return line->size(); }
  index_t blocks() const { return (n + block - 1) / block; }
  index_t first(index_t k) const { return k * block < n ? k * block : n; }
  index_t width(index_t k) const { return first(k + 1) - first(k); }
  int owner(index_t k) const { return static_cast<int>((k + source) % size()); }
  bool mine(index_t k) const { return owner(k) == line->rank(); }

  /// Number of indices below g on process p, which is the local index there of the first one ≥ g.
  index_t local_on(int p, index_t g) const {
    const index_t turn = (p - source % size() + size()) % size();
    const index_t k = g / block, rest = k % size();
    return k / size() * block + (rest > turn ? block : rest == turn ? g % block : 0);
  }
  index_t local(index_t g) const { return local_on(line->rank(), g); }
  index_t local_count() const { return local(n); }
  /// The global index of local index l on this process.
  index_t global(index_t l) const {
    const index_t turn = (line->rank() - source % size() + size()) % size();
    return (l / block * size() + turn) * block + l % block;
  }
};

/// The local part of a distributed matrix; rows and cols map local to global indices.
template <class T>
struct local_part {
  axis rows, cols;
  trifac::matrix_view<T> local;
  const distributed::grid* grid = nullptr;

  local_part transposed() const { return {cols, rows, local.transposed(), grid}; }
};

/// A matrix on a grid: refers to this process's local array. The grid and the elements must outlive
/// it.
template <LapackScalar T>
class array {
 public:
  using value_type = T;

  array(const distributed::grid& grid, const descriptor& desc, T* local)
      : grid_(&grid), desc_(desc), local_(local) {}
  array(const distributed::grid&&, const descriptor&, T*) = delete;  // the grid must outlive it

  const distributed::grid& grid() const { return *grid_; }
  const descriptor& desc() const { return desc_; }
  T* data() const { return local_; }

  axis rows() const { return dealt(desc_.rows, desc_.row_block, desc_.first_row, grid_->in_col()); }
  axis cols() const { return dealt(desc_.cols, desc_.col_block, desc_.first_col, grid_->in_row()); }
  /// The local array.
  trifac::matrix_view<T> local() const {
    return {local_, rows().local_count(), cols().local_count(), desc_.ld};
  }
  distributed::local_part<T> local_part() const { return {rows(), cols(), local(), grid_}; }

 private:
  /// A block larger than the matrix is reduced to its size.
  static axis dealt(index_t n, index_t block, int source, const communicator& line) {
    return {n, block < n ? block : (n > 0 ? n : 1), source, &line};
  }

  const distributed::grid* grid_;
  descriptor desc_;
  T* local_;
};

}  // namespace TRIFAC_ABI
}  // namespace distributed
}  // namespace trifac
