// Vector operations of one instruction set that are made of its intrinsics.

template <class R>
TRIFAC_INLINE void store_first(R* p, vec<R> a, int count) {
  store_range(p, a, 0, count);
}
