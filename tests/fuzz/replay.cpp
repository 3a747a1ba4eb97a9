// Runs a fuzz target over the files named on the command line (or all files of a folder): the kept
// corpus as an ordinary test, with any compiler. Usage: replay FOLDER|FILE...

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

int replayed = 0;

void replay(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  const std::string bytes((std::istreambuf_iterator<char>(stream)), {});
  std::cout << file.filename().string() << std::endl;  // flushed: a crash must tell its file
  LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
  ++replayed;
}

}  // namespace

int main(int argc, char** argv) {
  for (int k = 1; k < argc; ++k) {
    if (std::filesystem::is_directory(argv[k]))
      for (const auto& entry : std::filesystem::directory_iterator(argv[k])) replay(entry.path());
    else
      replay(argv[k]);
  }
  std::cout << replayed << " files\n";
  return replayed > 0 ? 0 : 1;  // a wrong path must not pass as a test
}
