#pragma once
// Is refused by -Wsign-conversion, inside a template as in our headers.

#include <span>

template <class Element>
Element element(std::span<Element> elements, int place) {
  return elements[place];
}

inline double use(std::span<double> elements) {
  return element(elements, 0);
}
