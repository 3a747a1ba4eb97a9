#pragma once
// The MPI collectives of the distributed factorizations, with counts of messages and bytes.

#include <mpi.h>

#include <bit>
#include <complex>
#include <cstdint>
#include <span>
#include <type_traits>
#include <utility>

#include "trifac/engine/base/as_size.hpp"
#include "trifac/scalar.hpp"

namespace trifac {
namespace distributed {

/// What this process has received. A broadcast counts as one message, a reduction or all-gather of
/// p processes as ⌈log₂ p⌉, the minimum, an all-to-all as one per partner.
struct traffic {
  std::int64_t messages = 0, bytes = 0;
};

inline namespace TRIFAC_ABI {

template <class T>
MPI_Datatype mpi_type() {
  if constexpr (std::is_same_v<T, float>) return MPI_FLOAT;
  if constexpr (std::is_same_v<T, double>) return MPI_DOUBLE;
  if constexpr (std::is_same_v<T, std::complex<float>>) return MPI_C_FLOAT_COMPLEX;
  if constexpr (std::is_same_v<T, std::complex<double>>) return MPI_C_DOUBLE_COMPLEX;
  if constexpr (std::is_same_v<T, std::int64_t>) return MPI_INT64_T;
}

/// A group of processes: all of a grid, or one of its rows or columns. Owns its communicator, so
/// its messages cannot match others. MPI errors abort the program, whatever the error handler of
/// the caller's communicator. One message has fewer than 2³¹ elements: agreement::messages.
class communicator {
 public:
  communicator() = default;
  /// The processes of `parent` with the same colour, ranked by key. Collective.
  communicator(MPI_Comm parent, int color, int key) {
    MPI_Comm_split(parent, color, key, &comm_);
    MPI_Comm_set_errhandler(comm_, MPI_ERRORS_ARE_FATAL);  // return codes are not checked
    MPI_Comm_size(comm_, &size_);
    MPI_Comm_rank(comm_, &rank_);
  }
  communicator(communicator&& other) noexcept { *this = std::move(other); }
  communicator& operator=(communicator&& other) noexcept {
    std::swap(comm_, other.comm_);
    std::swap(size_, other.size_);
    std::swap(rank_, other.rank_);
    return *this;
  }
  ~communicator() {
    int over = 0;
    if (comm_ != MPI_COMM_NULL && MPI_Finalized(&over) == MPI_SUCCESS && over == 0)
      MPI_Comm_free(&comm_);
  }

  int size() const { return size_; }
  int rank() const { return rank_; }

  template <class T>
  void broadcast(T* data, index_t count, int root, traffic& moved) const {
    if (size_ == 1 || count == 0) return;
    MPI_Bcast(data, static_cast<int>(count), mpi_type<T>(), root, comm_);
    if (rank_ != root) add<T>(moved, 1, count);
  }
  /// Starts a broadcast: `data` is valid after wait().
  template <class T>
  [[nodiscard]] MPI_Request begin_broadcast(T* data, index_t count, int root,
                                            traffic& moved) const {
    MPI_Request under_way = MPI_REQUEST_NULL;
    if (size_ == 1 || count == 0) return under_way;
    MPI_Ibcast(data, static_cast<int>(count), mpi_type<T>(), root, comm_, &under_way);
    if (rank_ != root) add<T>(moved, 1, count);
    return under_way;
  }
  static void wait(MPI_Request& under_way) { MPI_Wait(&under_way, MPI_STATUS_IGNORE); }
  /// data := elementwise minimum over all processes.
  void all_min(std::span<std::int64_t> data, traffic& moved) const {
    MPI_Allreduce(MPI_IN_PLACE, data.data(), static_cast<int>(data.size()), MPI_INT64_T, MPI_MIN,
                  comm_);
    add<std::int64_t>(moved, rounds(), rounds() * static_cast<index_t>(data.size()));
  }
  /// data := the sum over all processes, at the root; unspecified elsewhere.
  template <class T>
  void reduce_sum(T* data, index_t count, int root, traffic& moved) const {
    if (size_ == 1 || count == 0) return;
    const bool root_here = rank_ == root;
    MPI_Reduce(root_here ? MPI_IN_PLACE : data, root_here ? data : nullptr, static_cast<int>(count),
               mpi_type<T>(), MPI_SUM, root, comm_);
    if (root_here) add<T>(moved, rounds(), rounds() * count);
  }
  /// Gathers `count` elements of each process, by rank.
  template <class T>
  void all_gather(const T* mine, index_t count, T* all, traffic& moved) const {
    MPI_Allgather(mine, static_cast<int>(count), mpi_type<T>(), all, static_cast<int>(count),
                  mpi_type<T>(), comm_);
    add<T>(moved, rounds(), (size_ - 1) * count);
  }
  /// The same with counts[rank] elements of each process at all + starts[rank], where this process
  /// has already stored its own.
  template <class T>
  void all_gather(T* all, const int* counts, const int* starts, traffic& moved) const {
    if (size_ == 1) return;
    MPI_Allgatherv(MPI_IN_PLACE, 0, mpi_type<T>(), all, counts, starts, mpi_type<T>(), comm_);
    index_t received = 0;
    for (int p = 0; p < size_; ++p)
      if (p != rank_) received += counts[p];
    add<T>(moved, rounds(), received);
  }
  /// Sends different elements to each process.
  template <class T>
  void all_to_all(const T* out, const int* out_counts, const int* out_starts, T* in,
                  const int* in_counts, const int* in_starts, traffic& moved) const {
    MPI_Alltoallv(out, out_counts, out_starts, mpi_type<T>(), in, in_counts, in_starts,
                  mpi_type<T>(), comm_);
    for (int p = 0; p < size_; ++p)
      if (p != rank_ && in_counts[p] > 0) add<T>(moved, 1, in_counts[p]);
  }
  template <class T>
  void send(const T* data, index_t count, int to) const {
    MPI_Send(data, static_cast<int>(count), mpi_type<T>(), to, 0, comm_);
  }
  template <class T>
  void receive(T* data, index_t count, int from, traffic& moved) const {
    MPI_Recv(data, static_cast<int>(count), mpi_type<T>(), from, 0, comm_, MPI_STATUS_IGNORE);
    add<T>(moved, 1, count);
  }

 private:
  index_t rounds() const { return std::bit_width(static_cast<unsigned>(size_ - 1)); }
  template <class T>
  static void add(traffic& moved, index_t messages, index_t elements) {
    moved.messages += messages;
    moved.bytes += elements * static_cast<index_t>(sizeof(T));
  }

  MPI_Comm comm_ = MPI_COMM_NULL;
  int size_ = 0, rank_ = 0;
};

}  // namespace TRIFAC_ABI
}  // namespace distributed
}  // namespace trifac
