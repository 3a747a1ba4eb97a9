#pragma once
// Files that are written as a whole or not at all.

#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <iostream>
#include <ostream>
#include <string>
#include <string_view>
#include <system_error>

#include "trifac/engine/io/contents.hpp"

namespace tune {

/// The file that is written where `file` is asked for: symbolic links are followed. Throws
/// write_error where no text can go there.
inline std::filesystem::path written_file(const std::filesystem::path& file) {
  namespace fs = std::filesystem;
  const auto refuse = [&](const std::string& why) {
    throw trifac::io::write_error(file.string(), why);
  };
  std::error_code error;
  const fs::file_status there = fs::status(file, error);
  if (there.type() == fs::file_type::none) refuse(error.message());  // links in a circle, for one
  if (fs::is_directory(there)) refuse("is a directory, not a file");
  if (fs::exists(there) && !fs::is_regular_file(there)) return file;
  fs::path target = file;
  while (fs::is_symlink(target)) target = target.parent_path() / fs::read_symlink(target);
  const fs::path folder = target.has_parent_path() ? target.parent_path() : ".";
  if (!fs::is_directory(folder, error)) refuse("there is no directory " + folder.string());
  return target;
}

/// Whether this is what standard output goes to: /dev/stdout, or the same file, pipe or terminal.
inline bool is_standard_output(const std::filesystem::path& file) {
  struct stat a = {}, b = {};
  return stat(file.c_str(), &a) == 0 && fstat(STDOUT_FILENO, &b) == 0 && a.st_dev == b.st_dev &&
         a.st_ino == b.st_ino;
}

/// Writes the text into FILE.part, which then takes the name and the permissions of the file. What
/// is no regular file, such as a FIFO or a device, is written to; so is standard output. Throws
/// write_error; FILE.part does not stay.
inline void write_whole(const std::filesystem::path& file, std::string_view text) {
  namespace fs = std::filesystem;
  const auto put = [&](std::ostream& stream) { stream << text; };
  const fs::path target = written_file(file);
  if (is_standard_output(file)) return put(std::cout);
  std::error_code error;
  const fs::file_status there = fs::status(target, error);
  if (fs::exists(there) && !fs::is_regular_file(there))
    return trifac::io::detail::write_file(target, put);
  const fs::path part = fs::path(target) += ".part";
  const auto remove_part = [&] {
    if (!fs::is_directory(part, error)) fs::remove(part, error);
  };
  try {
    trifac::io::detail::write_file(part, put);
    if (fs::exists(there)) fs::permissions(part, there.permissions());
    fs::rename(part, target);
  } catch (const fs::filesystem_error& failure) {
    remove_part();
    throw trifac::io::write_error(file.string(), failure.code().message());
  } catch (...) {
    remove_part();
    throw;
  }
}

}  // namespace tune
