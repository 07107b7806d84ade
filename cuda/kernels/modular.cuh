// What the kernels of modular arithmetic answer per item.
#pragma once
#include "primitives/types.cuh"

enum ValueStatus : u8 { kValueInRange = 1, kValueTooLarge = 17 };
