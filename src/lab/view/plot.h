// Plots a quantity against another, as theory states it and as it was measured: curves and marks as
// an SVG that needs nothing besides itself and follows the reader's choice of a light or dark page.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

namespace baton::view {

// The value of theory at x: one value, or a range whose end may be infinite.
struct PlotTheory {
  double x = 0;
  double low = 0;
  double high = 0;
};

struct PlotMeasured {
  double x = 0;
  double y = 0;
  bool agrees = true;  // with theory; a mark that does not is crossed out
};

// Both in the order of x.
struct PlotSeries {
  std::string name;
  std::string formula;
  std::vector<PlotTheory> theory;
  std::vector<PlotMeasured> measured;
};

struct Plot {
  std::string title;
  std::string subtitle;
  std::string x_title;
  std::string y_title;
  std::vector<PlotSeries> series;
};

// An axis is logarithmic if its values span much, and linear if they are few or not positive. The
// plot leaves out values that are not finite. It writes nothing if no series has a value to show.
void write_plot(const Plot& plot, std::ostream& to);

}  // namespace baton::view
