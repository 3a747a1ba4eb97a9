#pragma once
// The programs that a device runtime has loaded.

#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "trifac/engine/device/facts.hpp"

namespace trifac::device {
inline namespace TRIFAC_ABI {

/// Programs by name and definitions of their source. Thread-safe.
template <class Program>
class program_table {
 public:
  /// The program of that source, created by make() on the first request. Exceptions of make()
  /// propagate, and the next request tries again.
  template <class Make>
  Program& find(const program_source& source, Make make) {
    std::string name_and_definitions = source.name;
    for (const std::string& d : source.definitions) name_and_definitions += ' ' + d;
    const std::scoped_lock lock(mutex_);
    auto found = programs_.find(name_and_definitions);
    if (found == programs_.end())
      found = programs_.emplace(std::move(name_and_definitions), make()).first;
    return *found->second;
  }
  std::size_t size() {
    const std::scoped_lock lock(mutex_);
    return programs_.size();
  }
  template <class Visit>
  void for_each(Visit visit) {
    const std::scoped_lock lock(mutex_);
    for (auto& [key, p] : programs_) visit(*p);
  }

 private:
  std::mutex mutex_;
  std::map<std::string, std::unique_ptr<Program>> programs_;
};

}  // namespace TRIFAC_ABI
}  // namespace trifac::device
