// SPDX-License-Identifier: GPL-3.0-or-later
// Stands in for the CUDA Toolkit's header of this name.
#pragma once
#include "cuda_runtime.h"
