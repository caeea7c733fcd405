
#include "cli/service/demo.h"
#include "cli/common/arguments.h"
#include "cli/common/text.h"
#include "cli/service/commands.h"
#include "cli/service/demo_stage.h"

namespace baton::cli {

namespace {

// No story was named that there is.
[[noreturn]] void refuse(const Command& demo) {
  std::vector<std::string> names;
  std::string all;
  for (const Command* story : demo.commands()) names.push_back(story->name());
  for (const std::string& name : names) {
    all += (all.empty() ? "" : name == names.back() ? " or " : ", ") + name;
  }
  const std::vector<std::string> typed = demo.unexpected();
  if (typed.empty()) throw UsageError("say which story: " + all);
  if (typed.front().starts_with('-')) {
    throw ArgumentError(ArgumentError::Kind::unexpected,
                        "'" + typed.front() + "' was not expected");
  }
  throw UsageError("there is no story '" + typed.front() + "'" +
                   did_you_mean(typed.front(), names));
}

}  // namespace

Command& add_story(Command& demo, const std::string& name, const std::string& description) {
  return demo.add_command(name, description).allow_unexpected(false);
}

void add_demo(Command& app, Action& action) {
  Command& command = app.add_command("demo", "Show a problem and its solution with real processes");
  command.begin_group("Stories").example("baton demo zombie").example("baton demo deadlock");
  command.allow_unexpected();  // to say ourselves what was meant
  add_story(command, "zombie", "A paused holder wakes up late; its fencing token stops the write")
      .callback([&action] { action = service_action("demo", demo_zombie); });
  add_story(command, "deadlock",
            "Two clients want each other's lock; the server refuses the deadlock")
      .callback([&action] { action = service_action("demo", demo_deadlock); });
  command.callback([&command, &action] {
    const bool is_story = command.chosen() != nullptr && command.unexpected().empty();
    if (!is_story) action = [&command]() -> int { refuse(command); };
  });
}

}  // namespace baton::cli
