"""Special paths of the library, each with what switches it off: for `bench/compare --without NAME`, which
compares the headers as they are with a copy in which the one text is replaced. A path that gains nothing
there goes. tests/docs/measure_test.py sees that each text stands once."""

import dataclasses


@dataclasses.dataclass(frozen=True)
class Path:
    about: str
    file: str        # below include/trifac/engine
    text: str
    off: str         # what stands there instead
    algorithm: str
    n: tuple         # the orders that show it
    types: str = "d"
    isa: str = ""    # limit, as --isa
    sides: tuple = ()  # solves with so many right-hand sides
    operations: str = ""  # of batches, as --operations
    places: str = "no"    # batches from memory, as --from-memory
    batch: int = 0        # matrices, as --batch
    threads: int = 1
    layout: str = ""      # the one of batches that shows it: trifac (chunked) or trifac-canonical
    part: str = "special-paths"  # of docs/measure.sh


SIZES = "simd/core/small_kernels.hpp"
BY_ORDER = "choices-by-order"

PATHS = {
    "cholesky-scalars": Path(
        "Cholesky in scalars", SIZES, "cholesky_by_scalars = {8, 8, 0, 0}", "cholesky_by_scalars = {}",
        "cholesky", (2, 4, 6, 8), "ds"),
    "lu-scalars": Path(
        "LU in scalars", SIZES, "lu_by_scalars = {6, 6, 0, 0}", "lu_by_scalars = {}", "lu", (2, 3, 4, 5, 6), "ds"),
    "lu-registers": Path(
        "LU in registers (AVX-512)", SIZES, "largest_order{48, 24, 0, 0} : largest_order{}",
        "largest_order{} : largest_order{}", "lu", (8, 12, 16, 20, 24), "ds"),
    "register-panel": Path(
        "LU in registers of order 8: no copy", "simd/lu/in_registers.inl", "if constexpr (W == base_columns)\n",
        "if constexpr (W == 0)\n", "lu", (8,)),
    "cholesky-one-panel": Path(
        "Cholesky of one panel: no nest", SIZES, "cholesky_in_one_panel = {176, 128, 112, 80}",
        "cholesky_in_one_panel = {}", "cholesky", (12, 16, 32, 64, 128)),
    "lu-one-panel": Path(
        "LU of one panel: no nest", SIZES, "lu_in_one_panel = 64", "lu_in_one_panel = 24", "lu", (28, 32, 48, 64)),
    "diagonal-with-rows": Path(
        "a diagonal tile of Cholesky summed with the rows below it (AVX2)", "simd/cholesky/panel.inl",
        "target::registers == 16 && target::has_fma && !one_vector_is_enough<T>", "false",
        "cholesky", (32, 64, 128, 256, 512), "ds", isa="avx2"),
    "rows-in-place": Path(
        "LU reads rows of U in their old places", "simd/lu/memory.hpp", "most_rows_in_place = 32",
        "most_rows_in_place = 0", "lu", (32, 48, 64, 128, 200, 320)),
    "permuted-packets": Path(
        "rows of LU permuted in registers (AVX-512)", "simd/lu/rows.inl",
        "permuted_packets = has_masks && !is_complex<T> ? 4 : 0", "permuted_packets = 0",
        "lu", (28, 32, 48, 64, 128, 256), "ds"),
    "two-blocks": Path(
        "the last pass of LU over two blocks", "simd/lu/panel.inl", "if (next == width) {", "if (false) {",
        "lu", (32, 64, 128, 256, 320, 512, 1024)),
    "fetch-tile": Path(
        "products fetch the next tile", "simd/core/micro_kernel.inl", "if (ahead.tile) {", "if (false) {",
        "cholesky,lu", (128, 256, 512, 1024, 2048)),
    "fetch-rows": Path(
        "LU fetches the next columns right of the panel", "simd/lu/step.inl",
        "__builtin_prefetch(column + k, 1, 2);", "static_cast<void>(column);", "lu", (128, 256, 512, 1024, 2048)),
    "few-sides": Path(
        "solves with few right-hand sides read the factor where it lies", SIZES,
        "return r <= most_few_right_hand_sides ? solve_kernel::few_sides : solve_kernel::blocks",
        "return solve_kernel::blocks", "cholesky,lu", (128, 300, 512, 1024, 2048), sides=(1, 4, 6), part=BY_ORDER),
    "solve-scalars": Path(
        "solves in scalars", SIZES, "few_elements_of_solve = 24", "few_elements_of_solve = 0", "cholesky,lu",
        (2, 4, 6, 8), sides=(1,), part=BY_ORDER),
    "solve-at-once": Path(
        "both substitutions at once, without blocks", SIZES,
        "if (n <= (r > half_a_vector<T> ? small_solve_rows : half_empty_rows))", "if (false)", "cholesky,lu",
        (16, 32, 64, 128, 256), sides=(1, 8, 64), part=BY_ORDER),
    "cholesky-one-packed-panel": Path(
        "Cholesky in one packed panel: no second one", "cholesky/plan.hpp", "one_panel_order = 640",
        "one_panel_order = 0", "cholesky", (448, 512, 640), part=BY_ORDER),
    "lu-one-packed-panel": Path(
        "LU in one packed panel: no second one", "lu/plan.hpp", "one_packed_panel = is_complex<T> ? 120 : 256",
        "one_packed_panel = 0", "lu", (96, 128, 192, 256), part=BY_ORDER),
    "cholesky-lane-orders": Path(
        "batches: Cholesky unrolled (AVX-512)", "simd/batch/cholesky.inl",
        "if constexpr (!is_complex<T> && registers >= 32) {", "if constexpr (false) {", "cholesky",
        (2, 3, 4, 5, 6, 7, 8), "sd", operations="factor", layout="trifac", part=BY_ORDER),
    "cholesky-dense-chunk": Path(
        "batches: Cholesky of order 8 with the strides of a chunk (AVX-512)", "simd/batch/cholesky.inl",
        "if (n == 8 && ", "if (false && ", "cholesky", (8,), "sd", operations="factor", layout="trifac",
        part=BY_ORDER),
    "lu-lane-orders": Path(
        "batches: LU in registers (AVX-512)", "simd/batch/lu.inl",
        "if constexpr (!is_complex<T> && registers >= 32 && has_masks)", "if constexpr (false)", "lu", (2, 3, 4),
        "sd", operations="factor", layout="trifac", part=BY_ORDER),
    "solve-lane-orders": Path(
        "batches: solves in registers (AVX-512)", "simd/batch/solve_registers.inl",
        "if constexpr (!is_complex<T> && registers >= 32 && has_masks)", "if constexpr (false)", "cholesky,lu",
        (2, 3, 4, 5, 6, 7, 8), operations="solve", layout="trifac", part=BY_ORDER),
    "full-columns": Path(
        "batches: LU of as many rows as a text has", "simd/batch/lu_columns.inl", "if (N > 4 && A.rows == N)",
        "if (false)", "lu", (8, 16), "sd", operations="factor", layout="trifac", part=BY_ORDER),
    "packed-groups": Path(
        "batches: several groups are packed before they are factored", "batch/pieces/plan.hpp",
        "most_packed_groups = 8", "most_packed_groups = 1", "cholesky,lu", (4, 8, 16), operations="factor",
        layout="trifac-canonical", part=BY_ORDER),
    "packed-columns-apart": Path(
        "batches: packed columns are no multiple of 2048 bytes apart", "batch/pieces/plan.hpp",
        "rows * packet % 2048 == 0 ? rows + 1", "packet == 0 ? rows + 1", "cholesky,lu", (32, 64),
        operations="factor", layout="trifac-canonical", part=BY_ORDER),
    "one-by-one-cholesky": Path(
        "batches: canonical matrices above order 64 are factored one by one", "batch/pieces/plan.hpp",
        "largest_packed_cholesky = is_complex<T> ? 128 : 64", "largest_packed_cholesky = 128", "cholesky",
        (72, 96, 128), "sd", operations="factor", layout="trifac-canonical"),
    "one-by-one-lu": Path(
        "batches: canonical matrices above order 64 are factored one by one", "batch/pieces/plan.hpp",
        "largest_packed_lu = is_complex<T> ? simd::largest_in_lanes : 64",
        "largest_packed_lu = simd::largest_in_lanes", "lu", (72, 96, 128), "sd", operations="factor",
        layout="trifac-canonical"),
    "one-by-one-solve": Path(
        "batches: canonical systems are solved one by one", "batch/pieces/calls.hpp",
        "detail::solves_one_by_one(S, lanes())", "S.factors.rows() > 128", "lu", (64, 96, 128), "sd",
        operations="solve", layout="trifac-canonical"),
    "batch-teams": Path(
        "batches: a team from a tenth of the flops on", "batch/pieces/plan.hpp", "independent_work = 10",
        "independent_work = 1", "cholesky,lu", (8, 16, 24, 32, 48), "d", operations="factor,solve", batch=2000,
        threads=2),
    "batch-of-one": Path(
        "batches: a large matrix alone goes to the whole team", "batch/pieces/run.hpp", "batch == 1 && lanes == 0",
        "batch == 1 && lanes < 0", "cholesky,lu", (320, 512, 1024, 2048), operations="factor",
        layout="trifac-canonical", batch=1, threads=2),
    "fetch-chunk": Path(
        "batches from memory: chunks fetch the next one", "batch/pieces/lanes_of.hpp",
        "if (chunk_bytes > least_fetched_chunk && ", "if (false && ", "cholesky,lu", (4, 8, 16, 32, 64),
        operations="factor,solve", places="only", layout="trifac"),
    "fetch-matrices": Path(
        "batches from memory: canonical matrices are fetched before they are packed", "batch/pieces/lanes_of.hpp",
        "if (!is_contiguous(A) || ", "if (true || ", "cholesky,lu", (4, 8, 16, 32, 64),
        operations="factor,solve", places="only", layout="trifac-canonical"),
}


def switch_off(name, include):
    """Replaces the path's text below `include`."""
    path = PATHS[name]
    file = include / "trifac/engine" / path.file
    text = file.read_text()
    if text.count(path.text) != 1:
        raise ValueError(f"{name}: {path.file} has its text {text.count(path.text)} times")
    file.write_text(text.replace(path.text, path.off))
