// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/output/reportpictures.h"

#include "core/output/displaytext.h"
#include "core/output/humannumbers.h"
#include "core/output/svg.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace ql {

namespace {

using Anchor = Svg::Anchor;

constexpr double CharWidth = 7.2; // of the fixed-width font at 12 px, about
constexpr double LineHeight = 20;

double largestError(const std::vector<ReportGroup> &groups)
{
    double largest = 0;
    for (const ReportGroup &group : groups)
        largest = std::max(largest, group.error().value_or(0));
    return largest;
}

std::string shortened(const std::string &text, std::size_t most)
{
    if (displayWidth(text) <= most)
        return text;
    std::size_t end = std::min(text.size(), most - 1);
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80)
        --end;
    return text.substr(0, end) + "…";
}

std::string titleOf(const ReportGroup &group, const std::string &name)
{
    return name + "\nrelative RMSE " + significant(group.error()) + "\nSQNR " + significant(group.sums.sqnrDb())
        + " dB\n" + significant(group.bitsA(), 3) + " to " + significant(group.bitsB(), 3) + " bits per weight";
}

/// Dark for none, over purple and orange, to pale yellow for the most: the program's own colours of error.
constexpr std::array<std::array<double, 3>, 5> ErrorColors{
    {{7, 6, 26}, {77, 24, 104}, {176, 38, 97}, {239, 122, 44}, {252, 250, 178}}};

std::string hexOf(const std::array<double, 3> &color)
{
    constexpr char Digits[] = "0123456789abcdef";
    std::string text = "#";
    for (const double part : color) {
        const auto byte = static_cast<unsigned>(std::lround(part));
        text += Digits[byte >> 4 & 15];
        text += Digits[byte & 15];
    }
    return text;
}

/// Where a plot's axes cross and how large it is.
struct Frame {
    double left, top, width, height;
    double x(double share) const { return left + share * width; }
    double y(double share) const { return top + (1 - share) * height; }
};

/// `x` null: whoever draws the picture writes its own numbers below.
void drawAxes(Svg &svg, const Frame &frame, const AxisScale *x, const AxisScale &y, const std::string &nameX,
              const std::string &nameY)
{
    for (const double tick : y.ticks()) {
        const double at = frame.y(y.position(tick));
        svg.line(frame.left, at, frame.left + frame.width, at, "grid");
        svg.text(frame.left - 8, at + 4, Anchor::End, "num", significant(tick, 3));
    }
    for (const double tick : x ? x->ticks() : std::vector<double>()) {
        const double at = frame.x(x->position(tick));
        svg.line(at, frame.top, at, frame.top + frame.height, "grid");
        svg.text(at, frame.top + frame.height + 18, Anchor::Middle, "num", significant(tick, 3));
    }
    svg.text(frame.left + frame.width, frame.top + frame.height + 36, Anchor::End, "axis", nameX);
    svg.uprightText(14, frame.top, Anchor::End, "axis", nameY);
}

/// Rows with both figures, largest first, so that small points stay on top.
std::vector<const ReportRow *> pointsOf(const std::vector<ReportRow> &rows)
{
    std::vector<const ReportRow *> points;
    for (const ReportRow &row : rows)
        if (row.figures.error().value_or(0) > 0 && row.figures.bitsB())
            points.push_back(&row);
    std::ranges::stable_sort(points, [](const ReportRow *a, const ReportRow *b) {
        return a->figures.weights > b->figures.weights;
    });
    return points;
}

void drawPoints(Svg &svg, const Frame &frame, const AxisScale &x, const AxisScale &y,
                const std::vector<const ReportRow *> &points)
{
    const double most = static_cast<double>(points.front()->figures.weights);
    for (const ReportRow *row : points) {
        const double share = most > 0 ? static_cast<double>(row->figures.weights) / most : 1;
        svg.circle(frame.x(x.position(*row->figures.bitsB())), frame.y(y.position(*row->figures.error())),
                   3 + 6 * std::sqrt(share), "point", titleOf(row->figures, row->name + "\n" + row->typeA + " / " + row->typeB));
    }
}

/// The scale under a map: from no error to the most.
void drawColorBar(Svg &svg, double left, double top, double most)
{
    constexpr int Steps = 32;
    constexpr double Step = 5;
    for (int i = 0; i < Steps; ++i)
        svg.rect(left + i * Step, top, Step + 0.5, 10, "cell", errorColor(i / (Steps - 1.0)));
    svg.text(left, top + 26, Anchor::Start, "num", "0");
    svg.text(left + Steps * Step, top + 26, Anchor::End, "num", significant(most, 3));
    svg.text(left + Steps * Step + 12, top + 10, Anchor::Start, "axis", "relative RMSE");
}

/// A number every so many layers, so that they don't run into each other.
std::size_t labelStep(double cell, std::size_t layers)
{
    const double digits = layers > 100 ? 3 : 2;
    return static_cast<std::size_t>(std::max(1.0, std::ceil((digits * CharWidth + 6) / cell)));
}

double largestCell(const ReportData &data)
{
    double most = 0;
    for (const auto &line : data.grid)
        for (const auto &cell : line)
            most = std::max(most, cell.value_or(0));
    return most;
}

/// Places in data.roles of those that any layer has.
std::vector<std::size_t> rolesOfLayers(const ReportData &data)
{
    std::vector<std::size_t> roles;
    for (std::size_t r = 0; r < data.roles.size(); ++r)
        if (std::ranges::any_of(data.grid, [r](const auto &line) { return line[r].has_value(); }))
            roles.push_back(r);
    return roles;
}

void drawCell(Svg &svg, const ReportData &data, std::size_t layer, std::size_t role, double most, const Frame &at)
{
    const auto &error = data.grid[layer][role];
    const std::string title = "layer " + std::to_string(data.gridLayers[layer]) + ", " + data.roles[role].name + ": "
        + (error ? significant(*error) : "no such tensor");
    svg.rect(at.left, at.top, at.width, at.height, error ? "cell" : "none",
             error ? errorColor(*error / most) : std::string(), title);
}

} // namespace

std::string errorColor(double share)
{
    const double at = std::clamp(share, 0.0, 1.0) * (ErrorColors.size() - 1);
    const std::size_t i = std::min(static_cast<std::size_t>(at), ErrorColors.size() - 2);
    const double part = at - static_cast<double>(i);
    std::array<double, 3> color{};
    for (std::size_t c = 0; c < color.size(); ++c)
        color[c] = ErrorColors[i][c] + part * (ErrorColors[i + 1][c] - ErrorColors[i][c]);
    return hexOf(color);
}

std::string barsSvg(const std::vector<ReportGroup> &groups, const std::string &label)
{
    constexpr std::size_t LongestName = 24;
    constexpr double Width = 520, Right = 70;
    const double most = largestError(groups);
    if (groups.empty() || most <= 0)
        return {};
    std::size_t longest = 4;
    for (const ReportGroup &group : groups)
        longest = std::max(longest, displayWidth(shortened(group.name, LongestName)));
    const double left = static_cast<double>(longest) * CharWidth + 12;
    const double room = Width - left - Right;
    Svg svg(Width, static_cast<double>(groups.size()) * LineHeight + 8, label);
    double y = 4;
    for (const ReportGroup &group : groups) {
        const double error = group.error().value_or(0);
        svg.text(left - 8, y + 14, Anchor::End, "num", shortened(group.name, LongestName));
        svg.rect(left, y + 3, std::max(room * error / most, error > 0 ? 1.0 : 0.0), LineHeight - 6, "bar", {},
                 titleOf(group, group.name));
        svg.text(left + room * error / most + 6, y + 14, Anchor::Start, "num",
                 group.identical == group.pairs ? "identical" : significant(group.error()));
        y += LineHeight;
    }
    return svg.finish();
}

std::string columnsSvg(const std::vector<ReportGroup> &layers, const std::string &label)
{
    const double most = largestError(layers);
    if (layers.empty() || most <= 0)
        return {};
    const Frame frame{56, 10, 444, 180};
    const AxisScale y = AxisScale::linear(most);
    const double cell = frame.width / static_cast<double>(layers.size());
    Svg svg(520, frame.top + frame.height + 44, label);
    drawAxes(svg, frame, nullptr, y, "layer", "relative RMSE");
    const std::size_t step = labelStep(cell, layers.size());
    for (std::size_t i = 0; i < layers.size(); ++i) {
        const double left = frame.left + static_cast<double>(i) * cell;
        const double top = frame.y(y.position(layers[i].error().value_or(0)));
        const double width = std::clamp(cell - 2, 1.0, 32.0);
        svg.rect(left + (cell - width) / 2, top, width, frame.top + frame.height - top, "bar", {},
                 titleOf(layers[i], "layer " + layers[i].name));
        if (i % step == 0)
            svg.text(left + cell / 2, frame.top + frame.height + 18, Anchor::Middle, "num", layers[i].name);
    }
    return svg.finish();
}

std::string scatterSvg(const std::vector<ReportRow> &rows, const std::string &label)
{
    const auto points = pointsOf(rows);
    if (points.empty())
        return {};
    double least = *points.front()->figures.error(), most = least, bits = 0;
    for (const ReportRow *row : points) {
        least = std::min(least, *row->figures.error());
        most = std::max(most, *row->figures.error());
        bits = std::max(bits, *row->figures.bitsB());
    }
    const Frame frame{56, 10, 444, 260};
    const AxisScale x = AxisScale::linear(bits), y = AxisScale::fitting(least, most);
    Svg svg(520, frame.top + frame.height + 44, label);
    drawAxes(svg, frame, &x, y, "bits per weight of B", y.logarithmic ? "relative RMSE, logarithmic" : "relative RMSE");
    drawPoints(svg, frame, x, y, points);
    return svg.finish();
}

std::string gridSvg(const ReportData &data, const std::string &label)
{
    constexpr std::size_t LongestName = 28;
    constexpr double Width = 1040, Height = 22, Top = 4, BarRoom = 290;
    const double most = largestCell(data);
    if (data.grid.empty() || most <= 0)
        return {};
    const std::vector<std::size_t> roles = rolesOfLayers(data);
    std::size_t longest = 4;
    for (const std::size_t r : roles)
        longest = std::max(longest, displayWidth(shortened(data.roles[r].name, LongestName)));
    const double left = static_cast<double>(longest) * CharWidth + 14;
    const double layers = static_cast<double>(data.grid.size());
    const double cell = std::clamp((Width - left) / layers, 4.0, 26.0);
    const double bottom = Top + Height * static_cast<double>(roles.size());
    Svg svg(std::max(left + cell * layers + 8, left + BarRoom), bottom + 66, label);
    for (std::size_t line = 0; line < roles.size(); ++line) {
        const double y = Top + Height * static_cast<double>(line);
        svg.text(left - 8, y + 15, Anchor::End, "num", shortened(data.roles[roles[line]].name, LongestName));
        for (std::size_t l = 0; l < data.grid.size(); ++l)
            drawCell(svg, data, l, roles[line], most, {left + cell * static_cast<double>(l), y, cell - 1, Height - 1});
    }
    for (std::size_t l = 0; l < data.grid.size(); l += labelStep(cell, data.grid.size()))
        svg.text(left + cell * (static_cast<double>(l) + 0.5), bottom + 16, Anchor::Middle, "num",
                 std::to_string(data.gridLayers[l]));
    drawColorBar(svg, left, bottom + 32, most);
    return svg.finish();
}

std::string pictureStyle()
{
    return "svg{display:block;max-width:100%;height:auto}\n"
           "svg text{fill:var(--muted);font-size:12px}\n"
           "svg .num{font-family:var(--fixed)}\n"
           "svg .bar{fill:var(--b)}\n"
           "svg .point{fill:var(--b);fill-opacity:.55;stroke:var(--b);stroke-width:1}\n"
           "svg .point:hover,svg .bar:hover{fill:var(--accent)}\n"
           "svg .grid{stroke:var(--grid);stroke-width:1}\n"
           "svg .none{fill:var(--grid)}\n";
}

} // namespace ql
