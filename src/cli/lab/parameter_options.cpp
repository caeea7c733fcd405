#include "cli/lab/parameter_options.h"

#include <algorithm>

#include "cli/common/arguments.h"
#include "cli/common/command.h"
#include "lab/sim/catalog.h"

namespace baton::cli {

namespace {

// In the registry's order. Two algorithms may have different parameters of one name, which then
// have the same meaning to people.
std::vector<const Parameter*> all_parameters() {
  std::vector<const Parameter*> all;
  for (const sim::Entry& entry : sim::catalog()) {
    for (const Parameter* parameter : entry.info().parameters) {
      const bool is_known = std::any_of(all.begin(), all.end(), [&](const Parameter* one) {
        return one->name == parameter->name;
      });
      if (!is_known) all.push_back(parameter);
    }
  }
  return all;
}

std::string owners(const Parameter& parameter) {
  std::string names;
  for (const sim::Entry& entry : sim::catalog()) {
    const Info& info = entry.info();
    if (info.is_wrong() || find_parameter(info, parameter.name) == nullptr) continue;
    names += (names.empty() ? "" : ", ") + std::string(info.name);
  }
  return names;
}

[[noreturn]] void refuse(const std::string& what) { throw UsageError(what); }

}  // namespace

std::string described(const Parameter& parameter) {
  std::string text(parameter.help);
  if (!parameter.words.empty()) text += ": " + parameter.range();
  if (!parameter.usual_text.empty()) {
    text += " (default: " + std::string(parameter.usual_text) + ")";
  } else if (!parameter.is_flag) {
    text += " (default: " + parameter.text_of(parameter.usual(0)) + ")";
  }
  return text;
}

void ParameterOptions::add_to(Command& command) {
  for (const Parameter* parameter : all_parameters()) {
    const std::string name(parameter->name);
    const std::string help = owners(*parameter) + ": " + described(*parameter);
    if (parameter->is_flag) {
      command.add_flag("--" + name, flags_[name], help).no_value().group("Group");
      continue;
    }
    Option& option = command.add_option(
        "--" + name, [this, name](const std::string& value) { typed_[name] = value; }, help);
    option.group("Group").type_name(parameter->words.empty() ? "N" : "WORD");
    if (parameter->words.empty()) {
      option.whole_number(static_cast<std::uint64_t>(parameter->least),
                          static_cast<std::uint64_t>(parameter->most));
    }
  }
}

void ParameterOptions::apply_to(Setup& setup, const Info& info) const {
  apply_to(setup, std::vector<const Info*>{&info});
}

void ParameterOptions::apply_to(Setup& setup, const std::vector<const Info*>& algorithms) const {
  const auto has = [&](const std::string& name) {
    return std::any_of(algorithms.begin(), algorithms.end(),
                       [&](const Info* info) { return find_parameter(*info, name) != nullptr; });
  };
  const auto check = [&](const std::string& name) {
    if (algorithms.empty() || has(name)) return;
    refuse(choose_parameter(setup, *algorithms.front(), name, ""));
  };
  for (const auto& [name, value] : typed_) check(name);
  for (const auto& [name, is_on] : flags_) {
    if (is_on) check(name);
  }
  for (const Info* info : algorithms) apply_known_to(setup, *info);
}

void ParameterOptions::apply_known_to(Setup& setup, const Info& info) const {
  const auto choose = [&](const std::string& name, const std::string& value) {
    if (find_parameter(info, name) == nullptr) return;
    const std::string wrong = choose_parameter(setup, info, name, value);
    if (!wrong.empty()) refuse(wrong);
  };
  for (const auto& [name, value] : typed_) choose(name, value);
  for (const auto& [name, is_on] : flags_) {
    if (is_on) choose(name, "true");
  }
  const std::string objection = objection_to_parameters(setup, info);
  if (!objection.empty()) refuse(objection);
}

std::string ParameterOptions::text() const {
  std::string all;
  for (const auto& [name, value] : typed_) all += " --" + name + " " + value;
  for (const auto& [name, is_on] : flags_) {
    if (is_on) all += " --" + name;
  }
  return all;
}

bool ParameterOptions::depend_on_size(const Info& info) const {
  return std::any_of(typed_.begin(), typed_.end(), [&](const auto& one) {
    const Parameter* parameter = find_parameter(info, one.first);
    return parameter != nullptr && parameter->depends_on_size;
  });
}

}  // namespace baton::cli
