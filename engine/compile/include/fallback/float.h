// SPDX-License-Identifier: GPL-3.0-or-later
// For compilers that have no C library at hand: the parts of this header that kernels use.
#pragma once
#ifndef FLT_MAX
#define FLT_MAX 3.402823466e+38f
#define FLT_MIN 1.175494351e-38f
#define FLT_EPSILON 1.192092896e-07f
#define DBL_MAX 1.7976931348623158e+308
#define DBL_EPSILON 2.2204460492503131e-16
#endif
