#pragma once
// How bench/trifac-study talks to its worker, one process for each backend, device and number of
// threads: a request is a line of key=value words on standard input, the answer a line of JSON.
//
// Names are those of bench/study/names.hpp (`trifac names` prints them).
//   algorithm=cholesky|lu  variant=NAME  n=N                             what is factored, and how
//   type=float|double|complex_float|complex_double
//   block=N  cutoff=N  leaves=N  arity=N                                 options; 0: the library's
//   layout=column_major|row_major                                        of LU
//   group=N  columns=single|multiple|rounds|first_rounds                 settings of a device
//   arithmetic=ieee|fast  vectors=wide|none
//   cutoff_loop=scalar|vector
//   blocks=packed|rows|columns|several_groups|group_per_block|group_per_block_local
//   detail=none|operations|deviation|error                              what is told besides time
//   batch=N  operation=factor|solve|both  place=strided|chunked|interleaved
//   tile=N  looking=right|left|top  chunk=N  outer=rolled|unrolled       a batch of N systems
//   kernel=lanes|groups  panel=N  block_height=N  block_width=N  systems=N
//   seed=N                                                               of the matrix

#include <charconv>
#include <cstdint>
#include <sstream>
#include <stdexcept>
#include <string>

#include "trifac/engine/views/batch_findings.hpp"
#include "trifac/matrix_view.hpp"

namespace study {

using trifac::index_t;

/// What an answer tells besides time and ratio.
enum class detail {
  none,
  operations,  ///< calls and seconds of each block operation (backend::timed; LU on hosts)
  deviation,   ///< max |A − L·Lᴴ| over the lower triangle, as in the SYCL note of 2021
  error,  ///< ‖factor − golden‖₂ / ‖golden‖₂ with LAPACK's factor, as in ECE496 of 2012
};

struct request {
  std::string algorithm = "cholesky", variant = "best", type = "double";
  std::string columns = "multiple", blocks = "packed", arithmetic = "ieee", cutoff_loop = "scalar";
  std::string layout = "column_major", vectors = "wide";
  index_t n = 0, block = 0, cutoff = 0, leaves = 0, arity = 0;
  int group = 0;
  // Of batches; none where batch is 0.
  index_t batch = 0;
  std::string operation = "factor";
  trifac::batch_place place = trifac::batch_place::chunked;
  trifac::batch_tuning tuning;
  std::uint64_t seed = 1;
  study::detail detail = detail::none;
};

/// A request that cannot be served; what() goes into the answer.
class refusal : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

template <class Number>
void read_number(const std::string& key, const std::string& word, Number& to) {
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), to);
  if (error != std::errc() || end != word.data() + word.size() || to < 0)
    throw refusal(key + "=" + word + " is not a whole number");
}

inline detail detail_from_string(const std::string& word) {
  if (word == "none") return detail::none;
  if (word == "operations") return detail::operations;
  if (word == "deviation") return detail::deviation;
  if (word == "error") return detail::error;
  throw refusal("detail=" + word + " is not known");
}

/// Sets an enumeration by its name.
template <class Enum, std::size_t count>
void read_name(const std::string& key, const std::array<std::string_view, count>& names,
               const std::string& word, Enum& to) {
  for (std::size_t i = 0; i < count; ++i)
    if (names[i] == word) {
      to = static_cast<Enum>(i);
      return;
    }
  throw refusal(key + "=" + word + " is not known");
}

/// Throws refusal.
inline request read_request(const std::string& line) {
  request r;
  std::istringstream words(line);
  for (std::string word; words >> word;) {
    const auto equals = word.find('=');
    if (equals == word.npos) throw refusal("\"" + word + "\" is not key=value");
    const std::string key = word.substr(0, equals), value = word.substr(equals + 1);
    if (key == "algorithm")
      r.algorithm = value;
    else if (key == "variant")
      r.variant = value;
    else if (key == "type")
      r.type = value;
    else if (key == "columns")
      r.columns = value;
    else if (key == "blocks")
      r.blocks = value;
    else if (key == "cutoff_loop")
      r.cutoff_loop = value;
    else if (key == "vectors")
      r.vectors = value;
    else if (key == "layout")
      r.layout = value;
    else if (key == "arithmetic")
      r.arithmetic = value;
    else if (key == "n")
      read_number(key, value, r.n);
    else if (key == "block")
      read_number(key, value, r.block);
    else if (key == "cutoff")
      read_number(key, value, r.cutoff);
    else if (key == "leaves")
      read_number(key, value, r.leaves);
    else if (key == "arity")
      read_number(key, value, r.arity);
    else if (key == "group")
      read_number(key, value, r.group);
    else if (key == "seed")
      read_number(key, value, r.seed);
    else if (key == "batch")
      read_number(key, value, r.batch);
    else if (key == "operation")
      r.operation = value;
    else if (key == "place")
      read_name(key, trifac::batch_place_names, value, r.place);
    else if (key == "tile")
      read_number(key, value, r.tuning.tile);
    else if (key == "chunk")
      read_number(key, value, r.tuning.chunk);
    else if (key == "looking")
      read_name(key, trifac::looking_order_names, value, r.tuning.looking);
    else if (key == "outer")
      read_name(key, trifac::outer_loops_names, value, r.tuning.outer);
    else if (key == "kernel")
      read_name(key, trifac::batch_kernel_names, value, r.tuning.kernel);
    else if (key == "panel")
      read_number(key, value, r.tuning.panel);
    else if (key == "block_height")
      read_number(key, value, r.tuning.block_height);
    else if (key == "block_width")
      read_number(key, value, r.tuning.block_width);
    else if (key == "systems")
      read_number(key, value, r.tuning.systems);
    else if (key == "detail")
      r.detail = detail_from_string(value);
    else
      throw refusal("the key " + key + " is not known");
  }
  if (r.layout != "column_major" && r.layout != "row_major")
    throw refusal("layout=" + r.layout + " is not known");
  if (r.vectors != "wide" && r.vectors != "none")
    throw refusal("vectors=" + r.vectors + " is not known");
  if (r.algorithm == "cholesky" && r.layout != "column_major")
    throw refusal("Cholesky's variants name their storage");
  if (r.columns == "first_rounds" &&
      (r.algorithm != "cholesky" || r.variant != "crout" || r.batch != 0))
    throw refusal("columns=first_rounds is of variant=crout, Cholesky of one matrix");
  if (r.n < 1) throw refusal("n must be at least 1");
  return r;
}

}  // namespace study
