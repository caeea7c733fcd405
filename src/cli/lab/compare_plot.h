// The picture of `baton compare --svg`: messages per entry against the number of processes,
// measured marks on theory's curves.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cli/common/output_file.h"
#include "core/info.h"
#include "lab/sim/measure.h"
#include "lab/view/plot.h"

namespace baton::cli {

class Command;

struct PlotOptions {
  std::string file;
  bool given = false;

  void add_to(Command& command);
  // Once the command line is parsed: which sizes are compared if the user named none.
  void settle(const Command& command, std::vector<std::string>& processes);
};

class ComparePlot {
 public:
  // Throws UsageError where there is nothing to draw a curve through, or nowhere to write it.
  ComparePlot(const PlotOptions& options, const std::vector<Setup>& setups);

  explicit operator bool() const { return static_cast<bool>(file_); }

  // Sizes come in any order; what was not measured is null.
  void add(const Info& info, std::uint32_t size, const sim::Measurement* messages);
  void write();

 private:
  OutputFile file_;
  view::Plot plot_;
};

}  // namespace baton::cli
