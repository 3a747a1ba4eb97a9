/* What the C programs of this folder share: failures are counted and shown, NaN is one. */
#ifndef TRIFAC_TESTS_CHECK_H
#define TRIFAC_TESTS_CHECK_H

#include <stdio.h>

static int failures = 0;

#define CHECK(condition)                                                            \
  do {                                                                              \
    if (!(condition)) {                                                             \
      ++failures;                                                                   \
      fprintf(stderr, "%s:%d: %s does not hold\n", __FILE__, __LINE__, #condition); \
    }                                                                               \
  } while (0)

/* A ratio of LAPACK's tests, which passes below 30. */
#define CHECK_RATIO(ratio) CHECK((ratio) < 30)

#define CHECK_KIND(status, expected) CHECK((status).kind == (expected))
#define CHECK_OK(status) CHECK_KIND(status, TRIFAC_SUCCESS)

#endif
