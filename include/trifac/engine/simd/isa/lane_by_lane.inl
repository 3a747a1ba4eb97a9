// The rest of vector_types.inl's list, lane by lane, for sets without masks or shuffles of their
// own, such as 16 bytes of SSE2. Included by the files of such sets inside their
// namespace.

template <class R>
TRIFAC_INLINE vec<R> load_range(const R* p, int from, int to) {
  vec<R> a = {};
  TRIFAC_UNROLL
  for (int i = 0; i < width<R>; ++i)
    if (i >= from && i < to) a[i] = p[i];
  return a;
}
template <class R>
TRIFAC_INLINE void store_range(R* p, vec<R> a, int from, int to) {
  TRIFAC_UNROLL
  for (int i = 0; i < width<R>; ++i)
    if (i >= from && i < to) p[i] = a[i];
}

template <int I, class V>
TRIFAC_INLINE V lane(V a) {
  return a[I] - V{};
}
template <int I, class V>
TRIFAC_INLINE V replace_lane(V a, V b) {
  a[I] = b[I];
  return a;
}

template <class R>
TRIFAC_INLINE unsigned equal_lanes(typename lanes<R>::integers a, typename lanes<R>::integers b) {
  unsigned mask = 0;
  TRIFAC_UNROLL
  for (int i = 0; i < width<R>; ++i) mask |= unsigned(a[i] == b[i]) << i;
  return mask;
}

template <class V, class R>
TRIFAC_INLINE unsigned lanes_outside(V a, R least, R most) {
  unsigned bits = 0;
  TRIFAC_UNROLL
  for (int i = 0; i < width<R>; ++i)
    if (!(a[i] >= least && a[i] <= most)) bits |= 1u << i;
  return bits;
}
