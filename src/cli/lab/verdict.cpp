#include "cli/lab/verdict.h"

#include "lab/sim/plan.h"

namespace baton::cli {

std::string line_of(const Verdict& verdict, bool ascii) {
  const std::string name(sim::name_of(verdict.promise));
  if (!verdict.broken.empty()) {
    if (verdict.judged)
      return (ascii ? "BROKEN  " : "✗ ") + name + " broken " + verdict.broken + "\n";
    return (ascii ? "note    " : "• ") + name + " not promised, and not kept " + verdict.broken +
           "\n";
  }
  if (!verdict.judged) return "";
  if (!verdict.unseen.empty()) {
    return (ascii ? "?       " : "? ") + name + " not judged: " + verdict.unseen + "\n";
  }
  return (ascii ? "ok      " : "✓ ") + name + " kept\n";
}

}  // namespace baton::cli
