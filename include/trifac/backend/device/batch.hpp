#pragma once
// Batches on a device, a matrix in each lane of a vector or in each item: launches of the kernels in
// kernel/batch_*.hpp on a batch in the host's memory.

#include <string>
#include <vector>

#include "trifac/backend/device/batch_memory.hpp"
#include "trifac/backend/device/batch_shape.hpp"
#include "trifac/backend/device/launcher.hpp"
#include "trifac/kernel/batch_cholesky.hpp"
#include "trifac/kernel/batch_lanes.hpp"
#include "trifac/kernel/batch_lu.hpp"
#include "trifac/kernel/batch_solve.hpp"

namespace trifac::device {
inline namespace TRIFAC_ABI {

/// The calls on batches of T. There are no status words: each matrix has info of its own, and no launch
/// depends on another.
template <class Runtime, class T>
class batch_calls {
 public:
  /// How a solve is done: KIND of kernel/batch_solve.hpp.
  enum class solve_kind { cholesky, lu, lu_transposed };

  batch_calls(session<Runtime>& s, const device_settings& settings, const batch_tuning& tuning)
      : session_(s),
        has_vectors_(Runtime::has_vectors && wants_vectors(s.runtime.facts(), settings)),
        floats_(settings.floats),
        tuning_(tuning) {
    if (std::is_same_v<real_t<T>, double> && !s.runtime.facts().has_double)
      throw backend_error(std::string(Runtime::name) + ": " + s.runtime.facts().name +
                          " has no double");
  }

  /// A = L·Lᴴ of each matrix, lower triangles; info is written for each.
  status cholesky(const batch_view<T>& A, std::span<std::int32_t> info) {
    const batch_shape shape = shape_of(A.rows(), true);
    part_watch watch;
    device_times times;
    host_batch<Runtime, T> matrices(session_, A, layout(shape), extent_of_use::lower_triangle);
    host_numbers<Runtime, std::int32_t> outcomes(session_, info);
    times.copy_in = watch.lap();
    const division d = divide(A.batch(), A.rows(), A.cols(), shape, matrices.in_place());
    launch("batch_cholesky", kernel::batch_cholesky,
           "LOOKING=" + std::to_string(static_cast<int>(shape.looking)), shape, d, matrices.get(),
           matrices.place(), d.work.get(), d.step, d.ld, d.in_place, d.each, outcomes.get());
    session_.runtime.finish();
    times.run = watch.lap();
    matrices.copy_back();
    outcomes.copy_back();
    return ended(times, watch);
  }
  /// P·A = L·U of each matrix, or A = L·U where there is no memory for interchanges.
  status lu(const batch_view<T>& A, std::span<std::int32_t> interchanges,
            std::span<std::int32_t> info) {
    const batch_shape shape =
        shape_of(A.rows() == A.cols() ? A.rows() : -std::max(A.rows(), A.cols()));
    part_watch watch;
    device_times times;
    host_batch<Runtime, T> matrices(session_, A, layout(shape), extent_of_use::all);
    host_numbers<Runtime, std::int32_t> rows(session_, interchanges), outcomes(session_, info);
    times.copy_in = watch.lap();
    const division d = divide(A.batch(), A.rows(), A.cols(), shape, matrices.in_place());
    launch("batch_lu", kernel::batch_lu, interchanges.empty() ? "EXCHANGES=0" : "EXCHANGES=1",
           shape, d, matrices.get(), matrices.place(), d.work.get(), d.step, d.ld, d.in_place,
           d.each, rows.get(), outcomes.get());
    session_.runtime.finish();
    times.run = watch.lap();
    matrices.copy_back();
    if (!interchanges.empty()) rows.copy_back();
    outcomes.copy_back();
    return ended(times, watch);
  }
  /// B := A⁻¹·B of each matrix whose info is 0, with conj(A) where asked for; LU without interchanges
  /// where there are none.
  status solve(solve_kind kind, bool conjugated, const batch_view<const T>& factors,
               std::span<const std::int32_t> interchanges, std::span<const std::int32_t> info,
               const batch_view<T>& B) {
    const index_t n = factors.rows();
    const batch_shape shape = shape_of(-n);  // one program for all orders: 0.5 s saved for each
    part_watch watch;
    device_times times;
    const host_batch<Runtime, const T> matrices(
        session_, factors, layout(shape),
        kind == solve_kind::cholesky ? extent_of_use::lower_triangle : extent_of_use::all);
    host_batch<Runtime, T> sides(session_, B, layout(shape), extent_of_use::all);
    const host_numbers<Runtime, const std::int32_t> rows(session_, interchanges),
        outcomes(session_, info);
    times.copy_in = watch.lap();
    const division d = divide(B.batch(), n, n + B.cols(), shape,
                              matrices.in_place() && sides.in_place() && is_success(info));
    launch("batch_solve", kernel::batch_solve, "KIND=" + std::to_string(static_cast<int>(kind)),
           shape, d, matrices.get(), matrices.place(), sides.get(), sides.place(), d.work.get(),
           d.step, d.ld, static_cast<int>(matrices.in_place()), static_cast<int>(sides.in_place()),
           d.each, static_cast<int>(conjugated), static_cast<int>(!interchanges.empty()),
           rows.get(), outcomes.get());
    session_.runtime.finish();
    times.run = watch.lap();
    sides.copy_back();
    return ended(times, watch);
  }

 private:
  using scratch = typename session<Runtime>::scratch;

  /// How groups of lanes are divided among items: `each` to one. `step` REALs of work are an item's, in
  /// columns of ld rows.
  struct division {
    extent groups, items;
    index_t each = 1, ld = 0, step = 0;
    int in_place = 0;
    scratch work;
  };

  batch_shape shape_of(index_t order, bool is_cholesky = false) const {
    return choose_batch_shape<T>(facts(), has_vectors_, order, tuning_, is_cholesky);
  }
  static lane_layout layout(const batch_shape& s) { return {s.lanes, s.chunk, s.chunk_as_asked}; }
  static bool is_success(std::span<const std::int32_t> info) {
    for (const std::int32_t i : info)
      if (i != 0) return false;
    return true;
  }

  /// On CPUs an item has a part of the batch, elsewhere one matrix. cols: of the memory in which a group
  /// is packed.
  division divide(index_t batch, index_t rows, index_t cols, const batch_shape& s, bool in_place) {
    division d;
    d.in_place = in_place;
    const index_t groups = (batch + s.lanes - 1) / s.lanes;
    if (!has_vectors_) {
      const index_t local = std::min<index_t>(32, static_cast<index_t>(facts().most_items));
      d.items.x = static_cast<std::size_t>(local);
      d.groups.x = parts_of(groups, static_cast<index_t>(d.items.x));
      d.work = session_.borrow(sizeof(T));
      return d;
    }
    constexpr index_t set =
        4096;  // bytes: elements of a row at multiples of it share a set of the cache
    const index_t packet = s.lanes * static_cast<index_t>(sizeof(T));
    d.ld = rows * packet % set == 0 ? rows + 1 : rows;
    const index_t bytes = d.ld * cols * packet;
    index_t items = std::min<index_t>(groups, 32);
    if (!in_place) items = std::clamp<index_t>((index_t{64} << 20) / bytes, facts().units, items);
    // Only the last group is packed where the others are worked on in place.
    const bool packs = !in_place || batch % s.lanes != 0;
    d.step = in_place ? 0 : bytes / static_cast<index_t>(sizeof(real_t<T>));
    d.each = (groups + items - 1) / items;
    d.groups.x = parts_of(groups, d.each);
    const index_t packed = !packs ? 0 : in_place ? 1 : static_cast<index_t>(d.groups.x);
    d.work = session_.borrow(std::max(static_cast<std::uint64_t>(bytes * packed), sizeof(T)));
    return d;
  }

  /// The kernel of that name, in a program of its own for each `choice`: drivers compile all that is in
  /// a program, and a call wants one kernel.
  template <class... Arguments>
  void launch(const char* name, const char* text, std::string choice, const batch_shape& s,
              const division& d, const Arguments&... arguments) {
    program_source source{name,
                          {kernel::BATCH_text, kernel::arithmetic, kernel::batch_lanes, text},
                          launcher<Runtime, T>::definitions(static_cast<int>(s.lanes))};
    for (std::string& word : s.definitions()) source.definitions.push_back(std::move(word));
    source.definitions.push_back(std::move(choice));
    if (floats_ == float_model::fast) source.definitions.push_back(program_source::fast);
    auto& runtime = session_.runtime;
    runtime.launch(runtime.load(source), name, d.groups, d.items, arguments...);
  }
  status ended(device_times& times, part_watch& watch) {
    times.copy_out = watch.lap();
    session_.set_times(times);
    session_.runtime.save_programs();
    return {};
  }
  const device_facts& facts() const { return session_.runtime.facts(); }

  session<Runtime>& session_;
  bool has_vectors_;
  float_model floats_;
  batch_tuning tuning_;
};

}  // namespace TRIFAC_ABI
}  // namespace trifac::device
