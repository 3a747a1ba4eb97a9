// What `trifac --help` and `trifac names` print: every name is one of bench/study/names.hpp.

#include <span>
#include <string>

#include "options.hpp"

namespace program {

namespace {

/// The names of a choice, with commas, in lines of at most 100 columns that begin with blanks.
std::string lines_of(std::span<const std::string_view> names, std::size_t blanks) {
  std::string text, line;
  for (const std::string_view name : names) {
    if (!line.empty() && blanks + line.size() + name.size() + 2 > 98) {
      text += line + ",\n" + std::string(blanks, ' ');
      line.clear();
    }
    (line += line.empty() ? "" : ", ") += name;
  }
  return text + line + '\n';
}

}  // namespace

std::string names_text() {
  std::string text;
  for (const trifac::named_choice& c : trifac::named_choices) {
    (text += c.what) += ':';
    for (const std::string_view name : c.names) (text += ' ') += name;
    text += '\n';
  }
  return text;
}

std::string help_text() {
  const auto names = [](std::string_view what) { return lines_of(trifac::names_for(what), 30); };
  return R"(trifac: factors a matrix, solves with it and checks the results; tunes batches.

  trifac factor FILE.mtx|FILE.npy [options]
  trifac factor FILE --rhs FILE [--out FILE.npy|FILE.mtx] [--type T] [--algorithm A] [--threads N]
                              solves A X = B, refines X and prints residual, error bound, condition
  trifac factor --random spd|general|dominant N [--seed S] [options]
  trifac tune [options]       finds the fastest parameters for batches: trifac tune --help
  trifac info                 compiler, instruction sets, caches, cores, backends, types
  trifac names                the names of all variants and settings
  trifac --version | --help

Without options a symmetric (Hermitian) matrix with a positive diagonal is factored by Cholesky,
any other by LU, on every available backend.

  --algorithm cholesky|lu     (default: follows from variant, options, matrix)
  --variant NAME|all          a name below, or all that apply (default best)
  --backend NAME[,NAME]       one or more of `trifac info` (default all available); starpu:cpu+opencl
                              takes its OpenCL workers too, starpu:cpu+2opencl two
                              of them, starpu:opencl these alone
  --type float|double|complex-float|complex-double   (default from the file)
  --threads N                 for openmp and threads (default: theirs)
  --block N                   block size (default chosen from the size)
  --rhs N                     random right-hand sides (default 1)
  --rhs FILE                  B, one column or more: solves this system by the fastest variant
  --out FILE                  with --rhs FILE: where X is written, unless its residual is bad
  --repeat N                  the best of N runs is printed (default 3)
  --timeline FILE             with --backend starpu: the tasks of the last run in the order in
                              which they ran, drawn where the name ends in .svg, else as text

Cholesky:
  --variant NAME              )" +
         names("cholesky") + R"(  --upper                     A = U^H U
  --cutoff N                  variants by columns: the last N columns run single-threaded
                              (with a device: on the host)

LU:
  --variant NAME              )" +
         names("lu") + R"(  --pivoting NAME             )" + names("pivoting") +
         R"(  --selection NAME            what a tournament compares: )" +
         lines_of(trifac::selection_names, 0) +
         R"(  --leaves N                  groups of rows in a tournament's first round
  --arity N                   groups that are combined in a later round
  --layout NAME               )" +
         names("layout") + R"(  --growth                    print max|U| / max|A|

Devices (opencl, cuda):
  --device NAME|NUMBER        OpenCL device: )" +
         lines_of(trifac::device::device_kind_names, 0) +
         R"(                              or a number from `trifac info`
  --group N                   work-items in a group: variants by elements, --blocks
  --columns NAME              kernels of the variant crout: )" +
         lines_of(trifac::device::column_kernels_names, 0) +
         R"(  --cutoff-loop NAME          the host's loop over the last columns: )" +
         lines_of(trifac::device::cutoff_loop_names, 0) +
         R"(  --arithmetic NAME           for the variants by elements: )" +
         lines_of(trifac::device::float_model_names, 0) +
         R"(  --blocks NAME               kernels of the variants four_block and unblocked:
                              )" +
         names("blocks") + R"(
Exit status: 0 all results are good, 1 some are not, 2 wrong usage or wrong file.
)";
}

}  // namespace program
