// SPDX-License-Identifier: GPL-3.0-or-later
// For compilers that have no C library at hand: the parts of this header that kernels use.
#pragma once
#include "stddef.h"
