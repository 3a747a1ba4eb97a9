// The program's own MPI_Send and so on, which count and then call MPI's (PMPI_Send: MPI's profiling
// interface). Messages between two processes are counted by the sender for the receiver.

#include "mpi_counts.hpp"

#include <mpi.h>

#include <bit>
#include <numeric>
#include <vector>

namespace {

bool counting = false;
bench::mpi_counts received;         // in collective operations
std::vector<std::int64_t> sent[2];  // messages and bytes to each process of the program

void count_sent(int count, MPI_Datatype type, int to, MPI_Comm comm) {
  if (!counting || to == MPI_PROC_NULL) return;
  MPI_Group here, all;
  int size = 0, rank = 0;
  PMPI_Comm_group(comm, &here);
  PMPI_Comm_group(MPI_COMM_WORLD, &all);
  PMPI_Group_translate_ranks(here, 1, &to, all, &rank);
  PMPI_Group_free(&here);
  PMPI_Group_free(&all);
  PMPI_Type_size(type, &size);
  ++sent[0][static_cast<std::size_t>(rank)];
  sent[1][static_cast<std::size_t>(rank)] += std::int64_t{count} * size;
}

void count_received(std::int64_t messages, std::int64_t elements, MPI_Datatype type) {
  if (!counting) return;
  int size = 0;
  PMPI_Type_size(type, &size);
  received.messages += messages;
  received.bytes += elements * size;
}

int size_of(MPI_Comm comm) {
  int size = 1;
  PMPI_Comm_size(comm, &size);
  return size;
}
int rank_in(MPI_Comm comm) {
  int rank = 0;
  PMPI_Comm_rank(comm, &rank);
  return rank;
}
int rounds(MPI_Comm comm) {
  return std::bit_width(static_cast<unsigned>(size_of(comm) - 1));
}

}  // namespace

namespace bench {

void begin_mpi_counts() {
  for (auto& numbers : sent) numbers.assign(static_cast<std::size_t>(size_of(MPI_COMM_WORLD)), 0);
  received = {};
  counting = true;
}

mpi_counts end_mpi_counts() {
  counting = false;
  mpi_counts all = received;
  std::vector<std::int64_t> here(sent[0].size());
  for (int k = 0; k < 2; ++k) {
    PMPI_Alltoall(sent[k].data(), 1, MPI_INT64_T, here.data(), 1, MPI_INT64_T, MPI_COMM_WORLD);
    (k == 0 ? all.messages : all.bytes) +=
        std::accumulate(here.begin(), here.end(), std::int64_t{0});
  }
  return all;
}

}  // namespace bench

extern "C" {

int MPI_Send(const void* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm) {
  count_sent(count, type, to, comm);
  return PMPI_Send(data, count, type, to, tag, comm);
}
int MPI_Ssend(const void* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm) {
  count_sent(count, type, to, comm);
  return PMPI_Ssend(data, count, type, to, tag, comm);
}
int MPI_Rsend(const void* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm) {
  count_sent(count, type, to, comm);
  return PMPI_Rsend(data, count, type, to, tag, comm);
}
int MPI_Isend(const void* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
              MPI_Request* request) {
  count_sent(count, type, to, comm);
  return PMPI_Isend(data, count, type, to, tag, comm, request);
}
int MPI_Sendrecv(const void* out, int out_count, MPI_Datatype out_type, int to, int out_tag,
                 void* in, int in_count, MPI_Datatype in_type, int from, int in_tag, MPI_Comm comm,
                 MPI_Status* status) {
  count_sent(out_count, out_type, to, comm);
  return PMPI_Sendrecv(out, out_count, out_type, to, out_tag, in, in_count, in_type, from, in_tag,
                       comm, status);
}
int MPI_Bcast(void* data, int count, MPI_Datatype type, int root, MPI_Comm comm) {
  if (rank_in(comm) != root) count_received(1, count, type);
  return PMPI_Bcast(data, count, type, root, comm);
}
int MPI_Ibcast(void* data, int count, MPI_Datatype type, int root, MPI_Comm comm,
               MPI_Request* request) {
  if (rank_in(comm) != root) count_received(1, count, type);
  return PMPI_Ibcast(data, count, type, root, comm, request);
}
int MPI_Reduce(const void* from, void* to, int count, MPI_Datatype type, MPI_Op op, int root,
               MPI_Comm comm) {
  if (rank_in(comm) == root) count_received(rounds(comm), std::int64_t{rounds(comm)} * count, type);
  return PMPI_Reduce(from, to, count, type, op, root, comm);
}
int MPI_Allreduce(const void* from, void* to, int count, MPI_Datatype type, MPI_Op op,
                  MPI_Comm comm) {
  count_received(rounds(comm), std::int64_t{rounds(comm)} * count, type);
  return PMPI_Allreduce(from, to, count, type, op, comm);
}
int MPI_Allgather(const void* from, int count, MPI_Datatype type, void* to, int to_count,
                  MPI_Datatype to_type, MPI_Comm comm) {
  count_received(rounds(comm), std::int64_t{size_of(comm) - 1} * to_count, to_type);
  return PMPI_Allgather(from, count, type, to, to_count, to_type, comm);
}
int MPI_Allgatherv(const void* from, int count, MPI_Datatype type, void* to, const int counts[],
                   const int starts[], MPI_Datatype to_type, MPI_Comm comm) {
  std::int64_t others = -counts[rank_in(comm)];
  for (int p = 0; p < size_of(comm); ++p) others += counts[p];
  count_received(rounds(comm), others, to_type);
  return PMPI_Allgatherv(from, count, type, to, counts, starts, to_type, comm);
}
int MPI_Alltoallv(const void* from, const int from_counts[], const int from_starts[],
                  MPI_Datatype type, void* to, const int to_counts[], const int to_starts[],
                  MPI_Datatype to_type, MPI_Comm comm) {
  for (int p = 0; p < size_of(comm); ++p)
    if (p != rank_in(comm) && to_counts[p] > 0) count_received(1, to_counts[p], to_type);
  return PMPI_Alltoallv(from, from_counts, from_starts, type, to, to_counts, to_starts, to_type,
                        comm);
}

}  // extern "C"
