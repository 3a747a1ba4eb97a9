// A race on purpose: if the thread sanitizer does not report this one, its silence about the other
// tests means nothing.

#include <cstdio>

int main() {
  int count = 0;
#pragma omp parallel num_threads(4)
  for (int k = 0; k < 1000; ++k) ++count;
  std::printf("%d\n", count);
}
