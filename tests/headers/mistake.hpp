#pragma once
// A header that does not compile by itself: the test of headers must find that.

inline std::string text() {
  return "";
}
