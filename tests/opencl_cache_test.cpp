// Programs on disk: what is stored comes back, what cannot be trusted does not, and whatever lies
// in the folder, results are right.

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "support/residual.hpp"
#include "trifac/backend/opencl.hpp"
#include "trifac/engine/device/program_cache.hpp"
#include "trifac/variants.hpp"

namespace trifac::test {
namespace {

namespace fs = std::filesystem;

/// A folder that is gone after the test.
class temporary_folder {
 public:
  temporary_folder() {
    std::string name = (fs::temp_directory_path() / "trifac_cache_XXXXXX").string();
    if (!::mkdtemp(name.data())) throw std::runtime_error("mkdtemp failed");
    path_ = name;
  }
  temporary_folder(const temporary_folder&) = delete;
  temporary_folder& operator=(const temporary_folder&) = delete;
  ~temporary_folder() {
    std::error_code ignored;
    fs::permissions(path_, fs::perms::owner_all, ignored);
    fs::remove_all(path_, ignored);
  }
  const fs::path& path() const { return path_; }
  std::vector<fs::path> files() const {
    std::vector<fs::path> list;
    for (const auto& entry : fs::recursive_directory_iterator(path_))
      if (entry.is_regular_file()) list.push_back(entry.path());
    return list;
  }

 private:
  fs::path path_;
};

std::string contents(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}
void overwrite(const fs::path& file, const std::string& text) {
  std::ofstream(file, std::ios::binary | std::ios::trunc) << text;
}

constexpr auto private_file = fs::perms::owner_read | fs::perms::owner_write;
const std::string key = "device\noptions\nsource", payload("bytes\0of a program", 18);

TEST(ProgramCache, StoresAndLoads) {
  const temporary_folder folder;
  const device::program_cache cache(folder.path());
  EXPECT_EQ(cache.load(key), std::nullopt);
  cache.store(key, payload);
  EXPECT_EQ(cache.load(key), payload);
  EXPECT_EQ(cache.load(key + "!"), std::nullopt);
  cache.store(key, "another");
  EXPECT_EQ(cache.load(key), "another");
  EXPECT_EQ(folder.files().size(), 1u);  // no file of a half-done store is left
}

TEST(ProgramCache, MakesAFolderThatOnlyItsOwnerMayEnter) {
  const temporary_folder folder;
  const device::program_cache cache(folder.path() / "a" / "b");
  cache.store(key, payload);
  EXPECT_EQ(cache.load(key), payload);
  EXPECT_EQ(fs::status(folder.path() / "a" / "b").permissions(), fs::perms::owner_all);
}

TEST(ProgramCache, TrustsNoDamagedFile) {
  const temporary_folder folder;
  const device::program_cache cache(folder.path());
  cache.store(key, payload);
  const fs::path file = folder.files().at(0);
  const std::string good = contents(file);
  for (std::size_t k = 0; k < good.size(); ++k) {
    std::string bad = good;
    bad[k] = static_cast<char>(bad[k] ^ 1);
    overwrite(file, bad);
    EXPECT_EQ(cache.load(key), std::nullopt) << "byte " << k;
    overwrite(file, good.substr(0, k));
    EXPECT_EQ(cache.load(key), std::nullopt) << "cut after " << k;
  }
  overwrite(file, good + 'x');
  EXPECT_EQ(cache.load(key), std::nullopt);
  overwrite(file, good);
  EXPECT_EQ(cache.load(key), payload);
}

TEST(ProgramCache, TrustsNoFileUnderAForeignKeysName) {
  const temporary_folder folder;
  const device::program_cache cache(folder.path());
  cache.store(key, payload);
  const std::string of_key = contents(folder.files().at(0));
  fs::remove(folder.files().at(0));
  cache.store("other", "other");
  overwrite(folder.files().at(0), of_key);
  EXPECT_EQ(cache.load("other"), std::nullopt);
}

TEST(ProgramCache, TrustsNoFolderThatOthersMayWrite) {
  const temporary_folder folder;
  const device::program_cache cache(folder.path());
  cache.store(key, payload);
  for (mode_t mode : {0770u, 0707u, 0777u}) {
    ASSERT_EQ(::chmod(folder.path().c_str(), mode), 0);
    EXPECT_EQ(cache.load(key), std::nullopt);
  }
  ASSERT_EQ(::chmod(folder.path().c_str(), 0700), 0);
  EXPECT_EQ(cache.load(key), payload);
}

TEST(ProgramCache, TrustsNoFileThatOthersMayWrite) {
  const temporary_folder folder;
  const device::program_cache cache(folder.path());
  cache.store(key, payload);
  const fs::path file = folder.files().at(0);
  for (mode_t mode : {0620u, 0602u, 0666u}) {
    ASSERT_EQ(::chmod(file.c_str(), mode), 0);
    EXPECT_EQ(cache.load(key), std::nullopt) << "mode " << mode;
  }
  cache.store(key, payload);  // takes its place
  EXPECT_EQ(fs::status(file).permissions(), private_file);
  EXPECT_EQ(cache.load(key), payload);
}

TEST(ProgramCache, TheUmaskOpensNothing) {
  const mode_t before = ::umask(0);
  const temporary_folder folder;
  const device::program_cache cache(folder.path() / "above" / "folder");
  cache.store(key, payload);
  ::umask(0377);
  cache.store("another", payload);
  ::umask(before);
  EXPECT_EQ(fs::status(folder.path() / "above").permissions(), fs::perms::owner_all);
  EXPECT_EQ(fs::status(folder.path() / "above" / "folder").permissions(), fs::perms::owner_all);
  EXPECT_EQ(folder.files().size(), 2u);
  for (const fs::path& file : folder.files())
    EXPECT_EQ(fs::status(file).permissions(), private_file);
}

// What was checked stays what is read, whatever takes the place of its path.
TEST(ProgramCache, AFolderThatIsExchangedIsNotLookedAt) {
  const temporary_folder folder;
  const fs::path path = folder.path() / "cache";
  device::program_cache(path).store(key, payload);
  const auto held = device::private_folder::open(path);
  ASSERT_TRUE(held);
  const std::string name = folder.files().at(0).filename();
  const std::string stored = contents(path / name);

  fs::rename(path, folder.path() / "moved");
  fs::create_directory(path);
  overwrite(path / name, "forged");
  EXPECT_EQ(held->read(name, 1 << 20), stored);
  ASSERT_TRUE(held->create("new", "bytes"));
  EXPECT_TRUE(fs::exists(folder.path() / "moved" / "new"));
  EXPECT_FALSE(fs::exists(path / "new"));
}

TEST(ProgramCache, ReadsOrdinaryFilesOnly) {
  const temporary_folder folder;
  const device::program_cache cache(folder.path());
  cache.store(key, payload);
  const fs::path file = folder.files().at(0);
  fs::remove(file);
  ASSERT_EQ(::mkfifo(file.c_str(), 0600), 0);
  EXPECT_EQ(cache.load(key), std::nullopt);  // and does not wait for a writer
  fs::remove(file);
  fs::create_directory(file);
  EXPECT_EQ(cache.load(key), std::nullopt);
}

TEST(ProgramCache, WritesOverNoFile) {
  const temporary_folder folder;
  const auto held = device::private_folder::open(folder.path());
  ASSERT_TRUE(held && held->create("file", "first"));
  EXPECT_FALSE(held->create("file", "second"));
  fs::create_symlink(folder.path() / "elsewhere", folder.path() / "link");
  EXPECT_FALSE(held->create("link", "through it"));
  EXPECT_EQ(contents(folder.path() / "file"), "first");
  EXPECT_FALSE(fs::exists(folder.path() / "elsewhere"));
}

// Names that are nearly those of the cache.
constexpr const char* foreign_files[] = {
    "foreign",          "config.new",          "my.program",
    "1.program.new",    "1.program.7.new.old", "1.program7.new",
    "x1.program.7.new", "1.program.7x.new",    ".program",
    "1.programs"};

TEST(ProgramCache, RemovesWhatKilledWritersLeft) {
  const temporary_folder folder;
  const device::program_cache cache(folder.path());
  const fs::path old = folder.path() / "1.program.7.new", young = folder.path() / "2.program.8.new";
  const auto age = std::chrono::seconds(device::program_cache::longest_write + 60);
  const auto write_aged = [&](const fs::path& file) {
    overwrite(file, "half");
    fs::last_write_time(file, fs::last_write_time(file) - age);
  };
  write_aged(old);
  for (const char* name : foreign_files) write_aged(folder.path() / name);
  overwrite(young, "half");
  cache.store(key, payload);
  EXPECT_FALSE(fs::exists(old));
  EXPECT_TRUE(fs::exists(young));  // its writer may be at work
  for (const char* name : foreign_files) EXPECT_TRUE(fs::exists(folder.path() / name)) << name;
  EXPECT_EQ(cache.load(key), payload);
}

TEST(ProgramCache, TheOldestGoFirstWhereTheFolderIsFull) {
  const temporary_folder folder;
  const device::program_cache cache(folder.path(), 5000);
  const auto key_of = [](int k) { return "program " + std::to_string(k); };
  const std::string program(1000, 'x');  // four fit with their heads, five do not
  for (int k = 0; k < 6; ++k) {
    cache.store(key_of(k), program);
    for (const fs::path& file : folder.files())  // clocks of file systems are coarse
      fs::last_write_time(file, fs::last_write_time(file) - std::chrono::seconds(1));
  }
  for (int k = 0; k < 6; ++k) EXPECT_EQ(cache.load(key_of(k)).has_value(), k >= 2) << k;
  cache.store("too large", std::string(5000, 'x'));
  EXPECT_EQ(cache.load("too large"), std::nullopt);
  EXPECT_EQ(folder.files().size(), 4u);
}

TEST(ProgramCache, ForeignFilesNeitherCountNorGo) {
  const temporary_folder folder;
  const device::program_cache cache(folder.path(), 5000);
  for (const char* name : foreign_files) overwrite(folder.path() / name, std::string(5000, 'x'));
  cache.store(key, payload);
  cache.store("another", payload);
  EXPECT_EQ(cache.load(key), payload);
  EXPECT_EQ(cache.load("another"), payload);
  for (const char* name : foreign_files) EXPECT_TRUE(fs::exists(folder.path() / name)) << name;
}

TEST(ProgramCache, WritersAtOnceLeaveWholeFiles) {
  const temporary_folder folder;
  const device::program_cache cache(folder.path());
  std::vector<std::thread> writers;
  for (char c : {'a', 'b', 'c', 'd'})
    writers.emplace_back([&cache, c] {
      for (int k = 0; k < 50; ++k) {
        cache.store(key, std::string(10'000, c));
        const auto found = cache.load(key);
        EXPECT_TRUE(found && *found == std::string(10'000, found->front()));
      }
    });
  for (std::thread& writer : writers) writer.join();
  EXPECT_EQ(folder.files().size(), 1u);
}

TEST(ProgramCache, TrustsNoLinks) {
  const temporary_folder folder, elsewhere;
  const device::program_cache cache(folder.path()), real(elsewhere.path());
  real.store(key, payload);
  const fs::path file = elsewhere.files().at(0);
  fs::create_symlink(file, folder.path() / file.filename());
  EXPECT_EQ(cache.load(key), std::nullopt);
  fs::create_directory_symlink(elsewhere.path(), folder.path() / "link");
  for (const char* name : {"link", "link/", "link//", "link/.", "link/./", "link/.."}) {
    const device::program_cache through(folder.path() / name);
    EXPECT_EQ(through.load(key), std::nullopt) << name;
    through.store("through", payload);
  }
  EXPECT_EQ(elsewhere.files().size(), 1u);
  EXPECT_EQ(device::program_cache(elsewhere.path() / "").load(key), payload);
}

TEST(ProgramCache, AnEmptyNameTurnsItOff) {
  const device::program_cache none{fs::path()};
  none.store(key, payload);
  EXPECT_EQ(none.load(key), std::nullopt);
}

TEST(ProgramCache, AFileInTheFoldersPlaceIsNoError) {
  const temporary_folder folder;
  const device::program_cache cache(folder.path() / "file");
  overwrite(folder.path() / "file", "not a folder");
  cache.store(key, payload);
  EXPECT_EQ(cache.load(key), std::nullopt);
}

/// In a process of its own, with both caches in that folder: 0 where a factor came out right.
int factor_with_caches_in(const fs::path& folder) {
  ::setenv("TRIFAC_CACHE_DIR", (folder / "trifac").c_str(), 1);
  ::setenv("POCL_CACHE_DIR", (folder / "pocl").c_str(), 1);
  ::setenv("POCL_KERNEL_CACHE", "0", 1);  // else PoCL keeps its programs itself
  const auto device = backend::opencl::first();
  random_source random(701);
  const matrix<float> A = random_spd<float>(random, 40);
  matrix<float> L = A;
  const auto f =
      try_cholesky<variant::crout>(device, L);  // of all programs the quickest to compile
  return f && within(cholesky_ratio<float>(A, triangle::lower, L)) ? 0 : 1;
}

/// A child process that factors; OpenCL has not run before in this one.
pid_t start_child(const fs::path& folder) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(factor_with_caches_in(folder));
  return child;
}
int exit_code(pid_t child) {
  int code = -1;
  ::waitpid(child, &code, 0);
  return WIFEXITED(code) ? WEXITSTATUS(code) : -1;
}

/// These tests start processes and never touch OpenCL themselves: a child of a process with the
/// threads of a driver could not use it.
class ProgramsOnDisk : public testing::Test {
 protected:
  void SetUp() override {
    const pid_t child = ::fork();
    if (child == 0) ::_exit(backend::opencl::first().available() ? 0 : 1);
    if (exit_code(child) != 0) GTEST_SKIP() << "no OpenCL device";
  }
  temporary_folder folder_;
  int run() { return exit_code(start_child(folder_.path())); }
  std::vector<fs::path> stored() const {
    std::vector<fs::path> list;
    for (const fs::path& file : folder_.files())
      if (file.parent_path().filename() == "trifac") list.push_back(file);
    return list;
  }
};

TEST_F(ProgramsOnDisk, ColdWarmAndFullOfJunk) {
  EXPECT_EQ(run(), 0);
  const auto files = stored();
  ASSERT_FALSE(files.empty());
  const auto written = fs::last_write_time(files[0]);
  EXPECT_EQ(run(), 0);
  EXPECT_EQ(stored(), files);
  EXPECT_EQ(fs::last_write_time(files[0]), written) << "the second run compiled again";

  for (const fs::path& file : files) overwrite(file, "junk");
  EXPECT_EQ(run(), 0);
  EXPECT_GT(contents(files[0]).size(), 4u) << "the junk was not replaced";

  // A whole, well-formed file whose program is nonsense: the driver refuses it.
  std::string text = contents(files[0]);
  std::string stored_key = text.substr(text.find('\n', text.find('\n') + 1) + 1);
  stored_key.resize(std::stoul(text.substr(text.find('\n') + 1)));
  fs::remove(files[0]);
  device::program_cache(folder_.path() / "trifac").store(stored_key, "no program at all");
  ASSERT_EQ(stored().size(), files.size());
  EXPECT_EQ(run(), 0);
}

TEST_F(ProgramsOnDisk, AFolderThatCannotBeWritten) {
  fs::create_directory(folder_.path() / "trifac");
  fs::permissions(folder_.path() / "trifac", fs::perms::owner_read | fs::perms::owner_exec);
  EXPECT_EQ(run(), 0);
  if (::geteuid() != 0) {  // whom no permission stops
    EXPECT_TRUE(stored().empty());
  }
}

TEST_F(ProgramsOnDisk, KilledWhileItCompiles) {
  using namespace std::chrono_literals;
  for (const auto delay : {50ms, 300ms, 900ms}) {
    const pid_t child = start_child(folder_.path());
    std::this_thread::sleep_for(delay);
    ::kill(child, SIGKILL);
    (void)exit_code(child);
  }
  EXPECT_EQ(run(), 0);
  EXPECT_FALSE(stored().empty());
}

TEST_F(ProgramsOnDisk, TwoProcessesAtOnce) {
  const pid_t one = start_child(folder_.path()), two = start_child(folder_.path());
  EXPECT_EQ(exit_code(one), 0);
  EXPECT_EQ(exit_code(two), 0);
  EXPECT_EQ(run(), 0);
}

}  // namespace
}  // namespace trifac::test
