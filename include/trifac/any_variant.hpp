#pragma once
// Variants by run-time name: for programs that let people choose. Instantiates every variant;
// numerical code includes cholesky.hpp and lu.hpp instead.

#include <array>
#include <optional>
#include <string_view>
#include <utility>

#include "trifac/cholesky.hpp"
#include "trifac/lu.hpp"
#include "trifac/methods.hpp"
#include "trifac/storage.hpp"

namespace trifac {

/// The variant of that name, or nothing.
constexpr std::optional<variant> variant_from_string(std::string_view name) {
  for (std::size_t i = 0; i < variant_names.size(); ++i)
    if (variant_names[i] == name) return static_cast<variant>(i);
  return std::nullopt;
}

inline constexpr std::array cholesky_variants = {
    variant::best,         variant::banachiewicz,
    variant::crout,        variant::crout_distributed_sum,
    variant::left_looking, variant::right_looking,
    variant::top_looking,  variant::recursive,
    variant::packed};
inline constexpr std::array lu_variants = {variant::best,      variant::right_looking,
                                           variant::recursive, variant::packed,
                                           variant::unblocked, variant::four_block};

inline namespace TRIFAC_ABI {
namespace detail {

/// Calls f.template operator()<V>() for the V among `list` that equals v, else g().
template <const auto& list, std::size_t i = 0, class F, class G>
auto with_variant(variant v, F&& f, G&& otherwise) {
  if constexpr (i == list.size())
    return otherwise();
  else if (list[i] == v)
    return f.template operator()<list[i]>();
  else
    return with_variant<list, i + 1>(v, std::forward<F>(f), std::forward<G>(otherwise));
}

}  // namespace detail

/// try_cholesky<v>(backend, A, options), v known at run time.
template <Backend B, class T>
[[nodiscard]] cholesky_factor<T> try_cholesky(variant v, const B& backend, matrix_view<T> A,
                                              const cholesky_options& options = {}) noexcept {
  return detail::with_variant<cholesky_variants>(
      v, [&]<variant V>() { return try_cholesky<V>(backend, A, options); },
      [&] {
        return cholesky_factor<T>(A, options.part,
                                  status::argument("variant", "is not one of Cholesky"));
      });
}

/// try_cholesky<v>(backend, A, L, options), v known at run time.
template <Backend B, class T>
[[nodiscard]] cholesky_factor<T> try_cholesky(variant v, const B& backend, matrix_view<const T> A,
                                              matrix_view<T> L,
                                              const cholesky_options& options = {}) noexcept {
  return detail::with_variant<cholesky_variants>(
      v, [&]<variant V>() { return try_cholesky<V>(backend, A, L, options); },
      [&] {
        return cholesky_factor<T>(L, options.part,
                                  status::argument("variant", "is not one of Cholesky"));
      });
}

/// try_lu<v>(backend, A, options), v known at run time.
template <Backend B, class T>
[[nodiscard]] lu_factor<T> try_lu(variant v, const B& backend, matrix_view<T> A,
                                  const lu_options& options = {}) noexcept {
  return detail::with_variant<lu_variants>(
      v, [&]<variant V>() { return try_lu<V>(backend, A, options); },
      [&] { return lu_factor<T>(A, pivots{}, status::argument("variant", "is not one of LU")); });
}

/// One Cholesky factorization by a method of cholesky_methods, in three steps so that only the
/// second need be timed: the storage is filled by load(), factored by factor(), and read by
/// store().
template <Scalar T>
class cholesky_run {
 public:
  /// Room for matrices of order n in the method's storage.
  cholesky_run(const cholesky_method& method, index_t n) : method_(method) {
    if (method.layout == storage::row_pointers) {
      A_rows_.emplace(n, n);
      L_rows_.emplace(n, n);
    } else {
      A_ = matrix<T>(n, n);
      if (!method.in_place) L_ = matrix<T>(n, n);
    }
  }

  /// Fills the storage with A, all of it.
  void load(matrix_view<const T> A) {
    if (A_rows_)
      copy_elements(A, *A_rows_);
    else
      copy_elements(A, oriented(A_));
  }
  /// The timed part: factors the lower triangle.
  template <Backend B>
  status factor(const B& backend, cholesky_options options = {}) {
    options.part = triangle::lower;
    if (A_rows_)
      return method_.algorithm == variant::banachiewicz
                 ? try_cholesky<variant::banachiewicz>(backend, *A_rows_, *L_rows_, options)
                 : try_cholesky<variant::crout>(backend, *A_rows_, *L_rows_, options);
    if (method_.in_place)
      return try_cholesky(method_.algorithm, backend, oriented(A_), options).status();
    return try_cholesky<B, T>(method_.algorithm, backend, oriented(A_), oriented(L_), options)
        .status();
  }
  /// L := the factor, its lower triangle only.
  void store(matrix_view<T> L) {
    for (index_t j = 0; j < L.cols(); ++j)
      for (index_t i = j; i < L.rows(); ++i)
        L(i, j) = L_rows_ ? (*L_rows_)(i, j) : oriented(method_.in_place ? A_ : L_)(i, j);
  }

 private:
  matrix_view<T> oriented(matrix<T>& A) const {
    return method_.layout == storage::row_major ? A.view().transposed() : A.view();
  }
  template <class Destination>
  static void copy_elements(matrix_view<const T> A, const Destination& B) {
    for (index_t j = 0; j < A.cols(); ++j)
      for (index_t i = 0; i < A.rows(); ++i) B(i, j) = A(i, j);
  }

  cholesky_method method_;
  matrix<T> A_, L_;
  std::optional<row_pointer_matrix<T>> A_rows_, L_rows_;
};

}  // namespace TRIFAC_ABI
}  // namespace trifac
