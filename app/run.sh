#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Builds Lanescope and opens its window on the first lesson; arguments are the window's (--lesson naive-vs-coalesced, ...).
# With no display the first lesson is played without a window, and its pictures and charts are left in out/.
set -euo pipefail
# shellcheck source=app/setup.sh
source "$(dirname "${BASH_SOURCE[0]}")/setup.sh"

lanescope_install
lanescope_build release
cd "$lanescope_root"
if [ -n "${DISPLAY:-}" ] || [ -n "${WAYLAND_DISPLAY:-}" ]; then
    exec build/release/bin/lanescope-gui "$@"
fi
lanescope_say "there is no display; the first lesson is played without a window, its pictures and charts go to out/"
QT_QPA_PLATFORM=offscreen build/release/bin/lanescope-gui --demo out "$@"
lanescope_say "done: see $lanescope_root/out"
