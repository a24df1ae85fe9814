// SPDX-License-Identifier: GPL-3.0-or-later
// The pane of the SM's timing: bars that add up, causes, figures that can be edited.
#include <catch2/catch.hpp>

#include <QAbstractButton>
#include <QLabel>
#include <QTableView>

#include <cmath>

#include "tests/views_panes/support.h"
#include "views/export/warp_states.h"
#include "views/panes/timing/figures_model.h"
#include "views/panes/timing/timing_pane.h"
#include "views/panes/timing/timing_scene.h"

using namespace lanescope;
using namespace lanescope::views;
using namespace lanescope::views::test;

namespace {

SnapshotPtr timedSnapshot(const timing::Overrides& figures = {}) {
    session::SessionOptions options;
    options.deviceId = "h200";
    session::Session session(std::move(options));
    session.setTimingWanted(true);
    session.setTimingFigures(figures);
    session.openKernel("k03_shared", {});
    session.select({{0, 0, 0}, 3, 5});
    const auto opened = session.snapshot();
    return session.seek(std::uint32_t(opened->trace->events.size() / 2));
}

} // namespace

TEST_CASE("the bars of the SM and of the warp each add up to all of the time", "[timing]") {
    const SnapshotPtr s = timedSnapshot();
    REQUIRE(s->timing);
    const TimingScene scene = timingScene(s.get());
    CHECK(scene.problem.isEmpty());
    CHECK(scene.warp == 3);
    double sm = 0, warp = 0;
    std::uint64_t cycles = 0;
    for (const StallRow& row : scene.rows) {
        CHECK(row.state != timing::WarpState::Done);
        sm += row.sm;
        warp += row.warp;
        cycles += row.warpCycles;
    }
    CHECK(sm == Approx(1));
    CHECK(warp == Approx(1));
    CHECK(cycles == s->timing->sm.warps[std::size_t(smWarp(*s->timing, 3))].end);
    CHECK(scene.facts.front().contains(grouped(s->timing->sm.cycles)));
    REQUIRE_FALSE(scene.why.isEmpty());
    CHECK(scene.why.front().startsWith(QStringLiteral("Warp 3 at cycle ")));
    // A moment in which it waits for memory names the load.
    const auto intervals = s->timing->sm.intervals(std::uint32_t(smWarp(*s->timing, 3)));
    const auto wait = std::find_if(intervals.begin(), intervals.end(), [](const auto& i) { return i.state == timing::WarpState::LongScoreboard && i.end - i.begin > 50; });
    REQUIRE(wait != intervals.end());
    const auto& issues = s->timing->sm.issueOfEvent;
    for (std::uint32_t e = 0; e < issues.size(); ++e) {
        const std::uint32_t cycle = cycleOf(*s->timing, e);
        if (cycle <= wait->begin || cycle >= wait->end)
            continue;
        auto then = std::make_shared<session::Snapshot>(*s);
        then->frame.index = e;
        const TimingScene waiting = timingScene(then.get());
        CHECK(waiting.isWaiting);
        REQUIRE(waiting.why.size() >= 2);
        CHECK(waiting.why[0].contains(QStringLiteral("long scoreboard")));
        CHECK(waiting.why[1].contains(QStringLiteral("waits for the result of ld")));
        break;
    }
}

TEST_CASE("the painted half is legible at the sizes of the page, and says why there is nothing", "[timing]") {
    startApplication();
    const SnapshotPtr s = timedSnapshot();
    for (const QSizeF size : {QSizeF(330, 250), QSizeF(520, 330), QSizeF(820, 420)})
        for (const ThemeKind kind : {ThemeKind::Light, ThemeKind::Dark}) {
            const TextLog log = paintLogged(size, [&](Canvas& c) { paintTiming(c, QRectF({0, 0}, size), timingScene(s.get())); }, kind);
            CHECK(overlapping(log).toStdString() == "");
            CHECK(clipped(log, QRectF({0, 0}, size), true).toStdString() == "");
            CHECK(log.contains(QStringLiteral("Long scoreboard")));
        }
    auto without = std::make_shared<session::Snapshot>(*s);
    without->timing.reset();
    without->timingProblem = "a block does not fit on an SM";
    CHECK(timingScene(without.get()).problem == QStringLiteral("a block does not fit on an SM"));
    CHECK_FALSE(timingScene(nullptr).problem.isEmpty());
}

TEST_CASE("a figure is edited, marked, refused out of its range, and set back", "[timing]") {
    startApplication();
    Intents intents;
    std::unique_ptr<Pane> pane(makeTimingPane(&intents, nullptr));
    std::unique_ptr<QWidget> controls(pane->headerControls());
    pane->setTheme(Theme::light());
    pane->resize(900, 320);
    std::vector<QString> wants;
    QObject::connect(&intents, &Intents::wantTiming, [&](const QString& who, bool on) { wants.push_back(who + (on ? QStringLiteral("+") : QStringLiteral("-"))); });
    timing::Overrides asked;
    int times = 0;
    QObject::connect(&intents, &Intents::setTimingFigures, [&](const timing::Overrides& figures) {
        asked = figures;
        ++times;
    });
    pane->show();
    pane->setSnapshot(timedSnapshot());
    CHECK(wants == std::vector<QString>{QStringLiteral("timing+")});
    auto* view = pane->findChild<QTableView*>(QStringLiteral("timing.figures"));
    REQUIRE(view);
    auto* model = qobject_cast<FiguresModel*>(view->model());
    REQUIRE(model);
    REQUIRE(model->rowCount() > 20);
    int row = 0;
    while (model->figure(row).key != "issue_latency_l2")
        REQUIRE(++row < model->rowCount());
    const QModelIndex value = model->index(row, FiguresModel::kValue);
    CHECK((model->flags(value) & Qt::ItemIsEditable) != 0);
    CHECK((model->flags(model->index(row, FiguresModel::kSource)) & Qt::ItemIsEditable) == 0);
    CHECK_FALSE(model->index(row, FiguresModel::kSource).data().toString().isEmpty());
    auto* note = pane->findChild<QLabel*>(QStringLiteral("timing.note"));
    REQUIRE(note);
    for (const char* bad : {"-5", "many", "1e9", ""}) {
        CHECK_FALSE(model->setData(value, QLatin1String(bad), Qt::EditRole));
        CHECK(note->isVisible());
        CHECK(note->text().contains(QStringLiteral("issue_latency_l2")));
    }
    CHECK(times == 0);
    CHECK(model->setData(value, QStringLiteral("555"), Qt::EditRole));
    CHECK(times == 1);
    CHECK(asked == timing::Overrides{{"issue_latency_l2", 555}});
    CHECK_FALSE(note->isVisible());
    auto* reset = qobject_cast<QAbstractButton*>(controls.get());
    REQUIRE(reset);
    CHECK_FALSE(reset->isEnabled());
    pane->setSnapshot(timedSnapshot(asked));
    CHECK(reset->isEnabled());
    CHECK(pane->context().contains(QStringLiteral("1 figure changed")));
    CHECK(value.data(Qt::FontRole).value<QFont>().bold());
    CHECK(value.data(Qt::ToolTipRole).toString().contains(QStringLiteral("changed: the GPU's own is ")));
    keep(pane->grab().toImage(), QStringLiteral("timing-changed"));
    // Its own value typed in is no change any more.
    CHECK(model->setData(value, QString::number(*model->figure(row).published), Qt::EditRole));
    CHECK(asked.empty());
    reset->click();
    CHECK(times == 3);
    CHECK(asked.empty());
    // The table of the export has both halves.
    const QAbstractItemModel* table = pane->table();
    CHECK(table->rowCount() > model->rowCount());
    pane->hide();
    CHECK(wants.back() == QStringLiteral("timing-"));
}
