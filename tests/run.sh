#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Builds everything and runs every test. LANESCOPE_PRESET chooses the preset (release); arguments go on to ctest.
set -euo pipefail
# shellcheck source=app/setup.sh
source "$(dirname "${BASH_SOURCE[0]}")/../app/setup.sh"

preset=${LANESCOPE_PRESET:-release}
lanescope_install
lanescope_build "$preset"
cd "$lanescope_root"
ctest --preset "$preset" -j "$(nproc)" "$@"
