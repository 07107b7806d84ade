// Types of the arrays of these kernels, in addition to those of kernels/columns.cuh.
#pragma once
#include "kernels/columns.cuh"

// Field elements in field form.
using FieldElements = Each<u32, 8>;
// One word: how many points are equal.
using EqualCount = u32;
// Affine points in rows of 16 words, x before y, in field form.
using XyRows = Each<u32, 16>;
