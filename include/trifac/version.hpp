#pragma once
// The version of trifac for the preprocessor. CMake reads it from here.

#define TRIFAC_VERSION_MAJOR 0
#define TRIFAC_VERSION_MINOR 3
#define TRIFAC_VERSION_PATCH 0
#define TRIFAC_VERSION_STRING "0.3.0"
