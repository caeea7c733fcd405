#include <CLI/CLI.hpp>
#include <memory>

#include "cli/service/commands.h"
#include "cli/service/demo_stage.h"
#include "cli/text.h"

namespace baton::cli {

void add_demo(CLI::App& app, Action& action) {
  CLI::App& command = *app.add_subcommand(
      "demo",
      "The field's stories, told by real processes.\n\n"
      "  zombie     a paused holder goes on after its lease; its fence stops the late write\n"
      "  deadlock   two that want each other's lock; the circle is detected and named\n\n"
      "Example: baton demo zombie\n"
      "         baton demo deadlock");
  const auto story = std::make_shared<std::string>();
  command.add_option("NAME", *story, "zombie or deadlock");
  command.callback([story, &action] {
    action = service_action("demo", [story] {
      if (*story == "zombie") return demo_zombie();
      if (*story == "deadlock") return demo_deadlock();
      if (story->empty()) throw UsageError("say which story: zombie or deadlock");
      throw UsageError("there is no story '" + *story + "'" +
                       did_you_mean(*story, {"zombie", "deadlock"}));
    });
  });
}

}  // namespace baton::cli
