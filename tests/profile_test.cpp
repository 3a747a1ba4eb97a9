// Profiles: their file, what best makes of them, and the backend that chooses by them.

#include "trifac/profile.hpp"

#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>
#include <vector>

#include "trifac/backend/automatic.hpp"
#include "trifac/backend/timed.hpp"
#include "trifac/cholesky.hpp"
#include "trifac/io/profile_file.hpp"
#include "trifac/lu.hpp"
#include "trifac/nests.hpp"
#include "trifac/solve.hpp"
#include "trifac/variants.hpp"

namespace {

using namespace trifac;

profile example() {
  profile p;
  p.of<double>(factorization::cholesky) = {.threads_from = 40, .threads = 2, .block = 24};
  p.of<double>(factorization::lu) = {.threads_from = 30, .threads = 2, .block_from = 8};
  p.of<std::complex<double>>(factorization::lu) = {.threads_from = index_t{1} << 50, .threads = 2};
  p.of<std::complex<float>>(factorization::lu) = {.device_from = 100, .cutoff = 3};
  p.batches.push_back(
      {"opencl some device, 3.1",
       {{batch_operation::cholesky,
         'd',
         batch_place::strided,
         8,
         {.tile = 4, .looking = looking_order::left, .outer = outer_loops::unrolled},
         121,
         98},
        {batch_operation::cholesky, 'd', batch_place::strided, 20, {.tile = 2}, 105, 70},
        {batch_operation::cholesky,
         's',
         batch_place::strided,
         40,
         {.kernel = batch_kernel::groups, .panel = 10, .block_height = 40, .block_width = 4},
         140,
         95},
        {batch_operation::solve,
         's',
         batch_place::strided,
         40,
         {.kernel = batch_kernel::groups, .systems = 8},
         101,
         55},
        {batch_operation::solve,
         'z',
         batch_place::interleaved,
         5,
         {.chunks = batch_chunks::unchunked},
         130,
         100}}});
  p.batches.push_back(
      {"serial", {{batch_operation::lu, 's', batch_place::chunked, 3, {.chunk = 64}, 110, 100}}});
  return p;
}

/// Symmetric, dominant diagonal.
matrix<double> positive_definite(index_t n) {
  matrix<double> A(n, n);
  for (index_t j = 0; j < n; ++j)
    for (index_t i = 0; i < n; ++i)
      A(i, j) = i == j ? static_cast<double>(n) : 1.0 / static_cast<double>(1 + i + j);
  return A;
}

bool same(const matrix<double>& A, const matrix<double>& B) {
  for (index_t j = 0; j < A.cols(); ++j)
    for (index_t i = j; i < A.rows(); ++i)
      if (A(i, j) != B(i, j)) return false;
  return true;
}

/// Which of its backends an automatic one takes.
std::string chosen(const profile& p, factorization what, index_t n) {
  return backend::automatic(p).choose<double>(what, n,
                                              [](const auto& b) { return std::string(b.name); });
}

/// The message with which a text is refused, or "".
std::string refusal(const std::string& text, const std::string& machine = "here") {
  try {
    static_cast<void>(io::parse_profile(text, "p", machine));
    return "";
  } catch (const io::read_error& e) {
    return e.what();
  }
}

/// A text with the check sum that belongs to it.
std::string signed_text(const std::string& text) {
  return text + "check " + io::detail::digits_of(io::detail::fnv1a(text)) + "\n";
}

TEST(Profile, EntriesAreApart) {
  profile p;
  index_t next = 1;
  for (const auto what : {factorization::cholesky, factorization::lu}) {
    p.of<float>(what).block = next++;
    p.of<double>(what).block = next++;
    p.of<std::complex<float>>(what).block = next++;
    p.of<std::complex<double>>(what).block = next++;
  }
  index_t expected = 1;
  for (const tuning& t : p.entries) EXPECT_EQ(t.block, expected++);
  EXPECT_EQ(p.of<long double>(factorization::lu).block, 0);
}

TEST(Profile, HashIsFnv1a) {  // the published values, which bench/study's tests hold too
  EXPECT_EQ(io::detail::digits_of(io::detail::fnv1a("")), "cbf29ce484222325");
  EXPECT_EQ(io::detail::digits_of(io::detail::fnv1a("foobar")), "85944171f73967e8");
}

TEST(Profile, FileGivesBackWhatWasWritten) {
  const profile p = example();
  const profile q = io::parse_profile(io::profile_text(p, "here"), "p", "here");
  for (std::size_t k = 0; k < p.entries.size(); ++k) {
    EXPECT_EQ(p.entries[k].threads_from, q.entries[k].threads_from);
    EXPECT_EQ(p.entries[k].threads, q.entries[k].threads);
    EXPECT_EQ(p.entries[k].device_from, q.entries[k].device_from);
    EXPECT_EQ(p.entries[k].block, q.entries[k].block);
    EXPECT_EQ(p.entries[k].block_from, q.entries[k].block_from);
    EXPECT_EQ(p.entries[k].cutoff, q.entries[k].cutoff);
  }
}

TEST(Profile, FileGivesBackItsBatches) {
  const profile p = example();
  const profile q = io::parse_profile(io::profile_text(p, "here"), "p", "here");
  ASSERT_EQ(q.batches.size(), p.batches.size());
  for (std::size_t d = 0; d < p.batches.size(); ++d) {
    EXPECT_EQ(p.batches[d].device, q.batches[d].device);
    ASSERT_EQ(p.batches[d].found.size(), q.batches[d].found.size());
    for (std::size_t k = 0; k < p.batches[d].found.size(); ++k) {
      const batch_finding &a = p.batches[d].found[k], &b = q.batches[d].found[k];
      EXPECT_EQ(a.operation, b.operation);
      EXPECT_EQ(a.type, b.type);
      EXPECT_EQ(a.place, b.place);
      EXPECT_EQ(a.from, b.from);
      EXPECT_EQ(a.tuning, b.tuning);
      EXPECT_EQ(a.gain, b.gain);
      EXPECT_EQ(a.sure, b.sure);
    }
  }
}

TEST(Profile, FileGivesBackEveryNameOfADevice) {
  std::string every_byte;
  for (int byte = 0; byte < 256; ++byte) every_byte += static_cast<char>(byte);
  for (const std::string& name :
       {std::string("Radeon\xe2\x84\xa2, 1"), every_byte, every_byte + "\\", std::string(1000, 'x'),
        std::string("two\nlines"), std::string("\\"), std::string("\\xe2"), std::string("\\x4"),
        std::string(" a \\x5c "), std::string("\\x\\x41 C:\\x")}) {
    profile p;
    p.batches.push_back({name, {{.type = 'd', .from = 8, .tuning = {.tile = 4}}}});
    const std::string text = io::profile_text(p, "here");
    const profile q = io::parse_profile(text, "p", "here");
    EXPECT_EQ(q.batches_on(name).size(), 1u) << text;
    for (const char c : text) EXPECT_TRUE(c == '\n' || (c >= 0x20 && c < 0x7f)) << text;
  }
}

TEST(Profile, NamesInFilesOfBeforeAreFound) {  // a backslash was not escaped there
  const auto device_of = [](const std::string& name) {
    const std::string text = "trifac profile 1\nmachine here\n" + io::detail::batches_line() +
                             "\ndevice " + name + "\nbatch lu double strided 8\n";
    return io::parse_profile(signed_text(text), "p", "here").batches.at(0).device;
  };
  EXPECT_EQ(device_of("opencl A\\B, C:\\x\\"), "opencl A\\B, C:\\x\\");
  EXPECT_EQ(device_of("opencl Radeon\\xe2\\x84\\xa2, 1"), "opencl Radeon\xe2\x84\xa2, 1");
}

TEST(Profile, BatchFindingsHoldUpToTheNextOrder) {
  const profile p = example();
  const auto tile = [&](index_t n) {
    return tuning_from<double>(p.batches_on("opencl some device, 3.1"), batch_operation::cholesky,
                               batch_place::strided, n)
        .tile;
  };
  EXPECT_EQ(tile(7), 0);
  EXPECT_EQ(tile(8), 4);
  EXPECT_EQ(tile(19), 4);
  EXPECT_EQ(tile(200), 2);
  EXPECT_TRUE(p.batches_on("opencl another, 3.1").empty());
  // What a chunked layout should be is none of a call's parameters.
  const auto host = p.batches_on("serial");
  EXPECT_EQ(tuning_from<float>(host, batch_operation::lu, batch_place::chunked, 3), batch_tuning{});
  EXPECT_EQ(chunk_from<float>(host, batch_operation::lu, 3), 64);
  EXPECT_EQ(chunk_from<float>(host, batch_operation::lu, 2), -1);
  EXPECT_EQ(chunk_from<double>(host, batch_operation::lu, 3), -1);
}

TEST(Profile, FromAFileOfThisMachine) {
  const std::string file = testing::TempDir() + "trifac_profile_test.txt";
  std::ofstream(file) << io::profile_text(example());
  EXPECT_EQ(io::read_profile(file).of<double>(factorization::cholesky).block, 24);
  std::remove(file.c_str());
  EXPECT_THROW(static_cast<void>(io::read_profile(file)), io::read_error);
}

#if defined(__linux__)
TEST(Profile, AnEndlessFileIsRefused) {
  EXPECT_THROW(static_cast<void>(io::read_profile("/dev/zero")), io::read_error);
}
#endif

TEST(Profile, AnyFlippedByteIsRefused) {
  const std::string good = io::profile_text(example(), "here");
  EXPECT_EQ(refusal(good), "");
  for (std::size_t k = 0; k < good.size(); ++k) {
    std::string bad = good;
    bad[k] = static_cast<char>(bad[k] ^ 1);
    EXPECT_NE(refusal(bad), "") << "byte " << k;
  }
  for (std::size_t k = 0; k < good.size(); ++k) EXPECT_NE(refusal(good.substr(0, k)), "") << k;
}

TEST(Profile, RefusalsSayWhy) {
  const std::string head = "trifac profile 1\nmachine here\n";
  EXPECT_NE(refusal(io::profile_text(example(), "elsewhere")).find("another machine"),
            std::string::npos);
  EXPECT_NE(refusal(io::profile_text(example(), "elsewhere")).find("recommend"), std::string::npos);
  EXPECT_NE(refusal("trifac profile 2\n").find("not a profile"), std::string::npos);
  EXPECT_NE(refusal(head).find("check sum"), std::string::npos);
  EXPECT_NE(refusal(signed_text("trifac profile 1\n")).find("no machine"), std::string::npos);
  EXPECT_NE(refusal(signed_text(head + "qr double\n")).find("p:3: names no"), std::string::npos);
  for (const char* words : {"block -1", "block x", "speed 3", "threads 5000", "block", "block 1e3",
                            "block 99999999999999999999"})
    EXPECT_NE(refusal(signed_text(head + "lu double " + words + "\n")).find("bad value"),
              std::string::npos)
        << words;
  EXPECT_EQ(refusal(signed_text(head + "lu double block 7 threads 3\n")), "");
}

TEST(Profile, StaleBatchesAreLeftOutWhereTheyAreTunedAgain) {
  const std::string text = signed_text(
      "trifac profile 1\nmachine here\nlu double block 7\nbatches 0.0.1 1\n"
      "device serial\nbatch lu double strided 3 tile 4\nbatch unknown to this version\n");
  EXPECT_NE(refusal(text).find("is stale"), std::string::npos);
  const profile p = io::parse_profile(text, "p", "here", io::stale_batches::left_out);
  EXPECT_EQ(p.of<double>(factorization::lu).block, 7);
  EXPECT_TRUE(p.batches.empty());
}

TEST(Profile, RefusalsOfBatchesSayWhy) {
  const std::string head = "trifac profile 1\nmachine here\n",
                    current = head + io::detail::batches_line() + "\n";
  const auto expect = [&](const std::string& text, const char* why) {
    EXPECT_NE(refusal(signed_text(text)).find(why), std::string::npos) << text;
  };
  expect(head + "batches 0.0.1 1\n", "is stale: its batches were tuned with other kernels");
  expect(head + "batches 0.0.1 1\n", "run trifac tune again");
  expect(head + "device serial\n", "no line \"batches\"");
  expect(current + "batch lu double strided 3\n", "no line \"device\"");
  expect(current + "device \n", "names no device");
  const std::string device = current + "device x\n";
  EXPECT_EQ(refusal(signed_text(device)), "");
  expect(device + "batch qr double strided 3\n", "no operation");
  expect(device + "batch lu quad strided 3\n", "no type");
  expect(device + "batch lu double here 3\n", "no layout");
  for (const char* order : {"0", "257", "-1", "x", ""})
    expect(device + "batch lu double strided " + order + "\n", "no order");
  for (const char* words :
       {"tile 9", "tile 0", "looking up", "chunk -1", "outer", "sure 101", "gain 1e3", "speed 3"})
    expect(device + "batch lu double strided 3 " + words + "\n", "bad value");
}

TEST(Profile, BestTakesTheBlock) {
  const profile p = example();
  const auto A = positive_definite(100);
  auto measured = matrix<double>(A), by_hand = matrix<double>(A);
  backend::operation_times with_profile, with_block;
  cholesky(backend::timed(backend::serial{}, with_profile), measured, {.profile = &p}).or_throw();
  cholesky(backend::timed(backend::serial{}, with_block), by_hand, {.block = 24}).or_throw();
  EXPECT_TRUE(same(measured, by_hand));
  EXPECT_EQ(with_profile[backend::timed_operation::solve_packed].calls,
            with_block[backend::timed_operation::solve_packed].calls);
  // What the caller says counts more, and other variants have blocks of their own.
  auto asked = matrix<double>(A);
  cholesky(asked, {.block = 48, .profile = &p}).or_throw();
  EXPECT_EQ((cholesky_workspace_bytes<double>(600, {.profile = &p})),
            (cholesky_workspace_bytes<double>(600, {.block = 24})));
  EXPECT_EQ((cholesky_workspace_bytes<double>(600, {.block = 48, .profile = &p})),
            (cholesky_workspace_bytes<double>(600, {.block = 48})));
}

TEST(Profile, BlockBeginsAtItsOrder) {
  profile p;
  p.of<double>(factorization::lu) = {.block = 16, .block_from = 50};
  EXPECT_EQ((lu_workspace_bytes<double>(49, 49, {.profile = &p})),
            (lu_workspace_bytes<double>(49, 49)));
  EXPECT_EQ((lu_workspace_bytes<double>(900, 900, {.profile = &p})),
            (lu_workspace_bytes<double>(900, 900, {.block = 16})));
}

TEST(Automatic, ChoosesByTheProfile) {
  const bool threads = backend::openmp{}.available().ok;
  const profile p = example();
  EXPECT_EQ(chosen(p, factorization::cholesky, 39), "serial");
  EXPECT_EQ(chosen(p, factorization::cholesky, 40), threads ? "openmp" : "serial");
  EXPECT_EQ(chosen(p, factorization::lu, 30), threads ? "openmp" : "serial");
  EXPECT_EQ(chosen({}, factorization::lu, index_t{1} << 30), "serial");
}

/// Stands for a device: counts what it is given.
struct counted {
  static constexpr std::string_view name = "counted";
  bool there;
  int* calls;
  availability available() const noexcept { return {there, "it was switched off"}; }
  friend constexpr bool supports(const counted&, variant) { return true; }
};
template <class Nest>
void run(const counted& policy, status& outcome, double, Nest nest) {
  ++*policy.calls;
  backend::serial_executor on(outcome);
  nest(on);
}

TEST(Automatic, TakesADeviceThatIsThere) {
  profile p;
  p.of<double>(factorization::cholesky).device_from = 20;
  for (const bool there : {true, false}) {
    int calls = 0;
    const backend::automatic on(p, counted{there, &calls});
    for (const index_t n : {19, 20}) {
      auto A = positive_definite(n);
      EXPECT_TRUE(cholesky<variant::right_looking>(on, A).ok());
    }
    EXPECT_EQ(calls, there ? 1 : 0);
  }
}

TEST(Automatic, FactorsAndSolves) {
  const backend::automatic on(example());
  for (const index_t n : {5, 39, 40, 120}) {
    const auto A = positive_definite(n);
    matrix<double> ones(n, 1), b(n, 1);
    for (index_t i = 0; i < n; ++i) ones(i, 0) = 1;
    for (index_t i = 0; i < n; ++i)
      for (index_t j = 0; j < n; ++j) b(i, 0) += A(i, j);
    for (const bool by_lu : {false, true}) {
      matrix<double> F(A), x(b), L(n, n);
      if (by_lu)
        solve(on, lu(on, F, {.pivoting = pivoting::tournament}).or_throw(), x);
      else
        solve(on, cholesky(on, A, L).or_throw(), x);
      for (index_t i = 0; i < n; ++i) EXPECT_NEAR(x(i, 0), 1, 1e-12);
    }
  }
}

// The profile's panels, which are wider than the library's, want more memory than those.
TEST(Automatic, JitterHasTheWorkspaceOfTheProfilesBlocks) {
  profile wide;
  wide.of<double>(factorization::cholesky) = {.block = 960};
  const index_t n = 1000;
  ASSERT_GT(cholesky_workspace_bytes<double>(n, {.profile = &wide}),
            cholesky_workspace_bytes<double>(n));
  auto A = positive_definite(n);
  A(n - 1, n - 1) = -1;
  const auto f = try_cholesky(backend::automatic(wide), A, {.jitter = {.first = 4096}});
  EXPECT_TRUE(f) << f.status().message();
}

TEST(Automatic, OtherTypesStayOnTheHost) {
  int calls = 0;
  const backend::automatic on(example(), counted{true, &calls});
  matrix<long double> A(3, 3);
  for (index_t i = 0; i < 3; ++i) A(i, i) = 4;
  EXPECT_TRUE(cholesky(on, A).ok());
  EXPECT_EQ(calls, 0);
}

TEST(Automatic, KeepsTheContract) {
  const backend::automatic on(example());
  matrix<double> wide(2, 3);
  EXPECT_EQ(try_cholesky(on, wide).status().kind(), status_kind::invalid_argument);
  auto A = positive_definite(60);
  A(50, 50) = -1;
  EXPECT_EQ(try_cholesky(on, A).status(), status::at(status_kind::not_positive_definite, 50));
}

}  // namespace
