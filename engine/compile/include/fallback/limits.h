// SPDX-License-Identifier: GPL-3.0-or-later
// For compilers that have no C library at hand: the parts of this header that kernels use.
#pragma once
#ifndef INT_MAX
#define INT_MAX 2147483647
#define INT_MIN (-2147483647 - 1)
#define UINT_MAX 4294967295u
#endif
