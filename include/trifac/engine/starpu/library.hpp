#pragma once
// StarPU's own header. Included first it would ask for OpenCL 1.0 and hide from backend/opencl.hpp
// what that needs.

#ifndef CL_TARGET_OPENCL_VERSION
  #define CL_TARGET_OPENCL_VERSION 120
#endif
#include <starpu.h>
