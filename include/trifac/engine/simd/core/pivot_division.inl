// Division by a pivot: by its reciprocal where that is exact enough, with scaling where it is not;
// and what is wrong with a pivot, if anything.

/// Of pivot_magnitude of a pivot of T.
template <class T>
TRIFAC_INLINE bool is_ordinary_size(real_t<T> size) {
  return size >= ordinary_pivots<T>::least && size <= ordinary_pivots<T>::most;
}

template <class R>
TRIFAC_INLINE R pivot_magnitude(R x) {
  return x < 0 ? -x : x;
}
template <class R>
TRIFAC_INLINE R pivot_magnitude(std::complex<R> x) {
  const R* parts = reinterpret_cast<const R*>(&x);
  return pivot_magnitude(parts[0]) + pivot_magnitude(parts[1]);
}

template <class T>
TRIFAC_INLINE bool is_ordinary_pivot(T x) {
  return is_ordinary_size<T>(pivot_magnitude(x));
}

/// pivot_magnitude, and half of it for a complex number whose parts are finite but not their sum.
template <class T>
TRIFAC_INLINE real_t<T> finite_magnitude(T x) {
  const real_t<T> size = pivot_magnitude(x);
  return detail::is_finite(size) ? size : pivot_magnitude(T(x * real_t<T>(0.5)));
}

template <class R>
TRIFAC_INLINE R reciprocal(R x) {
  return 1 / x;
}
template <class R>
TRIFAC_INLINE std::complex<R> reciprocal(std::complex<R> x) {
  const R* parts = reinterpret_cast<const R*>(&x);
  const R square = scalar_fnma(-parts[0], parts[0], parts[1] * parts[1]);
  return {parts[0] / square, -parts[1] / square};
}

/// A quotient by a pivot as two products: x / pivot = (s·x)·r. s is 1 but for extreme pivots.
template <class T>
struct divisor {
  T r;
  real_t<T> s;
};

/// 1 / x of a number that is NaN or infinite: 0 for an infinity, NaN where both parts are infinite.
template <class R>
TRIFAC_INLINE R reciprocal_of_nonfinite(R x) {
  return 1 / x;
}
template <class R>
TRIFAC_INLINE std::complex<R> reciprocal_of_nonfinite(std::complex<R> x) {
  const R* parts = reinterpret_cast<const R*>(&x);
  const R a = parts[0], b = parts[1];
  const bool steep = pivot_magnitude(a) < pivot_magnitude(b);
  const R ratio = steep ? a / b : b / a, size = steep ? a * ratio + b : a + b * ratio;
  return steep ? std::complex<R>(ratio / size, R(-1) / size)
               : std::complex<R>(R(1) / size, -ratio / size);
}

/// For a pivot outside ordinary_pivots: a power of two brings it near 1 first. For a zero, below
/// which all is zero, r is 1.
template <class T>
inline __attribute__((noinline, cold)) divisor<T> extreme_divisor(T pivot) {
  using R = real_t<T>;
  const R size = finite_magnitude(pivot);
  if (size == 0) return {T(1), R(1)};
  if (!detail::is_finite(size)) return {reciprocal_of_nonfinite(pivot), R(1)};
  constexpr int limit = sizeof(R) == 8 ? 1022 : 126;
  int exponent = __builtin_ilogb(static_cast<double>(size));
  exponent = exponent < -limit ? -limit : exponent > limit ? limit : exponent;
  const R s = static_cast<R>(__builtin_ldexp(1.0, -exponent));
  return {reciprocal(T(pivot * s)), s};
}

/// Notes what is wrong with pivot k, if anything.
template <class R>
TRIFAC_INLINE void note_fault(pivot_faults& faults, index_t k, R size) {
  if (size == 0 && faults.zero < 0) faults.zero = k;
  if (!detail::is_finite(size) && faults.not_finite < 0) faults.not_finite = k;
}
