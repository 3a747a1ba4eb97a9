// The macros by which headers know MSVC for x64, in place of this compiler's.
#undef __GNUC__
#undef __clang__
#undef __x86_64__
#undef __aarch64__
#undef __linux__
#undef __unix__
#undef _OPENMP
#define _MSC_VER 1939
#define _WIN32 1
#define _M_X64 100
#define _CPPUNWIND 1
