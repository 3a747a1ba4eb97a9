#pragma once
// What tests cannot ask for under a sanitizer.

#if defined(__SANITIZE_ADDRESS__)
  #define TRIFAC_TEST_ADDRESS_SANITIZER 1
#elif defined(__SANITIZE_THREAD__)
  #define TRIFAC_TEST_THREAD_SANITIZER 1
#elif defined(__has_feature)
  #if __has_feature(address_sanitizer)
    #define TRIFAC_TEST_ADDRESS_SANITIZER 1
  #elif __has_feature(thread_sanitizer)
    #define TRIFAC_TEST_THREAD_SANITIZER 1
  #endif
#endif

namespace trifac::test {

/// The address sanitizer ends the program where operator new should throw std::bad_alloc.
#if defined(TRIFAC_TEST_ADDRESS_SANITIZER)
inline constexpr bool new_throws = false;
#else
inline constexpr bool new_throws = true;
#endif

/// Sanitizers enlarge the frames of functions.
#if defined(TRIFAC_TEST_ADDRESS_SANITIZER) || defined(TRIFAC_TEST_THREAD_SANITIZER)
inline constexpr bool has_usual_frames = false;
#else
inline constexpr bool has_usual_frames = true;
#endif

}  // namespace trifac::test
