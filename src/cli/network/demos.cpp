#include "cli/network/demos.h"

#include "cli/common/arguments.h"

namespace baton::cli {

void add_network_demos(Command& app, Action& action) {
  Command& demo = *app.find_command("demo");
  add_demo_counter(demo, action);
  add_demo_bank(demo, action);
}

}  // namespace baton::cli
