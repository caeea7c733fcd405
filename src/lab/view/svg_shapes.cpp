#include "lab/view/svg_shapes.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "core/text.h"

namespace baton::view::svg {

std::string_view style() {
  return R"(<style>
text{font:11px system-ui,"DejaVu Sans",sans-serif;fill:#24292f}
.title{font-size:16px;font-weight:600}.name{font-size:13px;font-weight:600;text-anchor:end}
.page{fill:#fff}.halo{paint-order:stroke;stroke:#fff;stroke-width:3px;stroke-linejoin:round}
.quiet{fill:#656d76}.mid{text-anchor:middle}.grid{stroke:#d0d7de;stroke-width:.6}
.line{stroke:#8c959f;stroke-width:1.3}.down{stroke:#afb8c1;stroke-width:1.3;stroke-dasharray:1 5}
.wait{stroke:#bf8700;stroke-width:2.6;stroke-dasharray:6 4}
.in{fill:#f2b01e;stroke:#9a6700;stroke-width:.8}.both{fill:#cf222e;fill-opacity:.16}
.m{stroke-width:1.3;fill:none}.m .h{stroke:none}.m .o{stroke:#000;stroke-opacity:0;stroke-width:9}
.m:hover{stroke-width:3}.lost,.again,.away{stroke-dasharray:4 3}.away{stroke-opacity:.6}
.x{stroke:#cf222e;stroke-width:2.2;stroke-dasharray:none;fill:none}
.back{stroke:#1a7f37;stroke-width:1.8;fill:#fff}.note{stroke:#57606a;stroke-width:1.2;fill:#fff}
.bad{fill:#cf222e;font-size:12px;font-weight:600}
.t0{stroke:#0969da}.t1{stroke:#1a7f37}.t2{stroke:#8250df}
.t3{stroke:#bf3989}.t4{stroke:#0e7c86}.t5{stroke:#8b5e3c}
.t0 .h,text.t0{fill:#0969da}.t1 .h,text.t1{fill:#1a7f37}.t2 .h,text.t2{fill:#8250df}
.t3 .h,text.t3{fill:#bf3989}.t4 .h,text.t4{fill:#0e7c86}.t5 .h,text.t5{fill:#8b5e3c}
text.legend{stroke:none}text.halo{stroke:#fff}
@media (prefers-color-scheme:dark){
text{fill:#e6edf3}.page{fill:#0d1117}.quiet{fill:#8d96a0}.halo,text.halo{stroke:#0d1117}
.grid{stroke:#30363d}.down{stroke:#484f58}.line{stroke:#7d8590}.wait{stroke:#d29922}.in{stroke:#f2cc60}
.both{fill:#f85149;fill-opacity:.25}.x{stroke:#f85149}.bad{fill:#f85149}
.back{stroke:#3fb950;fill:#0d1117}.note{stroke:#8d96a0;fill:#0d1117}
.t0{stroke:#58a6ff}.t1{stroke:#3fb950}.t2{stroke:#bc8cff}
.t3{stroke:#f778ba}.t4{stroke:#39c5cf}.t5{stroke:#d4a27f}
.t0 .h,text.t0{fill:#58a6ff}.t1 .h,text.t1{fill:#3fb950}.t2 .h,text.t2{fill:#bc8cff}
.t3 .h,text.t3{fill:#f778ba}.t4 .h,text.t4{fill:#39c5cf}.t5 .h,text.t5{fill:#d4a27f}
}
</style>
)";
}

std::string escaped(std::string_view text) {
  std::string result;
  const std::string clean = text::printable(text, false);
  for (std::size_t i = 0; i < clean.size(); ++i) {
    switch (clean[i]) {
      case '&':
        result += "&amp;";
        break;
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      case '"':
        result += "&quot;";
        break;
      default:
        // U+FFFE and U+FFFF are no characters of XML.
        if (clean.compare(i, 3, "\xEF\xBF\xBE") == 0 || clean.compare(i, 3, "\xEF\xBF\xBF") == 0) {
          result += "\xEF\xBF\xBD";
          i += 2;
        } else {
          result += clean[i];
        }
    }
  }
  return result;
}

// A tenth of a pixel is as fine as anybody sees.
std::string px(double value) {
  std::array<char, 32> digits{};
  const double rounded = std::round(value * 10) / 10 + 0.0;
  const auto end =
      std::to_chars(digits.begin(), digits.end(), rounded, std::chars_format::fixed, 1).ptr;
  std::string text(digits.begin(), end);
  if (text.ends_with(".0")) text.resize(text.size() - 2);
  return text;
}

double round_number(double at_least) {
  const double power = std::pow(10.0, std::floor(std::log10(at_least)));
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (factor * power >= at_least) return factor * power;
  }
  return 10 * power;
}

std::string attribute(std::string_view name, double value) {
  return std::string(" ").append(name).append("=\"").append(px(value)).append("\"");
}

std::string line(std::string_view shape, const Stretch& on) {
  return std::string("<line")
             .append(shape.empty() ? "" : " class=\"")
             .append(shape)
             .append(shape.empty() ? "" : "\"") +
         attribute("x1", on.from.x) + attribute("y1", on.from.y) + attribute("x2", on.to.x) +
         attribute("y2", on.to.y) + "/>";
}

std::string text(std::string_view shape, Point at, std::string_view words) {
  return "<text class=\"" + std::string(shape) + "\"" + attribute("x", at.x) +
         attribute("y", at.y) + ">" + escaped(words) + "</text>\n";
}

std::string cross(Point at, double half) {
  return "<path class=\"x\" d=\"M" + px(at.x - half) + " " + px(at.y - half) + "l" + px(2 * half) +
         " " + px(2 * half) + "m0 " + px(-2 * half) + "l" + px(-2 * half) + " " + px(2 * half) +
         "\"/>";
}

std::string head(const Stretch& arrow) {
  const double length = std::max(arrow.length(), 0.001);
  const Point along{(arrow.to.x - arrow.from.x) / length, (arrow.to.y - arrow.from.y) / length};
  const auto corner = [&](double side) {
    return px(arrow.to.x - 9 * along.x - side * along.y) + " " +
           px(arrow.to.y - 9 * along.y + side * along.x);
  };
  return "<path class=\"h\" d=\"M" + px(arrow.to.x) + " " + px(arrow.to.y) + "L" + corner(3.4) +
         "L" + corner(-3.4) + "Z\"/>";
}

std::string circle(std::string_view shape, Point at) {
  return "<circle class=\"" + std::string(shape) + "\" r=\"4\"" + attribute("cx", at.x) +
         attribute("cy", at.y) + "/>";
}

}  // namespace baton::view::svg
