#include "service/process/command.h"

#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <map>

namespace baton::process {

Command Command::shell(const std::string& line) {
  const char* shell = std::getenv("SHELL");
  return {.words = {shell != nullptr && *shell != '\0' ? shell : "/bin/sh", "-c", line}};
}

namespace {

std::string name_in(const std::string& entry) { return entry.substr(0, entry.find('=')); }

// The environment of this process with the additions; setenv() would take a lock that another
// thread may have held when this process was forked off.
std::vector<std::string> environment_with(const Environment& additions) {
  std::map<std::string, std::string> added;
  for (const auto& [name, value] : additions) added[name] = value;
  std::vector<std::string> all;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    if (!added.contains(name_in(*entry))) all.emplace_back(*entry);
  }
  for (const auto& [name, value] : added) all.push_back(name + "=" + value);
  return all;
}

std::vector<char*> pointers_to(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (std::string& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

}  // namespace

int execute(const Command& command) {
  if (command.words.empty()) return ENOENT;
  std::vector<std::string> words = command.words;
  std::vector<std::string> environment = environment_with(command.environment);
  execvpe(words.front().c_str(), pointers_to(words).data(), pointers_to(environment).data());
  return errno;
}

}  // namespace baton::process
