// SPDX-License-Identifier: GPL-3.0-or-later
#include <catch2/catch.hpp>

#include <memory>
#include <random>

#include <QAbstractItemModel>
#include <QApplication>
#include <QKeyEvent>
#include <QMouseEvent>

#include "engine/session/product_view.h"
#include "tests/views/fake_snapshot.h"
#include "tests/views_panes/support.h"
#include "views/panes/fragments/fragments_paint.h"
#include "views/panes/fragments/fragments_pane.h"

using namespace lanescope;
using namespace lanescope::views;
using namespace lanescope::views::test;

namespace {

/// Every eleventh of the shapes and types: painting all takes minutes.
std::vector<tensor::ProductKind> someKinds() {
    std::vector<tensor::ProductKind> out;
    const auto& all = tensor::productKinds();
    for (std::size_t i = 0; i < all.size(); i += 11)
        out.push_back(all[i]);
    return out;
}

session::FragmentView fragment(char matrix, std::shared_ptr<const tensor::FragmentMap> map, tensor::Element element, std::mt19937_64& random) {
    session::FragmentView view;
    view.matrix = matrix;
    view.map = std::move(map);
    view.element = element;
    for (int r = 0; r < view.map->registers(); ++r)
        view.registers.push_back(std::string(1, char(37)).append(1, char(matrix + 32)).append(std::to_string(r)));
    const int bits = tensor::bits(element);
    std::vector<std::uint64_t> byPosition(65536);
    for (std::uint64_t& v : byPosition)
        do
            v = random() & (bits == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1);
        while (!(std::abs(tensor::toDouble(element, v)) < 1e6));
    for (const std::uint16_t at : view.map->indices())
        view.values.push_back(byPosition[at]);
    return view;
}

std::shared_ptr<session::Snapshot> withProduct(tensor::Family family, const tensor::Shape& shape, tensor::Element ab, tensor::Element cd, int lane = 13) {
    std::mt19937_64 random(shape.m * 1000u + shape.k);
    auto snapshot = std::make_shared<session::Snapshot>(*fakeSnapshot());
    session::FrameView& frame = snapshot->frame;
    for (const auto& [name, operand, element] : {std::tuple{'C', tensor::Operand::C, cd}, std::tuple{'A', tensor::Operand::A, ab}, std::tuple{'B', tensor::Operand::B, ab}, std::tuple{'D', tensor::Operand::C, cd}})
        if (const auto map = tensor::findFragment(family, shape, operand, element, name == 'B'))
            frame.fragments.push_back(fragment(name, map, element, random));
    frame.fragmentsOf = session::FragmentsOf::Step;
    frame.fragmentPc = frame.pc;
    frame.fragmentEvent = frame.stepEvent;
    tensor::Product product{family, shape, ab, ab, cd, cd};
    product.operation = ab == tensor::Element::B1 ? tensor::BitOperation::XorPopc : tensor::BitOperation::None;
    frame.product = std::make_shared<const session::ProductView>(session::ProductView{product, {}});
    snapshot->selection.lane = lane;
    return snapshot;
}

std::shared_ptr<session::Snapshot> mma(int lane = 13) { return withProduct(tensor::Family::Mma, {16, 8, 16}, tensor::Element::F16, tensor::Element::F32, lane); }

} // namespace

TEST_CASE("Every shape is shown with every element at its lane", "[fragments]") {
    startApplication();
    for (const tensor::ProductKind& kind : someKinds()) {
        const auto snapshot = withProduct(kind.family, kind.shape, kind.ab.front(), kind.cd.back());
        INFO(tensor::toString(kind.shape) << " " << tensor::name(kind.ab.front()));
        const FragmentScene scene = makeFragmentScene(snapshot.get(), {}, {0, 0, 980, 420});
        REQUIRE(scene.grids.size() == 3);
        for (std::size_t g = 0; g < scene.grids.size(); ++g) {
            const FragmentGrid& grid = scene.grids[g];
            const tensor::FragmentMap& map = *grid.view->map;
            CHECK(grid.rows * grid.columns == map.rows() * map.columns() * map.tiles());
            for (int row = 0; row < grid.rows; ++row)
                for (int column = 0; column < grid.columns; ++column) {
                    const FragmentCell& cell = grid.cell(row, column);
                    const tensor::Position at = map.at({std::uint8_t(cell.lane), std::uint8_t(cell.part), std::uint16_t(cell.reg)});
                    REQUIRE(at.tile * map.rows() + at.row == row);
                    REQUIRE(at.column == column);
                    const FragmentElement found = scene.elementAt(scene.cellRect(grid, row, column).center());
                    if (scene.cellRect(grid, row, column).bottom() < scene.legendTop)
                        REQUIRE(found == FragmentElement{int(g), row, column});
                }
            std::size_t held = 0;
            for (int lane = 0; lane < map.lanes(); ++lane)
                held += scene.elementsOf(int(g), lane).size();
            CHECK(held == std::size_t(grid.rows * grid.columns));
        }
    }
}

TEST_CASE("The walk through an element adds every product and ends in the hardware's bits", "[fragments]") {
    startApplication();
    for (const tensor::ProductKind& kind : someKinds()) {
        const auto snapshot = withProduct(kind.family, kind.shape, kind.ab.front(), kind.cd.back());
        const QRectF rect(0, 0, 980, 420);
        const FragmentScene start = makeFragmentScene(snapshot.get(), {}, rect);
        INFO(tensor::toString(kind.shape) << " " << tensor::name(kind.ab.front()));
        REQUIRE(start.hasWalk);
        CHECK(start.walk.done.empty());
        FragmentChoice choice;
        choice.walkStep = start.walk.steps;
        const FragmentScene end = makeFragmentScene(snapshot.get(), choice, rect);
        CHECK(int(end.walk.done.size()) == kind.shape.k);
        choice.walkStep = 1;
        CHECK(makeFragmentScene(snapshot.get(), choice, rect).walk.done.size() == 1);
        choice.walkStep = 1 << 20;
        CHECK(makeFragmentScene(snapshot.get(), choice, rect).walk.text == end.walk.text);
        // Matrices put together from the lanes, multiplied whole.
        const session::ProductView& p = *snapshot->frame.product;
        if (kind.ab.front() == tensor::Element::F64)
            continue;
        const auto whole = [&](char name) {
            const FragmentGrid& grid = end.grids[std::size_t(end.gridOf(QLatin1Char(name)))];
            std::vector<std::uint32_t> out;
            for (const FragmentCell& cell : grid.cells)
                out.push_back(std::uint32_t(cell.raw));
            return out;
        };
        const auto a = whole('A'), b = whole('B'), c = whole('C');
        std::vector<std::uint32_t> d(c.size());
        tensor::Multiplier(p.product, p.generation).multiply(a.data(), b.data(), c.data(), d.data());
        const FragmentGrid& grid = end.grids[std::size_t(end.chosen.grid)];
        const double result = tensor::toDouble(kind.cd.back(), d[std::size_t(end.chosen.row * grid.columns + end.chosen.column)]);
        CHECK(end.walk.text.contains(QString::number(result, 'g', 9)));
    }
}

TEST_CASE("Names and values of a lane are those of the instruction", "[fragments]") {
    startApplication();
    const auto snapshot = mma();
    const FragmentScene scene = makeFragmentScene(snapshot.get(), {}, {0, 0, 980, 420});
    const auto rows = laneRows(scene, 13);
    REQUIRE(rows.size() == 16);
    CHECK(rows[0][0] == "a0");
    CHECK(rows[0][1] == "A[3][2]");
    CHECK(rows[0][2] == "%a0 [0]");
    CHECK(rows[7][1] == "A[11][11]");
    CHECK(rows[8][1] == "B[2][3]");
    CHECK(rows[11][1] == "B[11][3]");
    CHECK(rows[12][1] == "C[3][2]");
    CHECK(rows[15][1] == "C[11][3]");
    CHECK(scene.chosen == FragmentElement{2, 3, 2});
    CHECK(scene.lanesOfRow == 0xf000u);  // lanes 12 to 15
    CHECK(scene.lanesOfColumn == 0xf00u); // lanes 8 to 11
    CHECK(elementText(tensor::Element::F16, 0x3c00) == "1");
    CHECK(elementText(tensor::Element::F16, 0xb555, 4).size() <= 4);
    CHECK(elementText(tensor::Element::F32, 0x7f800000u, 4) == "inf");
    CHECK(elementText(tensor::Element::S8, 0xff) == "-1");
}

TEST_CASE("Fragment texts stay apart and inside where the pane is large enough", "[fragments]") {
    startApplication();
    for (const tensor::ProductKind& kind : someKinds())
        for (const FragmentMode mode : {FragmentMode::Lanes, FragmentMode::Registers, FragmentMode::Values}) {
            const auto snapshot = withProduct(kind.family, kind.shape, kind.ab.front(), kind.cd.back());
            FragmentChoice choice;
            choice.mode = mode;
            choice.walkStep = 3;
            const QSizeF wanted = makeFragmentScene(snapshot.get(), choice, {0, 0, 640, 300}).wanted;
            const QRectF rect(0, 0, std::max(640.0, wanted.width()), std::max(300.0, wanted.height()));
            const TextLog log = paintLogged(rect.size(), [&](Canvas& c) { paintFragments(c, makeFragmentScene(snapshot.get(), choice, rect)); });
            INFO(tensor::toString(kind.shape) << " " << tensor::name(kind.ab.front()) << " mode " << int(mode));
            CHECK(log.items.size() > 100);
            CHECK(overlapping(log).toStdString() == "");
        }
}

TEST_CASE("The matrices of ldmatrix stand beside each other", "[fragments]") {
    startApplication();
    std::mt19937_64 random(1);
    auto snapshot = std::make_shared<session::Snapshot>(*fakeSnapshot());
    auto program = std::make_shared<session::ProgramView>(*snapshot->program);
    program->instructions[snapshot->frame.pc].text = "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r1, %r2, %r3, %r4}, [%r9];";
    snapshot->program = program;
    snapshot->frame.fragmentPc = snapshot->frame.pc;
    snapshot->frame.fragmentEvent = snapshot->frame.stepEvent;
    snapshot->frame.fragmentsOf = session::FragmentsOf::Step;
    snapshot->frame.fragments.push_back(fragment('D', tensor::matrixFragment(4, false), tensor::Element::F16, random));
    const FragmentScene scene = makeFragmentScene(snapshot.get(), {}, {0, 0, 980, 300});
    REQUIRE(scene.grids.size() == 4);
    CHECK(scene.grids[2].rows == 8);
    CHECK(scene.grids[2].elementName(1, 3) == "D[17][3]");
    CHECK(scene.grids[2].cell(1, 3).lane == 5);
    CHECK(scene.grids[2].cell(1, 3).reg == 2);
    CHECK_FALSE(scene.hasWalk);
}

TEST_CASE("An instruction of another time is named as such, and none as none", "[fragments]") {
    startApplication();
    auto snapshot = mma();
    const auto& mine = snapshot->trace->eventsOfWarp[std::size_t(snapshot->frame.warp)];
    snapshot->frame.fragmentsOf = session::FragmentsOf::Earlier;
    snapshot->frame.fragmentEvent = mine.front();
    FragmentScene scene = makeFragmentScene(snapshot.get(), {}, {0, 0, 980, 300});
    CHECK(scene.note.contains("ago in this warp"));
    snapshot->frame.fragmentsOf = session::FragmentsOf::Later;
    snapshot->frame.fragmentEvent = mine.back();
    scene = makeFragmentScene(snapshot.get(), {}, {0, 0, 980, 300});
    CHECK(scene.note.contains("comes in"));
    snapshot->frame.fragments.clear();
    CHECK(makeFragmentScene(snapshot.get(), {}, {0, 0, 980, 300}).emptyText.contains("no matrix instruction"));
    CHECK(makeFragmentScene(nullptr, {}, {0, 0, 980, 300}).emptyText == "No kernel is open.");
}

TEST_CASE("The fragment panes paint, list, and answer mouse and keys", "[fragments]") {
    startApplication();
    Intents intents;
    std::unique_ptr<Pane> pane(makeFragmentsPane(&intents, nullptr)), side(makeLaneFragmentPane(&intents, nullptr));
    std::unique_ptr<QWidget> controls(pane->headerControls());
    pane->setSnapshot(fakeSnapshot());
    CHECK(pane->table()->rowCount() == 0);
    keep(picture(*pane, {982, 420}), "fragments_empty");
    pane->setSnapshot(mma());
    side->setSnapshot(mma());
    CHECK(pane->table()->rowCount() == 32 * 16);
    CHECK(side->table()->rowCount() == 16);
    for (const ThemeKind kind : {ThemeKind::Light, ThemeKind::Dark}) {
        const QImage image = picture(*pane, {982, 420}, kind);
        CHECK(inkedPixels(image) > 20000);
        keep(image, kind == ThemeKind::Dark ? "fragments_dark" : "fragments_light");
    }
    pane->resize(982, 420);
    int picked = -1;
    QObject::connect(&intents, &Intents::selectLane, [&](int lane) { picked = lane; });
    const FragmentScene scene = makeFragmentScene(mma().get(), {}, {0, 0, 982, 420});
    const QPointF at = scene.cellRect(scene.grids[1], 12, 5).center(); // B[12][5] is lane 22's b2
    QMouseEvent press(QEvent::MouseButtonPress, at, at, Qt::LeftButton, Qt::LeftButton, Qt::NoModifier);
    QApplication::sendEvent(pane.get(), &press);
    CHECK(picked == 22);
    // From that element one column to the right: groupID 6.
    QKeyEvent right(QEvent::KeyPress, Qt::Key_Right, Qt::NoModifier);
    QApplication::sendEvent(pane.get(), &right);
    CHECK(picked == 26);
    const QString before = pane->accessibleDescription();
    pane->setSnapshot(mma());
    QKeyEvent step(QEvent::KeyPress, Qt::Key_Return, Qt::NoModifier);
    QApplication::sendEvent(pane.get(), &step);
    CHECK(pane->accessibleDescription().contains("k = 0"));
    QKeyEvent back(QEvent::KeyPress, Qt::Key_Backspace, Qt::NoModifier);
    QApplication::sendEvent(pane.get(), &back);
    CHECK(pane->accessibleDescription().contains("starts at c"));
}

TEST_CASE("At the pane's least size no number is cut, and the last column can be reached", "[fragments]") {
    startApplication();
    const QRectF rect(0, 0, 420, 220);
    for (const tensor::ProductKind& kind : someKinds())
        for (const FragmentMode mode : {FragmentMode::Lanes, FragmentMode::Registers, FragmentMode::Values}) {
            const auto snapshot = withProduct(kind.family, kind.shape, kind.ab.front(), kind.cd.back());
            INFO(tensor::toString(kind.shape) << " " << tensor::name(kind.ab.front()) << " mode " << int(mode));
            FragmentChoice choice;
            choice.mode = mode;
            const FragmentScene start = makeFragmentScene(snapshot.get(), choice, rect);
            CHECK(clipped(paintLogged(rect.size(), [&](Canvas& c) { paintFragments(c, start); }), rect, true).toStdString() == "");
            choice.scroll.setX(std::max(0.0, std::floor(start.wanted.width() - rect.width())));
            const FragmentScene end = makeFragmentScene(snapshot.get(), choice, rect);
            const FragmentGrid& last = end.grids.back();
            CHECK(end.cellRect(last, 0, last.columns - 1).right() <= rect.right());
            const TextLog log = paintLogged(rect.size(), [&](Canvas& c) { paintFragments(c, end); });
            CHECK(clipped(log, rect, true).toStdString() == "");
            if (mode == FragmentMode::Values) {
                const QRectF cell = end.cellRect(last, 0, last.columns - 1);
                CHECK(std::any_of(log.items.begin(), log.items.end(), [&](const TextItem& item) { return cell.contains(item.bounds.center()); }));
            }
        }
}

TEST_CASE("wgmma: a warp's rows of D by lane, its operands by the bytes that the descriptors name", "[fragments]") {
    startApplication();
    std::mt19937_64 random(7);
    auto snapshot = std::make_shared<session::Snapshot>(*fakeSnapshot());
    session::FrameView& frame = snapshot->frame;
    const tensor::Shape shape{16, 64, 16};
    const auto map = tensor::findFragment(tensor::Family::Wgmma, shape, tensor::Operand::C, tensor::Element::F32, false);
    REQUIRE(map);
    for (const char name : {'C', 'D'})
        frame.fragments.push_back(fragment(name, map, tensor::Element::F32, random));
    frame.fragmentsOf = session::FragmentsOf::Step;
    frame.fragmentPc = frame.pc;
    frame.fragmentEvent = frame.stepEvent;
    frame.warp = 5; // the second of its warpgroup
    session::ProductView product;
    product.product = {tensor::Family::Wgmma, shape, tensor::Element::F16, tensor::Element::F16, tensor::Element::F32, tensor::Element::F32};
    product.isWarpgroup = true;
    session::SharedOperandView a, b;
    a.matrix = 'A';
    a.rows = a.columns = 16;
    a.firstRow = 16;
    a.descriptor = {1024, 16, 1024, 0, tensor::SwizzleMode::Bytes128};
    b.rows = 16;
    b.columns = 64;
    b.isMnMajor = true;
    b.descriptor = {17408, 8192, 1024, 0, tensor::SwizzleMode::Bytes128};
    product.shared = {a, b};
    frame.product = std::make_shared<const session::ProductView>(product);
    snapshot->selection.lane = 13;
    const QRectF rect(0, 0, 1000, 420);
    const FragmentScene scene = makeFragmentScene(snapshot.get(), {}, rect);
    REQUIRE(scene.grids.size() == 1); // C is the same registers
    const FragmentGrid& d = scene.grids[0];
    CHECK(d.matrix == QLatin1Char('D'));
    CHECK(d.rows == 16);
    CHECK(d.columns == 64);
    // PTX ISA, wgmma: register i of a lane is row lane / 4 + 8 (i / 2 % 2), column 8 (i / 4) + 2 (lane % 4) + i % 2, of the warp's 16 rows.
    const auto mine = scene.elementsOf(0, 13);
    REQUIRE(mine.size() == 32);
    for (int i = 0; i < 32; ++i) {
        CHECK(mine[std::size_t(i)].row == 13 / 4 + 8 * (i / 2 % 2));
        CHECK(mine[std::size_t(i)].column == 8 * (i / 4) + 2 * (13 % 4) + i % 2);
        CHECK(d.cell(mine[std::size_t(i)].row, mine[std::size_t(i)].column).reg == i);
    }
    CHECK(laneRows(scene, 13)[2][1] == "D[27][2]");
    CHECK(laneRows(scene, 13)[2][2] == "%d2");
    // Row 19 of A: rows of 128 bytes in groups of eight, 1,024 bytes apart; its chunks 0 and 1 are moved by XOR with row 3 of the pattern.
    CHECK(a.addressOf(3, 0) == 1024 + 2 * 1024 + 3 * 128 + (0 ^ 3) * 16);
    CHECK(a.addressOf(3, 15) == 1024 + 2 * 1024 + 3 * 128 + (1 ^ 3) * 16 + 14);
    // Column 2 of B at k = 9: N-major, k in rows.
    CHECK(b.addressOf(9, 2) == 17408 + 1024 + 128 + (0 ^ 1) * 16 + 4);
    CHECK_FALSE(scene.hasWalk);
    REQUIRE(scene.shared.size() == 3);
    CHECK(scene.shared[0].startsWith("A: 16 × 16, K-major, in bytes 3,072–5,119 of shared memory"));
    CHECK(scene.shared[0].contains("start 1,024, leading 16, stride 1,024, 128-byte swizzle"));
    CHECK(scene.shared[1].startsWith("B: 16 × 64, N-major, in bytes 17,408–19,455"));
    CHECK(scene.shared[2].startsWith("D[19][2] is made of A[19][k] at 3,504–3,519, 3,488–3,503 and B[k][2] at 17,412–17,413"));
    for (const QRectF& at : {rect, QRectF(0, 0, 420, 220), QRectF(0, 0, 1500, 700)}) {
        const FragmentScene s = makeFragmentScene(snapshot.get(), {}, at);
        const TextLog log = paintLogged(at.size(), [&](Canvas& c) { paintFragments(c, s); });
        CHECK(clipped(log, at, true).toStdString() == "");
        CHECK(std::any_of(log.items.begin(), log.items.end(), [](const TextItem& item) { return item.text.startsWith("A: 16 × 16"); }));
    }
}
