// What arrays of these kernels hold beside those of kernels/columns.cuh.
#pragma once
#include "kernels/columns.cuh"

// Field elements in field form.
using FieldElements = Each<u32, 8>;
// One word: how many points are equal.
using EqualCount = u32;
