// Vector operations of one instruction set that are made of its intrinsics.

/// Vector registers, and whether loads and stores of some lanes cost no more than whole ones.
inline constexpr int registers = target::registers;
inline constexpr bool has_masks = target::has_masks;
inline constexpr bool has_root_estimate = target::has_root_estimate;

/// 0, 1, … for the lanes of a vector: shuffles and gathers are written as expansions over it.
template <class R>
using lane_sequence = std::make_integer_sequence<int, width<R>>;

template <class R>
TRIFAC_INLINE vec<R> load_first(const R* p, int count) {
  return load_range(p, 0, count);
}
template <class R>
TRIFAC_INLINE void store_first(R* p, vec<R> a, int count) {
  store_range(p, a, 0, count);
}

/// fnma(a, b, c) of one number each.
template <class R>
TRIFAC_INLINE R scalar_fnma(R a, R b, R c) {
  if constexpr (!target::has_fma)
    return c - a * b;
  else if constexpr (sizeof(R) == 8)
    return __builtin_fma(-a, b, c);
  else
    return __builtin_fmaf(-a, b, c);
}

// Keeps the compiler from taking scalars out of vectors that were just stored: reading them back
// as broadcasts is faster.
TRIFAC_INLINE void settle_stores() {
  __asm__ volatile("" ::: "memory");
}

// Two vectors of re, im, re, im, … become one of real and one of imaginary parts, and back.
template <class V, int... I>
TRIFAC_INLINE void separate(V& x, V& y, std::integer_sequence<int, I...>) {
  const V re = __builtin_shufflevector(x, y, 2 * I...);
  const V im = __builtin_shufflevector(x, y, (2 * I + 1)...);
  x = re;
  y = im;
}
template <class V, int... I>
TRIFAC_INLINE void interleave(V& re, V& im, std::integer_sequence<int, I...>) {
  constexpr int w = sizeof...(I);
  const V x = __builtin_shufflevector(re, im, (I / 2 + I % 2 * w)...);
  const V y = __builtin_shufflevector(re, im, (w / 2 + I / 2 + I % 2 * w)...);
  re = x;
  im = y;
}

// The lower halves of a and b in one vector, and the upper half of a moved down.
template <class V, int... I>
TRIFAC_INLINE V join_halves(V a, V b, std::integer_sequence<int, I...>) {
  constexpr int w = sizeof...(I);
  return __builtin_shufflevector(a, b, (I < w / 2 ? I : I + w / 2)...);
}
template <class V, int... I>
TRIFAC_INLINE V upper_half(V a, std::integer_sequence<int, I...>) {
  constexpr int w = sizeof...(I);
  return __builtin_shufflevector(a, a, ((I + w / 2) % w)...);
}

// x_i and x_j with i + S = j exchange the lanes in which bit S of the lane number differs from
// theirs: bit S of the vector number and bit S of the lane number change places.
template <int S, class V, int... I>
TRIFAC_INLINE void exchange_bit(V& a, V& b, std::integer_sequence<int, I...>) {
  constexpr int w = sizeof...(I);
  const V x = __builtin_shufflevector(a, b, (I & S ? w + I - S : I)...);
  const V y = __builtin_shufflevector(a, b, (I & S ? w + I : I + S)...);
  a = x;
  b = y;
}

// N vectors as rows of N columns become columns of N rows; where vectors are longer than N, each
// group of N lanes is transposed by itself.
template <class R, int N, int S = 1>
TRIFAC_INLINE void transpose(vec<R> (&x)[as_size(N)]) {
  if constexpr (S < N) {
    TRIFAC_UNROLL
    for (int i = 0; i < N; ++i)
      if (!(i & S)) exchange_bit<S>(x[i], x[i | S], lane_sequence<R>{});
    transpose<R, N, 2 * S>(x);
  }
}
