// SPDX-License-Identifier: GPL-3.0-or-later
// For compilers that have no C library at hand: the parts of this header that kernels use.
#pragma once
typedef decltype(sizeof(0)) size_t;
typedef long ptrdiff_t;
#ifndef NULL
#define NULL 0
#endif
#ifndef offsetof
#define offsetof(type, member) __builtin_offsetof(type, member)
#endif
