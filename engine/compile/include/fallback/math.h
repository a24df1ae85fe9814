// SPDX-License-Identifier: GPL-3.0-or-later
// For compilers that have no C library at hand: the parts of this header that kernels use.
#pragma once
#ifndef INFINITY
#define INFINITY (__int_as_float(0x7f800000))
#define NAN (__int_as_float(0x7fffffff))
#endif
#ifndef M_PI
#define M_PI 3.14159265358979323846
#define M_SQRT1_2 0.70710678118654752440
#define M_SQRT2 1.41421356237309504880
#define M_LN2 0.69314718055994530942
#define M_LOG2E 1.4426950408889634074
#endif
