// Multiply-add as fast as one core can: independent chains in registers. Included once for each
// instruction set by trifac/engine/simd/isa/each.inl.

/// `rounds` times acc = acc·factor + term in `chains` vectors; the sum goes to `sink`, so that it
/// must be computed.
template <class R>
TRIFAC_ENTRY void multiply_add_chains(target, long rounds, const R* start, R* sink) {
  const vec<R> factor = broadcast(start[0]), term = broadcast(start[1]);
  vec<R> acc[chains];
  TRIFAC_UNROLL
  for (int c = 0; c < chains; ++c) acc[c] = broadcast(start[2 + c]);
  for (long round = 0; round < rounds; ++round) {
    TRIFAC_UNROLL
    for (int c = 0; c < chains; ++c) acc[c] = fma(acc[c], factor, term);
  }
  TRIFAC_UNROLL
  for (int c = 0; c < chains; ++c) store(sink + c * width<R>, acc[c]);
}
