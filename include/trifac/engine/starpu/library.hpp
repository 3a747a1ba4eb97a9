#pragma once
// StarPU's own header. Included first, it would select OpenCL 1.0 and hide declarations that
// backend/opencl.hpp needs.

#ifndef CL_TARGET_OPENCL_VERSION
  #define CL_TARGET_OPENCL_VERSION 120
#endif
#include <starpu.h>
