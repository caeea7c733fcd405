#include <CLI/CLI.hpp>

#include "cli/service/commands.h"
#include "cli/service/demo.h"
#include "cli/service/demo_stage.h"
#include "cli/text.h"

namespace baton::cli {

namespace {

// No story was named that there is.
[[noreturn]] void refuse(const CLI::App& demo) {
  std::vector<std::string> names;
  std::string all;
  for (const CLI::App* story : demo.get_subcommands(nullptr)) names.push_back(story->get_name());
  for (const std::string& name : names) {
    all += (all.empty() ? "" : name == names.back() ? " or " : ", ") + name;
  }
  const std::vector<std::string> typed = demo.remaining();
  if (typed.empty()) throw UsageError("say which story: " + all);
  if (typed.front().starts_with('-')) throw CLI::ExtrasError(demo.get_name(), typed);
  throw UsageError("there is no story '" + typed.front() + "'" +
                   did_you_mean(typed.front(), names));
}

}  // namespace

CLI::App& add_story(CLI::App& demo, const std::string& name, const std::string& description) {
  return *demo.add_subcommand(name, description)->allow_extras(false);
}

void add_demo(CLI::App& app, Action& action) {
  CLI::App& command = *app.add_subcommand("demo",
                                          "The field's stories, told by real processes.\n\n"
                                          "Example: baton demo zombie\n"
                                          "         baton demo deadlock");
  command.allow_extras();  // to say ourselves what was meant
  add_story(command, "zombie",
            "A paused holder goes on after its lease; its fence stops the late write")
      .callback([&action] { action = service_action("demo", demo_zombie); });
  add_story(command, "deadlock",
            "Two that want each other's lock; the circle is detected and named")
      .callback([&action] { action = service_action("demo", demo_deadlock); });
  command.callback([&command, &action] {
    const bool is_story = !command.get_subcommands().empty() && command.remaining().empty();
    if (!is_story) action = [&command]() -> int { refuse(command); };
  });
}

}  // namespace baton::cli
