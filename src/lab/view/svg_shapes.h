// The shapes that pictures are made of, as SVG text. Their classes are those of `style`.
#pragma once

#include <string>
#include <string_view>

#include "lab/view/svg_labels.h"

namespace baton::view::svg {

// The whole <style> element. Custom properties would make it shorter, but not every program that
// shows SVG knows them.
std::string_view style();

// Escapes a text for an attribute or between tags, and drops characters that XML does not allow.
std::string escaped(std::string_view text);

// A length in pixels.
std::string px(double value);
// The smallest of …, 0.1, 0.2, 0.5, 1, 2, 5, 10, … that is not below a positive number.
double round_number(double at_least);
std::string attribute(std::string_view name, double value);

std::string line(std::string_view shape, const Stretch& on);
std::string text(std::string_view shape, Point at, std::string_view words);
std::string cross(Point at, double half);
std::string circle(std::string_view shape, Point at);
// The head of an arrow that ends at the stretch's end.
std::string head(const Stretch& arrow);

}  // namespace baton::view::svg
