// The functions of trifac.h without a type, and that its constants are those of C++.

#include <cstddef>
#include <cstdio>
#include <string_view>
#include <type_traits>

#include "trifac.h"
#include "trifac/engine/call/workspace_cache.hpp"
#include "trifac/engine/lu/options.hpp"
#include "trifac/matrix_view.hpp"
#include "trifac/status.hpp"
#include "trifac/version.hpp"

namespace {

using namespace trifac;

constexpr bool same(auto a, int b) {
  return static_cast<int>(a) == b;
}
static_assert(std::is_same_v<index_t, trifac_index>);
static_assert(same(triangle::lower, TRIFAC_LOWER) && same(triangle::upper, TRIFAC_UPPER));
static_assert(same(operation::none, TRIFAC_NO_TRANSPOSE));
static_assert(same(operation::transpose, TRIFAC_TRANSPOSE));
static_assert(same(operation::adjoint, TRIFAC_ADJOINT));
static_assert(same(norm_kind::one, TRIFAC_NORM_ONE));
static_assert(same(norm_kind::infinity, TRIFAC_NORM_INFINITY));
static_assert(same(pivoting::none, TRIFAC_PIVOTING_NONE));
static_assert(same(pivoting::partial, TRIFAC_PIVOTING_PARTIAL));
static_assert(same(pivoting::tournament, TRIFAC_PIVOTING_TOURNAMENT));
static_assert(same(status_kind::success, TRIFAC_SUCCESS));
static_assert(same(status_kind::not_positive_definite, TRIFAC_NOT_POSITIVE_DEFINITE));
static_assert(same(status_kind::singular, TRIFAC_SINGULAR));
static_assert(same(status_kind::zero_pivot, TRIFAC_ZERO_PIVOT));
static_assert(same(status_kind::not_finite, TRIFAC_NOT_FINITE));
static_assert(same(status_kind::invalid_argument, TRIFAC_INVALID_ARGUMENT));
static_assert(same(status_kind::out_of_memory, TRIFAC_OUT_OF_MEMORY));
static_assert(same(status_kind::backend_failure, TRIFAC_BACKEND_FAILURE));

const char* text_of(const char* text) {
  return text != nullptr ? text : "";
}

}  // namespace

// status::message() without an allocation.
std::size_t trifac_message(trifac_status s, char* text, std::size_t size) {
  const std::string_view kind = to_string(status_kind{s.kind});
  const std::string_view argument = text_of(s.argument), what = text_of(s.what);
  char index[40] = "";
  if (s.index >= 0)
    std::snprintf(index, sizeof index, " at index %lld", static_cast<long long>(s.index));
  const int length = std::snprintf(text, text != nullptr ? size : 0, "%s%s%s%s%s%s", kind.data(),
                                   argument.empty() ? "" : " ", argument.data(),
                                   what.empty() ? "" : ": ", what.data(), index);
  return length > 0 ? static_cast<std::size_t>(length) : 0;
}

const char* trifac_version() {
  return TRIFAC_VERSION_STRING;
}

void trifac_free_workspace_cache() {
  free_workspace_cache();
}
