// A quantity against another, as theory states it and as it was measured: curves and marks as an
// SVG that needs nothing besides itself and follows the reader's choice of a light or dark page.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

namespace baton::view {

// What theory says at x: one value, or a range whose end may be infinite.
struct PlotTheory {
  double x = 0;
  double low = 0;
  double high = 0;
};

struct PlotMeasured {
  double x = 0;
  double y = 0;
  bool agrees = true;  // with theory; what does not is crossed out
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

// An axis is logarithmic where its values span much, and linear where they are few or not positive.
// Values that are not finite are left out. Writes nothing if no series has anything left to show.
void write_plot(const Plot& plot, std::ostream& to);

}  // namespace baton::view
