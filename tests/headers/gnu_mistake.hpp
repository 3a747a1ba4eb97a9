// What without_gnu.sh must find.
inline __attribute__((noinline)) int mistake() {
  return __builtin_ctz(8);
}
