#pragma once
// What the parts of a program say of themselves. This header knows nothing of trifac, so that it is
// the same for all of them.

#include <cstdint>

/// One part's findings; `complaint` is null where everything went as its compiler flags promise.
struct outcome {
  const char* complaint = nullptr;
  std::uint64_t bits = 0;  ///< a hash of its factors
};
