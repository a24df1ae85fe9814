# SPDX-License-Identifier: GPL-3.0-or-later
# Shared by app/run.sh and tests/run.sh, to be sourced: installs what is missing on Debian and builds a preset.
# shellcheck shell=bash

lanescope_root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

lanescope_packages=(
    cmake ninja-build g++ clang ccache
    qt6-base-dev qt6-charts-dev qt6-svg-dev libqt6opengl6-dev libqscintilla2-qt6-dev
    qt6-l10n-tools qt6-tools-dev qt6-tools-dev-tools libgl-dev libxkbcommon-dev
    nlohmann-json3-dev libcli11-dev libfmt-dev libexpected-dev libmuparser-dev catch2 libbenchmark-dev
    xvfb xauth xdotool fonts-inter fonts-jetbrains-mono fonts-noto-cjk
)

lanescope_say() { printf 'lanescope: %s\n' "$*"; }

# Prints those of the packages that are not installed.
lanescope_missing_packages() {
    local package
    for package in "${lanescope_packages[@]}"; do
        if [ "$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null)" != installed ]; then
            printf '%s\n' "$package"
        fi
    done
}

# Installs what is missing, as root or through sudo.
lanescope_install() {
    if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
        lanescope_say "this is not a Debian system; the build needs: ${lanescope_packages[*]}"
        return 0
    fi
    local missing
    mapfile -t missing < <(lanescope_missing_packages)
    if [ "${#missing[@]}" -eq 0 ]; then
        return 0
    fi
    local as_root=()
    if [ "$(id -u)" -ne 0 ]; then
        if ! command -v sudo >/dev/null; then
            lanescope_say "these packages are missing, and there is neither root nor sudo to install them: ${missing[*]}"
            return 1
        fi
        as_root=(sudo)
    fi
    lanescope_say "installing ${#missing[@]} packages: ${missing[*]}"
    "${as_root[@]}" apt-get update -q
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends "${missing[@]}"
}

# Configures and builds a preset.
lanescope_build() {
    local preset=$1
    (
        cd "$lanescope_root" || exit
        cmake --preset "$preset"
        cmake --build --preset "$preset" -j "$(nproc)"
    )
}
