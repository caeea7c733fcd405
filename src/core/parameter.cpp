#include "core/parameter.h"

#include <charconv>
#include <vector>

#include "core/info.h"
#include "core/nearest.h"

namespace baton {

namespace {

std::optional<std::int64_t> number_in(std::string_view text) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size()) return {};
  return number;
}

std::optional<std::int64_t> value_in(const Parameter& parameter, std::string_view text) {
  for (std::size_t i = 0; i < parameter.words.size(); ++i) {
    if (parameter.words[i] == text) return parameter.least + static_cast<std::int64_t>(i);
  }
  if (!parameter.words.empty()) return {};
  if (parameter.is_flag && text == "true") return 1;
  if (parameter.is_flag && text == "false") return 0;
  return number_in(text);
}

bool is_within(const Parameter& parameter, std::int64_t value) {
  return value >= parameter.least && value <= parameter.most;
}

std::string not_allowed(const Parameter& parameter, std::string_view text) {
  return "--" + std::string(parameter.name) + " is " + parameter.range() + ", not '" +
         std::string(text) + "'";
}

std::string no_such_parameter(const Info& info, std::string_view name) {
  const std::string algorithm(info.name);
  if (info.parameters.empty()) {
    return algorithm + " has no parameter --" + std::string(name) + ", and no other";
  }
  std::vector<std::string> names;
  std::string list;
  for (const Parameter* parameter : info.parameters) {
    names.emplace_back(parameter->name);
    list += (list.empty() ? "--" : ", --") + names.back();
  }
  const std::string near = nearest(name, names);
  return algorithm + " has no parameter --" + std::string(name) +
         (near.empty() ? "." : "; did you mean --" + near + "?") + " It has " + list;
}

}  // namespace

std::string Parameter::text_of(std::int64_t value) const {
  if (!words.empty()) return std::string(words[static_cast<std::size_t>(value - least)]);
  if (is_flag) return value != 0 ? "true" : "false";
  return std::to_string(value);
}

std::string Parameter::range() const {
  if (words.empty()) {
    return is_flag ? "true or false" : std::to_string(least) + " to " + std::to_string(most);
  }
  std::string all;
  for (std::size_t i = 0; i < words.size(); ++i) {
    all += i == 0 ? "" : i + 1 == words.size() ? " or " : ", ";
    all += words[i];
  }
  return all;
}

const Parameter* find_parameter(const Info& info, std::string_view name) {
  for (const Parameter* parameter : info.parameters) {
    if (parameter->name == name) return parameter;
  }
  return nullptr;
}

std::string choose_parameter(Setup& setup, const Info& info, std::string_view name,
                             std::string_view text) {
  const Parameter* parameter = find_parameter(info, name);
  if (parameter == nullptr) return no_such_parameter(info, name);
  const auto value = value_in(*parameter, text);
  if (!value || !is_within(*parameter, *value)) {
    std::string wrong = not_allowed(*parameter, text);
    const std::string near = nearest(text, {parameter->words.begin(), parameter->words.end()});
    return near.empty() ? wrong : wrong + "; did you mean '" + near + "'?";
  }
  setup.choose(*parameter, *value);
  return {};
}

std::string objection_to_parameters(const Setup& setup, const Info& info) {
  for (const Parameter* parameter : info.parameters) {
    const std::int64_t value = setup.value(*parameter);
    if (setup.has_chosen(*parameter) && !is_within(*parameter, value)) {
      return not_allowed(*parameter, std::to_string(value));
    }
  }
  return info.objection == nullptr ? std::string{} : info.objection(setup);
}

void make_small(Setup& setup, const Info& info) {
  for (const Parameter* parameter : info.parameters) {
    if (parameter->small && !setup.has_chosen(*parameter)) {
      setup.choose(*parameter, *parameter->small);
    }
  }
}

}  // namespace baton
