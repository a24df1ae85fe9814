// SPDX-License-Identifier: GPL-3.0-or-later
// Colour tokens, fonts and textures. The only place where a colour or a font is named; everything
// painted takes a Theme.
#pragma once

#include <QBrush>
#include <QColor>
#include <QFont>
#include <QString>

namespace lanescope::views {

enum class ThemeKind { Light, Dark };

/// Patterns that go with a colour so that no state is told by colour alone.
enum class Texture { Waiting, Barrier, Done, Unused, InFlight, Landed };

struct Theme {
    ThemeKind kind = ThemeKind::Light;
    QColor win, hdr, pane, alt, input, btn, inbd, btnbd, line, line2, grid;
    QColor tx, tx2, tx3, dis;
    QColor acc, acctx, accbg, accbd, onacc, onissue;
    QColor ok, oktx, okbg;
    QColor wait, waitbg, waithatch, warntx, warnbg;
    QColor bar, barbg, barhatch, done, donehatch;
    QColor err, errtx, errbg;
    QColor sel, seltx, selln, selbg;
    QColor t0, t1, t2, t3;
    QColor heat1, heat2, heat3;
    QColor keyword, type, number, builtin, comment;
    QColor roofCompute, roofShared, roofL2, roofDram;
    QColor tip, tiptx;   ///< tooltips painted by panes: tx on pane inverted
    QColor cell, cellln; ///< empty cells of grids and their lines

    static const Theme& light();
    static const Theme& dark();
    static const Theme& of(ThemeKind kind) { return kind == ThemeKind::Light ? light() : dark(); }

    /// Inter at this pixel size (fallback: the system's sans serif), and JetBrains Mono with
    /// ligatures off. Qt takes whole pixels: a half is rounded down, but never below 10.
    static QFont ui(double px, int weight = QFont::Normal);
    static QFont mono(double px, int weight = QFont::Normal);
    /// The texture in this theme's colours as a tiled brush for the device's pixel ratio.
    QBrush brush(Texture texture, double devicePixelRatio = 1.0) const;
    /// Colours of the gutter by share of the maximum, 0..1: <= 30 %, <= 80 %, above.
    const QColor& heat(double share) const {
        return share > 0.8 ? heat3 : share > 0.3 ? heat2 : heat1;
    }
    /// Lane tint by lane mod 4.
    const QColor& laneTint(int lane) const;
    /// Style sheet and palette for the standard widgets.
    QString styleSheet() const;
    class QPalette palette() const;
};

} // namespace lanescope::views
