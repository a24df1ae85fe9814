// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/options.h"

#include <QCommandLineParser>

#include <cstdio>

namespace lanescope::gui {

namespace {

constexpr int kUsage = 2;

ParseResult wrong(const QString& message) {
    std::fprintf(stderr, "lanescope-gui: %s\nTry lanescope-gui --help\n", qPrintable(message));
    return {std::nullopt, kUsage};
}

} // namespace

ParseResult parseOptions(const QStringList& arguments) {
    QCommandLineParser parser;
    parser.setApplicationDescription(
        QStringLiteral("Lanescope shows what every lane of a CUDA kernel does.\n\nExamples:\n"
                       "  lanescope-gui --lesson naive-vs-coalesced\n"
                       "  lanescope-gui --file mine.cu --theme dark\n"
                       "  lanescope-gui --demo out\n"
                       "  lanescope-gui --export roofline --gpu rtx-a6000 --out roofline.svg"));
    const QCommandLineOption help = parser.addHelpOption();
    const QCommandLineOption version({QStringLiteral("version")},
                                     QStringLiteral("Prints the version."));
    const QCommandLineOption lesson(QStringLiteral("lesson"), QStringLiteral("Opens this lesson."),
                                    QStringLiteral("ID"));
    const QCommandLineOption kernel(
        QStringLiteral("kernel"),
        QStringLiteral("Opens this kernel; with --export, models it (may be repeated)."),
        QStringLiteral("ID"));
    const QCommandLineOption file(QStringLiteral("file"),
                                  QStringLiteral("Opens a .cu or .ptx file."),
                                  QStringLiteral("PATH"));
    const QCommandLineOption theme(QStringLiteral("theme"), QStringLiteral("light or dark."),
                                   QStringLiteral("NAME"));
    const QCommandLineOption size(QStringLiteral("size"),
                                  QStringLiteral("Size of the window in pixels."),
                                  QStringLiteral("WxH"));
    const QCommandLineOption screenshot(
        QStringLiteral("screenshot"),
        QStringLiteral("Writes a picture of the window, with no display, and ends."),
        QStringLiteral("FILE.png"));
    const QCommandLineOption demo(QStringLiteral("demo"),
                                  QStringLiteral("Plays the first lesson with no display and "
                                                 "leaves pictures and charts in this folder."),
                                  QStringLiteral("FOLDER"));
    const QCommandLineOption chart(
        QStringLiteral("export"),
        QStringLiteral("Writes a chart and ends: roofline, occupancy, waves, sweep or ladder."),
        QStringLiteral("CHART"));
    const QCommandLineOption over(
        QStringLiteral("over"),
        QStringLiteral("With --export sweep: a parameter to sweep (twice: columns, rows)."),
        QStringLiteral("NAME"));
    const QCommandLineOption gpu(QStringLiteral("gpu"),
                                 QStringLiteral("GPU to model, h100 when not given."),
                                 QStringLiteral("ID"));
    const QCommandLineOption form(QStringLiteral("as"),
                                  QStringLiteral("PTX as written or as compiled by ptxas."),
                                  QStringLiteral("FORM"));
    const QCommandLineOption step(QStringLiteral("step"),
                                  QStringLiteral("With --lesson: the step to open, from 1."),
                                  QStringLiteral("N"));
    const QCommandLineOption out(
        QStringLiteral("out"),
        QStringLiteral("File of the chart: .svg, .png, .pdf, .csv or .json."),
        QStringLiteral("FILE"));
    const QCommandLineOption measured(QStringLiteral("measured"),
                                      QStringLiteral("Points saved by lanescope run, sweep or ladder, drawn over the models (may be repeated)."),
                                      QStringLiteral("FILE.json"));
    const QCommandLineOption counters(QStringLiteral("ncu"),
                                      QStringLiteral("What ncu --csv --page raw printed: the hardware's counters beside ours."),
                                      QStringLiteral("FILE.csv"));
    const QCommandLineOption pane(QStringLiteral("pane"), QStringLiteral("Brings a pane to the front: roofline, ladder, sweep, counters, ..."), QStringLiteral("ID"));
    const QCommandLineOption noSettings(
        QStringLiteral("no-settings"),
        QStringLiteral("Neither reads nor writes the user's settings."));
    parser.addOptions({version, lesson, step, kernel, file, theme, size, screenshot, demo, chart, over,
                       gpu, form, out, measured, counters, pane, noSettings});
    if (!parser.parse(arguments))
        return wrong(parser.errorText());
    if (parser.isSet(help)) {
        std::fputs(qPrintable(parser.helpText()), stdout);
        return {};
    }
    if (parser.isSet(version)) {
        std::puts("lanescope-gui " LANESCOPE_VERSION);
        return {};
    }
    if (!parser.positionalArguments().isEmpty())
        return wrong(QStringLiteral("unexpected \"%1\"; a file is opened with --file")
                         .arg(parser.positionalArguments().front()));
    Options options;
    options.lesson = parser.value(lesson);
    options.kernels = parser.values(kernel);
    options.kernel = options.kernels.value(0);
    options.file = parser.value(file);
    options.theme = parser.value(theme);
    options.screenshot = parser.value(screenshot);
    options.demoFolder = parser.value(demo);
    options.chart = parser.value(chart);
    options.out = parser.value(out);
    options.over = parser.values(over);
    options.measured = parser.values(measured);
    options.counters = parser.value(counters);
    options.pane = parser.value(pane);
    if (parser.isSet(form)) {
        const QString name = parser.value(form);
        if (name == QLatin1String("compiled"))
            options.form = session::CodeForm::Compiled;
        else if (name == QLatin1String("written"))
            options.form = session::CodeForm::Written;
        else
            return wrong(QStringLiteral("--as is written or compiled, not \"%1\"").arg(name));
    }
    if (parser.isSet(step)) {
        bool isNumber = false;
        options.step = parser.value(step).toInt(&isNumber);
        if (!isNumber || options.step < 1)
            return wrong(QStringLiteral("--step is a number from 1, not \"%1\"").arg(parser.value(step)));
    }
    options.useSettings = !parser.isSet(noSettings);
    if (parser.isSet(gpu))
        options.gpu = parser.value(gpu);
    if (!options.theme.isEmpty() && options.theme != QLatin1String("light") &&
        options.theme != QLatin1String("dark"))
        return wrong(QStringLiteral("--theme is light or dark, not \"%1\"").arg(options.theme));
    if (parser.isSet(size)) {
        const QStringList parts = parser.value(size).toLower().split(QLatin1Char('x'));
        options.size = parts.size() == 2 ? QSize(parts[0].toInt(), parts[1].toInt()) : QSize();
        if (options.size.width() < 320 || options.size.height() < 240 ||
            options.size.width() > 16384 || options.size.height() > 16384)
            return wrong(
                QStringLiteral("--size is WIDTHxHEIGHT in pixels, such as 1600x1000, not \"%1\"")
                    .arg(parser.value(size)));
    }
    if (parser.isSet(chart) && options.out.isEmpty())
        return wrong(QStringLiteral("--export needs --out FILE"));
    return {options, 0};
}

} // namespace lanescope::gui
