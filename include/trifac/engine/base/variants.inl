// The algorithms, for A = L·Lᴴ and P·A = L·U: TRIFAC_VARIANT(name, role) for each; role: of which
// factorization, see variant_role. `best` and `packed` are the core's, by TRIFAC_CORE_VARIANT where
// that is defined; the others come with trifac/variants.hpp.
//
// To add one: a line here, its nest in variants/, a line in the choosers of variants/nests.hpp.

#ifndef TRIFAC_CORE_VARIANT
  #define TRIFAC_CORE_VARIANT TRIFAC_VARIANT
#endif

/// The fastest known for the size, type and backend.
TRIFAC_CORE_VARIANT(best, both)

// Cholesky, element by element (sources: docs/sources.md)

/// By rows: row i of L from rows 0 … i−1.
TRIFAC_VARIANT(banachiewicz, cholesky)
/// By columns: diagonal, then the rows below.
TRIFAC_VARIANT(crout, cholesky)
/// By columns; each row accumulates the sum of squares for its diagonal element.
TRIFAC_VARIANT(crout_distributed_sum, cholesky)

// By blocks

/// Block columns, each updated by all previous ones just before it is factored.
TRIFAC_VARIANT(left_looking, cholesky)
/// Block columns, each updating all later ones as soon as it is factored.
TRIFAC_VARIANT(right_looking, both)
/// Block rows, each read and written only when it is factored.
TRIFAC_VARIANT(top_looking, cholesky)
/// Recursive halving (LAPACK: potrf2, getrf2).
TRIFAC_VARIANT(recursive, both)
/// Right-looking over wide panels, which one kernel factors and packs for their updates;
/// right_looking where the type or backend has no such kernels. `best` on CPUs for s, d, c, z.
TRIFAC_CORE_VARIANT(packed, both)

// LU without pivoting

/// kij elimination.
TRIFAC_VARIANT(unblocked, lu_without_pivoting)
/// Blocks of four kinds: diagonal, left column, top row, interior.
TRIFAC_VARIANT(four_block, lu_without_pivoting)

#undef TRIFAC_CORE_VARIANT
#undef TRIFAC_VARIANT
