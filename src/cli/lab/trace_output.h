// What --trace, --output and --svg make of a run's trace.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <string>

#include "cli/common/output_file.h"
#include "cli/lab/sim_options.h"
#include "core/trace.h"

namespace baton::cli {

class TraceOutput {
 public:
  // Of a group of `size` processes. Throws UsageError for options that contradict each other, and
  // for files that cannot be written.
  TraceOutput(const SimOptions& options, std::uint32_t size);

  bool draws_picture() const { return static_cast<bool>(picture_file_); }
  bool is_wanted() const { return !options_->trace.empty() || draws_picture(); }
  // False if standard output gets a trace that is for programs, and nothing else may.
  bool leaves_standard_output() const;

  // Writes and draws what was asked for.
  void write(const Trace& trace);
  // The space-time diagram for people; all of it where `max_rows` is 0.
  std::string diagram(const Trace& trace, std::size_t max_rows = 0) const;

 private:
  bool to_file() const { return !options_->output.empty(); }
  void write_to(std::ostream& out, const Trace& trace) const;

  const SimOptions* options_;
  OutputFile file_;
  OutputFile picture_file_;
};

}  // namespace baton::cli
