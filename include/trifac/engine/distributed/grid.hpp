#pragma once
// grid: a rows × cols arrangement of processes over which matrices are distributed.

#include "trifac/engine/distributed/communicator.hpp"

namespace trifac {
namespace distributed {
inline namespace TRIFAC_ABI {

/// rows × cols processes. BLACS: a context. Construction and destruction are collective over the
/// communicator and must precede MPI_Finalize; so is every call on a matrix of the grid.
class grid {
 public:
  /// Not usable.
  grid() = default;
  /// The processes of `comm` row by row: rank r is in row r / cols. If rows·cols is not their
  /// number, or differs between them, the grid is unusable on all processes.
  grid(MPI_Comm comm, int rows, int cols) {
    if (comm == MPI_COMM_NULL) return;  // of a process that MPI_Comm_split left out
    int size = 0, rank = 0;
    MPI_Comm_size(comm, &size);
    MPI_Comm_rank(comm, &rank);
    const bool fits = rows > 0 && cols > 0 && index_t{rows} * cols == size;
    std::int64_t shape[] = {fits, rows, ~std::int64_t{rows}};
    traffic none;
    communicator(comm, 0, rank).all_min(shape, none);
    if (shape[0] == 0 || shape[1] != ~shape[2]) return;
    *this = grid(comm, rows, cols, rank / cols, rank % cols);
  }

  /// Each process passes its position; positions are distinct and fill the grid, as those of a
  /// BLACS context do (blacs.hpp).
  grid(MPI_Comm comm, int rows, int cols, int row, int col)
      : all_(comm, 0, row * cols + col),
        in_row_(comm, row, col),
        in_col_(comm, col, row),
        rows_(rows),
        cols_(cols),
        row_(row),
        col_(col) {}

  /// False also for a moved-from grid.
  bool usable() const { return all_.size() > 0; }
  int rows() const { return rows_; }
  int cols() const { return cols_; }
  /// The position of this process.
  int row() const { return row_; }
  int col() const { return col_; }

  const communicator& all() const { return all_; }        ///< rank: row · cols() + col
  const communicator& in_row() const { return in_row_; }  ///< of this process; rank: the column
  const communicator& in_col() const { return in_col_; }  ///< of this process; rank: the row

 private:
  communicator all_, in_row_, in_col_;
  int rows_ = 0, cols_ = 0, row_ = 0, col_ = 0;
};

}  // namespace TRIFAC_ABI
}  // namespace distributed
}  // namespace trifac
