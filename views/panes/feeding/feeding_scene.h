// SPDX-License-Identifier: GPL-3.0-or-later
// The feeding calculator's figures: does a warp's tile use what it reads often enough, what must device memory deliver for a block's tile,
// how many stages does the pipeline need.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <QRectF>
#include <QString>
#include <QStringList>

#include "engine/model/feeding.h"

namespace lanescope::views {

class Canvas;

struct FeedingInput {
    std::string deviceId = "h100";
    int warpRows = 64, warpColumns = 64;
    int rows = 128, columns = 256, depth = 64; ///< of the block's tile
    int size = 4096;                           ///< M = N = K
    double latencyMicroseconds = 1;
    int elementBytes = 2;
};

struct FeedingTile {
    int rows = 0, columns = 0;
    bool isChosen = false;
    model::TileTraffic traffic;
};

struct FeedingPicture {
    QString problem; ///< not empty: nothing else
    QString device;
    FeedingInput input;
    model::WarpTile warp;
    std::vector<FeedingTile> tiles; ///< the course's three, and the chosen one
    model::Stages stages;
    std::vector<model::Explanation> explanations;
};

FeedingPicture makeFeedingPicture(const FeedingInput& input);
QStringList feedingColumns();
std::vector<QStringList> feedingRows(const FeedingPicture& picture);

void paintFeeding(Canvas& canvas, const FeedingPicture& picture, const QRectF& rect);

} // namespace lanescope::views
