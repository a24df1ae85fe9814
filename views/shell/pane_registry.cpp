// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/shell/pane_registry.h"

#include "views/panes/banks/banks_pane.h"
#include "views/panes/counters/counters_pane.h"
#include "views/panes/course/course_pane.h"
#include "views/panes/feeding/feeding_pane.h"
#include "views/panes/findings/findings_pane.h"
#include "views/panes/fragments/fragments_pane.h"
#include "views/panes/lesson/lesson_pane.h"
#include "views/panes/map/map_pane.h"
#include "views/panes/parameters/parameters_pane.h"
#include "views/panes/pipeline/pipeline_pane.h"
#include "views/panes/registers/registers_pane.h"
#include "views/panes/source/source_pane.h"
#include "views/panes/swizzle/swizzle_pane.h"
#include "views/panes/timing/timing_pane.h"
#include "views/panes/transport/transport_pane.h"
#include "views/panes/roofline/roofline_pane.h"
#include "views/panes/occupancy/occupancy_pane.h"
#include "views/panes/ladder/ladder_pane.h"
#include "views/panes/models/models_pane.h"
#include "views/panes/sweep/sweep_pane.h"
#include "views/panes/waves/waves_pane.h"
#include "views/panes/kernels/kernels_pane.h"
#include "views/panes/reading/reading_pane.h"
#include "views/panes/runsetup/runsetup_pane.h"

namespace lanescope::views {

namespace {

template <class P>
PaneFactory make() {
    return [](Intents* intents, QWidget* parent) -> Pane* { return new P(intents, parent); };
}

template <class P>
PaneFactory makeWith(LessonModel* lessons) {
    return [lessons](Intents* intents, QWidget* parent) -> Pane* {
        return new P(lessons, intents, parent);
    };
}

} // namespace

std::vector<PaneEntry> paneRegistry(LessonModel* lessons) {
    return {
        {QStringLiteral("course"), Page::Stepper, Place::Left, makeWith<CoursePane>(lessons)},
        {QStringLiteral("lesson"), Page::Stepper, Place::LeftLower, makeWith<LessonPane>(lessons)},
        {QStringLiteral("source"), Page::Stepper, Place::Centre, make<SourcePane>()},
        {QStringLiteral("map"), Page::Stepper, Place::CentreLower, makeMapPane},
        {QStringLiteral("banks"), Page::Stepper, Place::CentreLower, makeBanksPane},
        {QStringLiteral("fragments"), Page::Stepper, Place::CentreLower, makeFragmentsPane},
        {QStringLiteral("swizzle"), Page::Stepper, Place::CentreLower, makeSwizzlePane},
        {QStringLiteral("pipeline"), Page::Stepper, Place::CentreLower, makePipelinePane},
        {QStringLiteral("timing"), Page::Stepper, Place::CentreLower, makeTimingPane},
        {QStringLiteral("parameters"), Page::Stepper, Place::Right, make<ParametersPane>()},
        {QStringLiteral("counters"), Page::Stepper, Place::RightMiddle, make<CountersPane>()},
        {QStringLiteral("registers"), Page::Stepper, Place::RightMiddle, make<RegistersPane>()},
        {QStringLiteral("lanefragment"), Page::Stepper, Place::RightMiddle, makeLaneFragmentPane},
        {QStringLiteral("findings"), Page::Stepper, Place::RightLower, make<FindingsPane>()},
        {QStringLiteral("transport"), Page::Stepper, Place::Bottom, makeTransportPane},
        {QStringLiteral("runsetup"), Page::Performance, Place::Left, makeRunSetupPane},
        {QStringLiteral("kernels"), Page::Performance, Place::LeftLower, makeKernelsPane},
        // A lesson's step may stand on this page.
        {QStringLiteral("lesson.performance"), Page::Performance, Place::LeftLower,
         [lessons](Intents* intents, QWidget* parent) -> Pane* {
             auto* pane = new LessonPane(lessons, intents, parent);
             pane->setName(QStringLiteral("lesson.performance"), pane->title());
             return pane;
         }},
        {QStringLiteral("reading"), Page::Performance, Place::RightLower, makeReadingPane},
        {QStringLiteral("roofline"), Page::Performance, Place::Centre, makeRooflinePane},
        {QStringLiteral("sweep"), Page::Performance, Place::Centre, makeSweepPane},
        {QStringLiteral("occupancy"), Page::Performance, Place::CentreLower, makeOccupancyPane},
        {QStringLiteral("models"), Page::Performance, Place::CentreLower, makeModelsPane},
        {QStringLiteral("feeding"), Page::Performance, Place::CentreLower, makeFeedingPane},
        {QStringLiteral("waves"), Page::Performance, Place::Right, makeWavesPane},
        {QStringLiteral("ladder"), Page::Performance, Place::Right, makeLadderPane},
    };
}

} // namespace lanescope::views
