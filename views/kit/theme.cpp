// SPDX-License-Identifier: GPL-3.0-or-later
// The two themes' colours, the fonts and the textures.
#include "views/kit/theme.h"

#include <QPainter>
#include <QPixmap>
#include <QStringList>
#include <QTransform>

#include <algorithm>
#include <cmath>

namespace lanescope::views {

namespace {

struct Token {
    QColor Theme::*member;
    const char* light;
    const char* dark;
};

constexpr Token kTokens[] = {
    {&Theme::win, "#ECEFF2", "#14171A"},        {&Theme::hdr, "#E3E8EC", "#262B31"},
    {&Theme::pane, "#FFFFFF", "#1C2024"},       {&Theme::alt, "#F6F8FA", "#22272C"},
    {&Theme::input, "#FFFFFF", "#15181B"},      {&Theme::btn, "#F8FAFB", "#2A3036"},
    {&Theme::inbd, "#8A96A2", "#6C7884"},       {&Theme::btnbd, "#B3BDC6", "#47515B"},
    {&Theme::line, "#D2D8DE", "#343B43"},       {&Theme::line2, "#AAB4BE", "#57626D"},
    {&Theme::grid, "#E4E8EC", "#2C3239"},       {&Theme::tx, "#182029", "#E9EDF1"},
    {&Theme::tx2, "#414D59", "#BAC4CD"},        {&Theme::tx3, "#566370", "#95A1AC"},
    {&Theme::dis, "#98A2AC", "#626D78"},        {&Theme::acc, "#0072B2", "#56B4E9"},
    {&Theme::acctx, "#00629A", "#7CC6F0"},      {&Theme::accbg, "#DCECF7", "#163A52"},
    {&Theme::accbd, "#86BBDD", "#2F6F97"},      {&Theme::onacc, "#FFFFFF", "#0B1A24"},
    {&Theme::onissue, "#FFFFFF", "#08202E"},    {&Theme::ok, "#009E73", "#2CC295"},
    {&Theme::oktx, "#00704F", "#4AD3AA"},       {&Theme::okbg, "#DDF2EA", "#12372C"},
    {&Theme::wait, "#E69F00", "#E69F00"},       {&Theme::waitbg, "#FBE2AE", "#4A370D"},
    {&Theme::waithatch, "#BD7F00", "#C58A08"},  {&Theme::warntx, "#7A5300", "#F2B738"},
    {&Theme::warnbg, "#FDF1D3", "#3B2C0A"},     {&Theme::bar, "#CC79A7", "#D58FB6"},
    {&Theme::barbg, "#EBC6DB", "#4D2A3F"},      {&Theme::barhatch, "#A2437A", "#D58FB6"},
    {&Theme::done, "#E4E8EB", "#2B3137"},       {&Theme::donehatch, "#98A2AC", "#6B7681"},
    {&Theme::err, "#D55E00", "#F0803C"},        {&Theme::errtx, "#A84600", "#FF9A5C"},
    {&Theme::errbg, "#FBE8DC", "#43240F"},      {&Theme::sel, "#F0E442", "#F0E442"},
    {&Theme::seltx, "#1A1800", "#1A1800"},      {&Theme::selln, "#6A6000", "#F0E442"},
    {&Theme::selbg, "#FFF7B8", "#3E3A12"},      {&Theme::t0, "#D5E7F5", "#1F3547"},
    {&Theme::t1, "#D6EFE4", "#173B31"},         {&Theme::t2, "#F5DDEA", "#40293A"},
    {&Theme::t3, "#F6EBC6", "#3C3217"},         {&Theme::heat1, "#FDEBDB", "#3A2A1D"},
    {&Theme::heat2, "#F8D0AE", "#5C3B20"},      {&Theme::heat3, "#EFA873", "#8A5226"},
    {&Theme::keyword, "#7A3E9D", "#CFA0E8"},    {&Theme::type, "#00629A", "#7CC6F0"},
    {&Theme::number, "#9A4A00", "#F2B07A"},     {&Theme::builtin, "#00704F", "#4AD3AA"},
    {&Theme::comment, "#566370", "#97A3AE"},    {&Theme::roofCompute, "#182029", "#E9EDF1"},
    {&Theme::roofShared, "#009E73", "#2CC295"}, {&Theme::roofL2, "#A87200", "#E69F00"},
    {&Theme::roofDram, "#D55E00", "#F0803C"},   {&Theme::tip, "#182029", "#E9EDF1"},
    {&Theme::tiptx, "#FFFFFF", "#14171A"},      {&Theme::cell, "#F0F3F5", "#272D34"},
    {&Theme::cellln, "#C5CDD5", "#1C2024"},
};

Theme makeTheme(ThemeKind kind) {
    Theme theme;
    theme.kind = kind;
    for (const Token& token : kTokens)
        theme.*token.member =
            QColor(QLatin1String(kind == ThemeKind::Light ? token.light : token.dark));
    return theme;
}

QFont fontOf(const QStringList& families, double px, int weight) {
    QFont font;
    font.setFamilies(families);
    font.setPixelSize(std::max(10, static_cast<int>(std::ceil(px - 0.5))));
    font.setWeight(static_cast<QFont::Weight>(weight));
    return font;
}

/// What one tile of a texture holds: stripes turned by an angle, or a dot.
struct TileShape {
    double period;
    double stripe; ///< width of a stripe, 0: a dot
    double angle;  ///< degrees
    double dotRadius;
};

TileShape shapeOf(Texture texture) {
    switch (texture) {
    case Texture::Waiting:
        return {6, 2.2, 45, 0};
    case Texture::Barrier:
        return {5, 2, 0, 0};
    case Texture::Done:
        return {6, 0, 0, 0.9};
    case Texture::Unused:
        return {5, 1.2, 45, 0};
    case Texture::InFlight:
        return {7, 2, -45, 0};
    case Texture::Landed:
        return {6, 0, 0, 0.9};
    }
    return {6, 2, 0, 0};
}

} // namespace

const Theme& Theme::light() {
    static const Theme theme = makeTheme(ThemeKind::Light);
    return theme;
}

const Theme& Theme::dark() {
    static const Theme theme = makeTheme(ThemeKind::Dark);
    return theme;
}

QFont Theme::ui(double px, int weight) {
    return fontOf({QStringLiteral("Inter"), QStringLiteral("DejaVu Sans"),
                   QStringLiteral("Noto Sans CJK SC")},
                  px, weight);
}

QFont Theme::mono(double px, int weight) {
    QFont font =
        fontOf({QStringLiteral("JetBrains Mono"), QStringLiteral("DejaVu Sans Mono")}, px, weight);
    font.setStyleHint(QFont::Monospace);
    // JetBrains Mono joins "!=" and "->" by contextual alternates; code must show what is typed.
    font.setStyleStrategy(QFont::PreferNoShaping);
    return font;
}

const QColor& Theme::laneTint(int lane) const {
    const QColor* const tints[] = {&t0, &t1, &t2, &t3};
    return *tints[lane & 3];
}

QBrush Theme::brush(Texture texture, double devicePixelRatio) const {
    QColor ground, ink;
    switch (texture) {
    case Texture::Waiting:
        ground = waitbg, ink = waithatch;
        break;
    case Texture::Barrier:
        ground = barbg, ink = barhatch;
        break;
    case Texture::Done:
        ground = done, ink = donehatch;
        break;
    case Texture::Unused:
        ground = accbg, ink = accbd;
        break;
    case Texture::InFlight:
        ground = okbg, ink = ok;
        break;
    case Texture::Landed:
        ground = okbg, ink = oktx;
        break;
    }
    const TileShape shape = shapeOf(texture);
    // A tile must repeat: turned stripes repeat after period * sqrt(2) along both axes, which is
    // rounded to whole pixels.
    const bool turned = shape.angle != 0;
    const double side =
        turned ? std::round(shape.period * std::sqrt(2.0) * devicePixelRatio) / devicePixelRatio
               : shape.period;
    const int pixels = std::max(1, static_cast<int>(std::lround(side * devicePixelRatio)));
    QPixmap tile(pixels, pixels);
    tile.setDevicePixelRatio(devicePixelRatio);
    tile.fill(ground);
    QPainter painter(&tile);
    painter.setRenderHint(QPainter::Antialiasing, turned || shape.stripe == 0);
    if (shape.stripe == 0) {
        painter.setPen(Qt::NoPen);
        painter.setBrush(ink);
        painter.drawEllipse(QPointF(side / 2, side / 2), shape.dotRadius, shape.dotRadius);
    } else if (!turned) {
        painter.fillRect(QRectF(0, 0, shape.stripe, side), ink);
    } else {
        painter.setPen(QPen(ink, shape.stripe, Qt::SolidLine, Qt::FlatCap));
        const double sign = shape.angle > 0 ? 1 : -1;
        for (int i = -1; i <= 1; ++i) {
            const double x = side / 2 + i * side;
            painter.drawLine(QPointF(x - sign * side, side * 1.5),
                             QPointF(x + sign * side, -side / 2));
        }
    }
    painter.end();
    return QBrush(tile);
}

} // namespace lanescope::views
