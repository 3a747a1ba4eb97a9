// The vector types of one instruction set and what vector extensions can say without intrinsics.
// Included by the file of each set inside its namespace.
//
//   vec<R>              width<R> lanes of float or double; + − × ÷ work on it lane by lane
//   load, store         any address that suits an R
//   broadcast(x)        x in all lanes
//   fma(a, b, c)        c + a·b          fnma(a, b, c)    c − a·b
//   load_range(p, from, to)              lanes from … to − 1, zeros elsewhere; reads nothing else
//   store_range(p, a, from, to)          writes lanes from … to − 1 only
//   lane<I>(a)          lane I in all lanes; replace_lane<I>(a, b): a with lane I of b
//   square_root, absolute                lane by lane
//   equal_lanes<R>(a, b)                 bit i is set where the integers a_i and b_i are equal
//   lanes_outside(a, least, most)        bit i is set unless least ≤ a_i ≤ most (NaN: set)
//
// and where vectors are longer than 16 bytes:
//
//   join(a, b)                           halves in one, bit by bit, as a vector of some type
//
// and where target::has_masks, with bit i of a mask for lane i:
//
//   blend_lanes(a, b, mask)              lanes of b in the mask, of a elsewhere
//   keep_lanes(a, mask)                  lanes of a in the mask, zeros elsewhere
//   select_lanes(a, b, index)            lane index[i] of a and b in a row
//
// and where target::has_root_estimate:
//
//   estimate_reciprocal_root(a)          1/√a lane by lane, good to 14 bits

template <class R>
struct lanes;

template <>
struct lanes<float> {
  typedef float vector __attribute__((vector_size(TRIFAC_VECTOR_BYTES)));
  typedef float anywhere __attribute__((vector_size(TRIFAC_VECTOR_BYTES), aligned(4), may_alias));
  typedef std::int32_t integers __attribute__((vector_size(TRIFAC_VECTOR_BYTES)));
  static constexpr std::int32_t magnitude = 0x7fffffff;
};

template <>
struct lanes<double> {
  typedef double vector __attribute__((vector_size(TRIFAC_VECTOR_BYTES)));
  typedef double anywhere __attribute__((vector_size(TRIFAC_VECTOR_BYTES), aligned(8), may_alias));
  typedef std::int64_t integers __attribute__((vector_size(TRIFAC_VECTOR_BYTES)));
  static constexpr std::int64_t magnitude = 0x7fffffffffffffff;
};

template <class R>
using vec = typename lanes<R>::vector;

template <class R>
inline constexpr int width = TRIFAC_VECTOR_BYTES / sizeof(R);

template <class R>
TRIFAC_INLINE vec<R> load(const R* p) {
  return *reinterpret_cast<const typename lanes<R>::anywhere*>(p);
}
template <class R>
TRIFAC_INLINE void store(R* p, vec<R> a) {
  *reinterpret_cast<typename lanes<R>::anywhere*>(p) = a;
}

// x − 0 is x for every x, −0 included, which x + 0 is not.
TRIFAC_INLINE vec<float> broadcast(float x) {
  return x - vec<float>{};
}
TRIFAC_INLINE vec<double> broadcast(double x) {
  return x - vec<double>{};
}

TRIFAC_INLINE vec<float> absolute(vec<float> a) {
  using I = lanes<float>::integers;
  return (vec<float>)((I)a & lanes<float>::magnitude);
}
TRIFAC_INLINE vec<double> absolute(vec<double> a) {
  using I = lanes<double>::integers;
  return (vec<double>)((I)a & lanes<double>::magnitude);
}
