#pragma once
// The serial backend: every block operation runs at once on the calling thread. Where the loop
// nests are compiled in each file, trifac.hpp brings it.

#include "trifac/engine/cpu/run.hpp"
