// NVRTC for machines that have none: it tells the version with which the carried programs were
// compiled, so that they are found in the cache, and compiles nothing.

#include <stddef.h>

typedef void* program;
enum { failed = 5 };  // NVRTC_ERROR_INVALID_OPTION

int nvrtcVersion(int* major, int* minor) {
  return *major = MAJOR, *minor = MINOR, 0;
}
int nvrtcGetNumSupportedArchs(int* count) {
  return *count = 1, 0;
}
int nvrtcGetSupportedArchs(int* archs) {
  return archs[0] = 90, 0;
}
const char* nvrtcGetErrorString(int code) {
  return (void)code, "there is no NVRTC here";
}
int nvrtcCreateProgram(program* p, const char* text, const char* name, int count,
                       const char* const* headers, const char* const* names) {
  return (void)text, (void)name, (void)count, (void)headers, (void)names, *p = NULL, failed;
}
int nvrtcDestroyProgram(program* p) {
  return *p = NULL, 0;
}
int nvrtcCompileProgram(program p, int n, const char* const* o) {
  return (void)p, (void)n, (void)o, failed;
}
int nvrtcGetProgramLogSize(program p, size_t* n) {
  return (void)p, *n = 0, 0;
}
int nvrtcGetProgramLog(program p, char* s) {
  return (void)p, (void)s, 0;
}
int nvrtcGetCUBINSize(program p, size_t* n) {
  return (void)p, *n = 0, failed;
}
int nvrtcGetCUBIN(program p, char* s) {
  return (void)p, (void)s, failed;
}
int nvrtcGetPTXSize(program p, size_t* n) {
  return (void)p, *n = 0, failed;
}
int nvrtcGetPTX(program p, char* s) {
  return (void)p, (void)s, failed;
}
