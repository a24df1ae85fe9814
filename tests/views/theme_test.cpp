// SPDX-License-Identifier: GPL-3.0-or-later
// Contrast of the themes by WCAG 2.1: text 4.5:1 on its backgrounds, borders of fields and marks of
// focus 3:1.
#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>

#include "tests/views/application.h"
#include "views/kit/theme.h"

#include <QImage>
#include <QPainter>

namespace lanescope::views {

namespace {

double luminance(const QColor& color) {
    const auto linear = [](double c) {
        return c <= 0.03928 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4);
    };
    return 0.2126 * linear(color.redF()) + 0.7152 * linear(color.greenF()) +
           0.0722 * linear(color.blueF());
}

double contrast(const QColor& a, const QColor& b) {
    const double x = luminance(a), y = luminance(b);
    return (std::max(x, y) + 0.05) / (std::min(x, y) + 0.05);
}

struct Pair {
    const char* name;
    QColor Theme::*ink;
    QColor Theme::*ground;
    double least;
};

const Pair kPairs[] = {
    {"tx on pane", &Theme::tx, &Theme::pane, 4.5},
    {"tx on alt", &Theme::tx, &Theme::alt, 4.5},
    {"tx on hdr", &Theme::tx, &Theme::hdr, 4.5},
    {"tx on accbg", &Theme::tx, &Theme::accbg, 4.5},
    {"tx2 on pane", &Theme::tx2, &Theme::pane, 4.5},
    {"tx2 on hdr", &Theme::tx2, &Theme::hdr, 4.5},
    {"tx3 on pane", &Theme::tx3, &Theme::pane, 4.5},
    {"tx3 on alt", &Theme::tx3, &Theme::alt, 4.5},
    {"acctx on pane", &Theme::acctx, &Theme::pane, 4.5},
    {"acctx on accbg", &Theme::acctx, &Theme::accbg, 4.5},
    {"oktx on okbg", &Theme::oktx, &Theme::okbg, 4.5},
    {"errtx on errbg", &Theme::errtx, &Theme::errbg, 4.5},
    {"errtx on pane", &Theme::errtx, &Theme::pane, 4.5},
    {"warntx on warnbg", &Theme::warntx, &Theme::warnbg, 4.5},
    {"onacc on acc", &Theme::onacc, &Theme::acc, 4.5},
    {"onissue on acc", &Theme::onissue, &Theme::acc, 4.5},
    {"seltx on sel", &Theme::seltx, &Theme::sel, 4.5},
    {"tiptx on tip", &Theme::tiptx, &Theme::tip, 4.5},
    {"keyword on pane", &Theme::keyword, &Theme::pane, 4.5},
    {"type on pane", &Theme::type, &Theme::pane, 4.5},
    {"number on pane", &Theme::number, &Theme::pane, 4.5},
    {"builtin on pane", &Theme::builtin, &Theme::pane, 4.5},
    {"comment on pane", &Theme::comment, &Theme::pane, 4.5},
    {"comment on accbg", &Theme::comment, &Theme::accbg, 4.5},
    {"inbd on input", &Theme::inbd, &Theme::input, 3.0},
    {"acc on pane", &Theme::acc, &Theme::pane, 3.0},
    {"acc on alt", &Theme::acc, &Theme::alt, 3.0},
    {"err on pane", &Theme::err, &Theme::pane, 3.0},
    {"roofL2 on pane", &Theme::roofL2, &Theme::pane, 3.0},
    {"roofDram on pane", &Theme::roofDram, &Theme::pane, 3.0},
    {"roofShared on pane", &Theme::roofShared, &Theme::pane, 3.0},
};

} // namespace

TEST_CASE("text and marks stand out from their backgrounds in both themes", "[theme]") {
    for (const ThemeKind kind : {ThemeKind::Light, ThemeKind::Dark})
        for (const Pair& pair : kPairs) {
            const Theme& theme = Theme::of(kind);
            INFO((kind == ThemeKind::Light ? "light: " : "dark: ") << pair.name);
            CHECK(contrast(theme.*pair.ink, theme.*pair.ground) >= pair.least);
        }
}

TEST_CASE("every token of a theme has a colour, and the style sheet leaves none unresolved",
          "[theme]") {
    for (const ThemeKind kind : {ThemeKind::Light, ThemeKind::Dark}) {
        const Theme& theme = Theme::of(kind);
        for (const Pair& pair : kPairs) {
            CHECK((theme.*pair.ink).isValid());
            CHECK((theme.*pair.ground).isValid());
        }
        CHECK(theme.heat(0.2) == theme.heat1);
        CHECK(theme.heat(0.8) == theme.heat2);
        CHECK(theme.heat(1.0) == theme.heat3);
        CHECK(theme.laneTint(5) == theme.t1);
        CHECK_FALSE(theme.styleSheet().contains(QLatin1Char('@')));
    }
}

TEST_CASE("every texture has a pattern, not only a colour", "[theme]") {
    test::application();
    for (const Texture texture : {Texture::Waiting, Texture::Barrier, Texture::Done,
                                  Texture::Unused, Texture::InFlight, Texture::Landed}) {
        const QImage tile = Theme::light().brush(texture).texture().toImage();
        REQUIRE(tile.width() > 0);
        const QRgb corner = tile.pixel(0, 0);
        bool isPlain = true;
        for (int y = 0; y < tile.height(); ++y)
            for (int x = 0; x < tile.width(); ++x)
                isPlain = isPlain && tile.pixel(x, y) == corner;
        CHECK_FALSE(isPlain);
    }
}

} // namespace lanescope::views
