// Files into the caller's memory, mapped files, and how much memory a file needs: every layout,
// what an error leaves, and the bytes that are allocated.

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <complex>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>
#include <new>
#include <random>
#include <sstream>
#include <string>
#include <thread>
#include <utility>
#include <vector>
#if defined(__unix__)
  #include <sys/stat.h>
#endif
#if defined(__GLIBC__)
  #include <malloc.h>
#endif

#include "support/layouts.hpp"
#include "support/matrices.hpp"
#include "support/residual.hpp"
#include "support/scalars.hpp"
#include "trifac/io/map_npy.hpp"
#include "trifac/io/memory_needed.hpp"
#include "trifac/trifac.hpp"

namespace {

// Bytes that are allocated, and the most there have been.
std::atomic<std::size_t> in_use = 0, peak = 0;

std::size_t size_of_block([[maybe_unused]] void* memory) {
#if defined(__GLIBC__)
  return malloc_usable_size(memory);
#else
  return 0;
#endif
}

void* allocate(std::size_t bytes, std::size_t alignment) {
  const std::size_t rounded = (bytes + alignment - 1) / alignment * alignment;
  void* const memory = std::aligned_alloc(alignment, rounded > 0 ? rounded : alignment);
  if (!memory) throw std::bad_alloc();
  in_use += size_of_block(memory);
  peak = std::max<std::size_t>(peak, in_use);
  return memory;
}

void release(void* memory) {
  if (memory) in_use -= size_of_block(memory);
  std::free(memory);
}

}  // namespace

#include "support/replaced_new.inl"

namespace trifac::test {
namespace {

/// A file of this test, removed at its end.
class test_file {
 public:
  explicit test_file(const std::string& name)
      : path_(std::filesystem::temp_directory_path() /
              ("trifac_io_into_" + std::to_string(std::random_device()()) + "_" + name)) {}
  test_file(const std::string& name, const std::string& bytes) : test_file(name) {
    std::ofstream(path_, std::ios::binary) << bytes;
  }
  ~test_file() { std::filesystem::remove(path_); }
  test_file(const test_file&) = delete;
  test_file& operator=(const test_file&) = delete;

  operator const std::filesystem::path&() const { return path_; }
  const std::filesystem::path& path() const { return path_; }
  std::string bytes() const { return io::file_contents(path_); }

 private:
  std::filesystem::path path_;
};

/// The bytes of a .npy file in C order: those of the transpose in Fortran order, with its header.
template <class T>
std::string npy_by_rows(const matrix<T>& A) {
  std::ostringstream stream;
  io::write_npy(stream, matrix<T>(A.view().transposed()));
  std::string bytes = stream.str();
  const auto change = [&](std::string from, std::string to) {
    const auto at = bytes.find(from);
    ASSERT_NE(at, bytes.npos);
    to.resize(from.size(), ' ');
    bytes.replace(at, from.size(), to);
  };
  const std::string rows = std::to_string(A.rows()), cols = std::to_string(A.cols());
  change("True, 'shape': (" + cols + ", " + rows + "), }  ",
         "False, 'shape': (" + rows + ", " + cols + "), } ");
  return bytes;
}

/// The error of type Error that f() throws; its text is one line.
template <class Error, class F>
std::string text_of(const F& f) {
  try {
    f();
  } catch (const Error& error) {
    EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos);
    return error.what();
  }
  ADD_FAILURE() << "nothing was thrown";
  return "";
}

void expect_says(const std::string& text, const std::string& words) {
  EXPECT_NE(text.find(words), text.npos) << text;
}

template <class T>
class IntoMemory : public testing::Test {};
TYPED_TEST_SUITE(IntoMemory, lapack_scalars, scalar_names);

struct shape {
  index_t rows, cols;
};

TYPED_TEST(IntoMemory, NpyOfEitherOrderIntoEveryLayout) {
  using T = TypeParam;
  random_source random(701);
  // The last three are longer than a buffer: parts of a column, whole columns, both.
  const index_t buffer = (index_t{1} << 20) / index_t{sizeof(T)};
  for (shape s : {shape{0, 0},
                  {0, 5},
                  {4, 0},
                  {1, 1},
                  {2, 2},
                  {1, 9},
                  {9, 1},
                  {17, 33},
                  {buffer + 5, 2},
                  {3, buffer / 2},
                  {buffer / 64 + 1, 67}}) {
    const matrix<T> A = random_matrix<T>(random, s.rows, s.cols);
    const test_file by_columns("a.npy"), by_rows("b.npy", npy_by_rows(A));
    io::write_npy(by_columns, A);
    for (layout where : all_layouts)
      for (const test_file* file : {&by_columns, &by_rows}) {
        if (s.rows * s.cols > buffer && where != layout::packed && where != layout::row_major)
          continue;
        SCOPED_TRACE(testing::Message() << s.rows << " x " << s.cols << ", " << to_string(where));
        placed_matrix<T> to(s.rows, s.cols, where);
        io::read_npy_into(*file, to.view());
        EXPECT_TRUE(same_bits(matrix_view<const T>(to.view()), A.view()));
        EXPECT_TRUE(to.untouched_except([](index_t, index_t) { return true; }));
        placed_matrix<T> other(s.rows, s.cols, where);
        io::read_matrix_into(*file, other.view());
        EXPECT_TRUE(same_bits(matrix_view<const T>(other.view()), A.view()));
      }
    const matrix<T> B = io::read_npy<T>(by_rows), C = io::read_matrix<T>(by_columns);
    EXPECT_TRUE(same_bits(B.view(), A.view()));
    EXPECT_TRUE(same_bits(C.view(), A.view()));
  }
}

TYPED_TEST(IntoMemory, MatrixMarketIntoEveryLayout) {
  using T = TypeParam;
  random_source random(702);
  for (io::layout kind : {io::layout::array, io::layout::coordinate})
    for (io::symmetry symmetry : {io::symmetry::general, io::symmetry::symmetric})
      for (index_t n : {0, 1, 2, 21}) {
        matrix<T> A = random_matrix<T>(random, n, n);
        if (symmetry == io::symmetry::symmetric)
          for (index_t j = 0; j < n; ++j)
            for (index_t i = 0; i < j; ++i) A(i, j) = A(j, i);
        const test_file file("a.mtx");
        io::write_matrix_market(file, A, {.layout = kind, .symmetry = symmetry});
        for (layout where : all_layouts) {
          placed_matrix<T> to(n, n, where);
          io::read_matrix_market_into(file, to.view());
          EXPECT_TRUE(same_bits(matrix_view<const T>(to.view()), A.view()));
          EXPECT_TRUE(to.untouched_except([](index_t, index_t) { return true; }));
          io::read_matrix_into(file, to.view());
          EXPECT_TRUE(same_bits(matrix_view<const T>(to.view()), A.view()));
        }
      }
}

TEST(Into, SymmetricFilesFillBothTriangles) {
  const test_file file("a.mtx",
                       "%%MatrixMarket matrix coordinate complex hermitian\n2 2 3\n"
                       "1 1 1 0\n2 1 3 4\n2 1 1 0\n");
  std::vector<std::complex<float>> a(4, 9.f);
  io::read_matrix_market_into(file, row_major(a.data(), 2, 2));
  EXPECT_EQ(a, (std::vector<std::complex<float>>{1.f, {4.f, -4.f}, {4.f, 4.f}, 0.f}));
}

TEST(Into, VectorsAreOneColumn) {
  const test_file file("a.npy");
  matrix<double> A(5, 1);
  for (index_t i = 0; i < 5; ++i) A(i, 0) = double(i);
  io::write_npy(file, A);
  std::vector<double> a(5), shorter(4);
  io::read_npy_into(file, a);
  EXPECT_EQ(a, (std::vector<double>{0, 1, 2, 3, 4}));
  expect_says(text_of<io::shape_error>([&] { io::read_npy_into(file, shorter); }),
              "a.npy: the file's matrix is 5 x 1, the memory for it 4 x 1");
}

TEST(Into, NumbersAreConvertedAndTooLargeOnesRefused) {
  const test_file file("a.npy");
  matrix<double> A(3, 1);
  A(0, 0) = 1.5, A(1, 0) = 1e300, A(2, 0) = 2.5;
  io::write_npy(file, A);
  std::vector<float> a(3, 7.f);
  expect_says(text_of<io::read_error>([&] { io::read_npy_into(file, a); }), "too large for T");
  A(1, 0) = 1e30;
  io::write_npy(file, A);
  io::read_npy_into(file, a);
  EXPECT_EQ(a, (std::vector<float>{1.5f, 1e30f, 2.5f}));
  std::vector<std::complex<double>> z(3);
  io::read_npy_into(file, z);
  EXPECT_EQ(z[2], 2.5);
}

TEST(Into, WhatDoesNotFitIsRefusedBeforeAnElementIsWritten) {
  using complex = std::complex<double>;
  random_source random(703);
  const matrix<double> A = random_matrix<double>(random, 6, 6);
  const matrix<complex> Z = random_matrix<complex>(random, 6, 6);
  const test_file npy("a.npy"), mtx("a.mtx"), complex_npy("z.npy"), complex_mtx("z.mtx");
  io::write_npy(npy, A);
  io::write_matrix_market(mtx, A);
  io::write_npy(complex_npy, Z);
  io::write_matrix_market(complex_mtx, Z);
  const std::string bytes = npy.bytes(), text = mtx.bytes();
  const test_file shorter("s.npy", bytes.substr(0, bytes.size() - 1)), longer("l.npy", bytes + "x"),
      half_head("h.npy", bytes.substr(0, 50)), nothing("n.npy", ""),
      fewer_lines("f.mtx", text.substr(0, text.size() - 40));
  for (layout where : {layout::packed, layout::row_major_padded}) {
    placed_matrix<double> to(6, 6, where), wide(6, 7, where), tall(7, 6, where);
    for (const auto* file : {&npy, &mtx})
      for (auto* other : {&wide, &tall}) {
        expect_says(text_of<io::shape_error>([&] { io::read_matrix_into(*file, other->view()); }),
                    ": the file's matrix is 6 x 6, the memory for it ");
        EXPECT_TRUE(other->untouched());
      }
    for (const auto* file : {&complex_npy, &complex_mtx})
      expect_says(text_of<io::type_error>([&] { io::read_matrix_into(*file, to.view()); }),
                  "holds complex numbers");
    for (const auto* file : {&shorter, &longer, &half_head, &nothing, &fewer_lines})
      text_of<io::read_error>([&] { io::read_matrix_into(*file, to.view()); });
    text_of<io::read_error>([&] { io::read_npy_into("/no/such/file.npy", to.view()); });
    text_of<io::read_error>([&] { io::read_npy_into(mtx, to.view()); });
    text_of<io::read_error>([&] { io::read_matrix_market_into(npy, to.view()); });
    const matrix_view<double> twice(to.view().data(), 6, 6, 1, 3);
    expect_says(text_of<argument_error>([&] { io::read_npy_into(npy, twice); }), "A");
    expect_says(text_of<argument_error>([&] { io::read_matrix_market_into(mtx, twice); }), "A");
    EXPECT_TRUE(to.untouched());
  }
}

TEST(Into, ABadLineLeavesTheEntriesBeforeItAndZeros) {
  const test_file file("a.mtx", "%%MatrixMarket matrix array real general\n2 2\n5\n6\nseven\n8\n");
  matrix<double> A(2, 2);
  A(1, 1) = 9;
  expect_says(text_of<io::read_error>([&] { io::read_matrix_market_into(file, A); }),
              "a.mtx:5: \"seven\" is not a number");
  EXPECT_EQ(A(0, 0), 5);
  EXPECT_EQ(A(1, 0), 6);
  EXPECT_EQ(A(0, 1), 0);
  EXPECT_EQ(A(1, 1), 0);
}

#if defined(__unix__)
TEST(Into, APipeMayEndEarly) {
  random_source random(704);
  const matrix<double> A = random_matrix<double>(random, 50000, 4);
  const test_file file("a.npy");
  io::write_npy(file, A);
  const std::string bytes = file.bytes();
  for (bool all : {true, false}) {
    const test_file pipe("pipe");
    ASSERT_EQ(mkfifo(pipe.path().c_str(), 0600), 0);
    std::thread writer([&] {
      std::ofstream stream(pipe.path(), std::ios::binary);
      stream << (all ? bytes : bytes.substr(0, bytes.size() - 9));
    });
    matrix<double> B(50000, 4);
    const auto read = [&] { io::read_npy_into(pipe, B); };
    if (all)
      read();
    else
      expect_says(text_of<io::read_error>(read),
                  "byte " + std::to_string(bytes.size() - 9) + ": the file ends inside");
    writer.join();
    // A block of 1 MiB is written when all of it was read.
    EXPECT_TRUE(same_bits(std::as_const(B).view().block(0, 0, 50000, all ? 4 : 2),
                          A.view().block(0, 0, 50000, all ? 4 : 2)));
    EXPECT_EQ(B(49999, 3) == 0, !all);
  }
}

template <class T>
class Mapped : public testing::Test {};
TYPED_TEST_SUITE(Mapped, lapack_scalars, scalar_names);

TYPED_TEST(Mapped, IsTheFileInItsOrder) {
  using T = TypeParam;
  random_source random(705);
  for (shape s : {shape{1, 1}, {2, 2}, {17, 33}, {300, 200}}) {
    const matrix<T> A = random_matrix<T>(random, s.rows, s.cols);
    const test_file by_columns("a.npy"), by_rows("b.npy", npy_by_rows(A));
    io::write_npy(by_columns, A);
    const auto columns = io::map_npy<const T>(by_columns), rows = io::map_npy<const T>(by_rows);
    EXPECT_TRUE(same_bits(columns.view(), A.view()));
    EXPECT_TRUE(same_bits(rows.view(), A.view()));
    EXPECT_EQ(columns.view().row_stride(), 1);
    EXPECT_EQ(rows.view().col_stride(), 1);
    EXPECT_EQ(rows.rows(), s.rows);
    EXPECT_EQ(rows.cols(), s.cols);
  }
}

TYPED_TEST(Mapped, IsFactoredInPlaceAndTheFileStays) {
  using T = TypeParam;
  random_source random(706);
  const index_t n = 90;
  const matrix<T> A = random_spd<T>(random, n);
  for (bool by_rows : {false, true}) {
    const test_file file("a.npy", npy_by_rows(A));
    if (!by_rows) io::write_npy(file, A);
    const std::string before = file.bytes();
    auto M = io::map_npy<T>(file);
    matrix<T> B = random_matrix<T>(random, n, 2), X = B;
    const auto f = cholesky(M, {.part = triangle::upper});
    solve(f, X);
    EXPECT_TRUE(within(solve_ratio<T>(A, X, B)));
    EXPECT_TRUE(file.bytes() == before);
    X = B;
    auto other = io::map_npy<T>(file);
    solve(lu(other), X);
    EXPECT_TRUE(within(solve_ratio<T>(A, X, B)));
  }
}

TEST(MappedFiles, OnlyWhatLiesInTheFileAsItDoesInMemory) {
  const std::filesystem::path corpus = TRIFAC_CORPUS;
  const bool little = std::endian::native == std::endian::little;
  expect_says(text_of<io::type_error>([&] {
                static_cast<void>(io::map_npy<const double>(
                    corpus / (little ? "order_big_f8.npy" : "order_little_f4.npy")));
              }),
              little ? "byte order" : "type");
  expect_says(text_of<io::type_error>([&] {
                static_cast<void>(io::map_npy<const double>(corpus / "order_little_f4.npy"));
              }),
              "elements of type f4, which cannot be mapped as f8");
  expect_says(text_of<io::type_error>([&] {
                static_cast<void>(io::map_npy<std::complex<float>>(corpus / "order_little_i2.npy"));
              }),
              "elements of type i2, which cannot be mapped as c8");
  const auto refuse = [&](const std::filesystem::path& path, const char* says) {
    expect_says(text_of<io::read_error>([&] { static_cast<void>(io::map_npy<double>(path)); }),
                says);
  };
  refuse("/no/such/file.npy", "No such file");
  refuse(corpus / "bad_short.npy", "takes");
  refuse(corpus / "tiny_spd.mtx", "magic bytes");
  refuse(corpus, "is a directory");
  const test_file file("a.npy");
  io::write_npy(file, matrix<double>(2, 2));
  std::string bytes = file.bytes();
  bytes.insert(bytes.find('\n'), 1, ' ');
  ++bytes[8];
  const test_file unaligned("b.npy", bytes);
  refuse(unaligned, "not aligned");
  EXPECT_EQ(io::read_npy<double>(unaligned).rows(), 2);
}

TEST(MappedFiles, EmptyAndMoved) {
  const test_file file("a.npy");
  io::write_npy(file, matrix<double>(0, 7));
  const auto empty = io::map_npy<double>(file);
  EXPECT_EQ(empty.rows(), 0);
  EXPECT_EQ(empty.cols(), 7);
  matrix<double> A(2, 1);
  A(1, 0) = 3;
  io::write_npy(file, A);
  auto from = io::map_npy<double>(file);
  auto to = std::move(from);
  EXPECT_EQ(from.rows(), 0);
  EXPECT_EQ(to.view()(1, 0), 3);
  from = std::move(to);
  EXPECT_EQ(from.view()(1, 0), 3);
  EXPECT_EQ(to.rows(), 0);
}

/// Loops over its columns would not end.
TEST(MappedFiles, NoRowsOfTooManyColumns) {
  const test_file file("a.npy");
  io::write_npy(file, matrix<double>(0, 7));
  std::string bytes = file.bytes();
  const std::string from = "(0, 7), }                  ";
  ASSERT_NE(bytes.find(from), bytes.npos);
  bytes.replace(bytes.find(from), from.size(), "(0, 9223372036854775807), }");
  const test_file wide("wide.npy", bytes);
  for (const auto& call : {+[](const test_file& f) { static_cast<void>(io::map_npy<double>(f)); },
                           +[](const test_file& f) { io::read_npy<double>(f); }})
    expect_says(text_of<io::read_error>([&] { call(wide); }),
                "a matrix of 0 x 9223372036854775807 is too large for a file with 0 entries");
}
#endif

TEST(Into, NoRowsOfAnyNumberOfColumns) {
  constexpr auto most = std::numeric_limits<index_t>::max();
  const test_file file(
      "a.mtx", "%%MatrixMarket matrix array real general\n0 " + std::to_string(most) + "\n");
  double nothing;
  io::read_matrix_market_into(file, matrix_view<double>(&nothing, 0, most, 1, 0));
  io::read_matrix_into(file, matrix_view<double>(&nothing, 0, most, 1, 0));
}

TEST(MemoryNeeded, ReadsTheHeaderOnly) {
  const test_file file("a.npy"), text("a.mtx",
                                      "%%MatrixMarket matrix array real general\n% note\n\n"
                                      "1000000 1000000\nno number\n");
  io::write_npy(file, matrix<float>(1, 0));
  std::string bytes = file.bytes();
  const std::string from = "(1, 0), }       ";
  ASSERT_NE(bytes.find(from), bytes.npos);
  bytes.replace(bytes.find(from), from.size(), "(30000, 30000),}");
  const test_file large("b.npy", bytes);
  std::error_code error;
  std::filesystem::resize_file(large.path(), bytes.size() + 3'600'000'000u, error);
  if (error) GTEST_SKIP() << "the file system has no sparse files of 3.6 GB";
  EXPECT_EQ(io::describe_matrix(large).rows, 30000);
  const auto needed = io::memory_needed(large, factorization::lu, 1000);
  EXPECT_GT(needed, 3'720'000'000u);
  EXPECT_LT(needed, 3'900'000'000u);
  EXPECT_GT(io::memory_needed<double>(large, factorization::cholesky), 7'200'000'000u);
  EXPECT_EQ(io::describe_matrix(text).cols, 1'000'000);
  EXPECT_GT(io::memory_needed(text, factorization::lu), 8'000'000'000'000u);
  EXPECT_EQ(io::memory_needed(text, factorization::lu, std::numeric_limits<index_t>::max()),
            std::numeric_limits<std::size_t>::max());
  for (const char* const rows : {"400000000000000000", "300000000000000000"}) {
    const test_file tall("tall.mtx", "%%MatrixMarket matrix coordinate real general\n" +
                                         std::string(rows) + " 1 1\n1 1 1\n");
    EXPECT_EQ(io::memory_needed(tall, factorization::lu), std::numeric_limits<std::size_t>::max());
  }
  // A comment that fills the file: most of it is not read.
  const test_file zeros("zeros.mtx", "%%MatrixMarket matrix array real general\n% ");
  std::filesystem::resize_file(zeros.path(), std::uintmax_t{1} << 32, error);
  if (!error) {
    peak = in_use.load();
    const std::size_t before = in_use;
    expect_says(text_of<io::read_error>([&] { io::describe_matrix(zeros); }),
                "zeros.mtx: has no line with sizes in its first 16 MiB");
    EXPECT_LT(peak - before, std::size_t{64} << 20);
  }
  text_of<io::read_error>([] { io::memory_needed("/no/such/file", factorization::lu); });
  text_of<io::read_error>([] { io::memory_needed("/dev/null", factorization::lu); });
}

#if defined(__GLIBC__)
TYPED_TEST(IntoMemory, NeedsWhatMemoryNeededSays) {
  using T = TypeParam;
  random_source random(707);
  const index_t n = 400;
  const matrix<T> A = random_spd<T>(random, n);
  const test_file npy("a.npy"), mtx("a.mtx");
  io::write_npy(npy, A);
  io::write_matrix_market(mtx, A);
  for (const test_file* file : {&npy, &mtx})
    for (factorization what : {factorization::cholesky, factorization::lu})
      for (index_t count : {0, 1, 300}) {
        free_workspace_cache();
        const std::size_t before = in_use;
        peak = before;
        {
          matrix<T> M = io::read_matrix<T>(*file), X(n, count);
          const auto use = [&](const auto& f) {
            ASSERT_TRUE(f);
            if (count > 0) solve(f, X);
          };
          what == factorization::cholesky ? use(cholesky(M)) : use(lu(M));
        }
        const std::size_t used = peak - before, said = io::memory_needed<T>(*file, what, count);
        EXPECT_LE(used, said + (std::size_t{2} << 20)) << count << " of " << file->path();
        EXPECT_GE(used, said / 10 * 9) << count << " of " << file->path();
      }
}
#endif

}  // namespace
}  // namespace trifac::test
