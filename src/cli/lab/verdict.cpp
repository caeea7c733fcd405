#include "cli/lab/verdict.h"

#include "cli/common/terminal.h"
#include "lab/sim/plan.h"

namespace baton::cli {

namespace {

std::string line(const std::string& text) { return filled(text, table_width(), 2) + "\n"; }

}  // namespace

std::string line_of(const Verdict& verdict, bool ascii) {
  const std::string name(sim::name_of(verdict.promise));
  if (!verdict.broken.empty()) {
    if (verdict.judged)
      return line((ascii ? "BROKEN  " : "✗ ") + name + " broken " + verdict.broken);
    return line((ascii ? "note    " : "• ") + name + " not promised, and not kept " +
                verdict.broken);
  }
  if (!verdict.judged) return "";
  if (!verdict.unseen.empty()) {
    return (ascii ? "?       " : "? ") + name + " not judged: " + verdict.unseen + "\n";
  }
  return (ascii ? "ok      " : "✓ ") + name + " kept\n";
}

}  // namespace baton::cli
