// SPDX-License-Identifier: GPL-3.0-or-later
#define CATCH_CONFIG_RUNNER
#include <catch2/catch.hpp>

#include "tests/window/timed_application.h"

int main(int argc, char** argv) {
    QApplication::setStyle(QStringLiteral("Fusion"));
    lanescope::views::test::TimedApplication app(argc, argv);
    return Catch::Session().run(argc, argv);
}
