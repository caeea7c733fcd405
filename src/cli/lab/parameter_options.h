// The parameters that algorithms declare (core/parameter.h), as options of a command.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/info.h"
#include "core/setup.h"

namespace baton::cli {

class Command;

// "majority-voting: votes needed (default: a majority)"
std::string described(const Parameter& parameter);

class ParameterOptions {
 public:
  // An option for each name, whichever algorithms have it.
  void add_to(Command& command);

  // Gives the parameters of an algorithm the values that were typed. Throws UsageError where it
  // does not have such a parameter or cannot run with these values.
  void apply_to(Setup& setup, const Info& info) const;
  // The same for several algorithms, of which each takes what it has.
  void apply_to(Setup& setup, const std::vector<const Info*>& algorithms) const;
  // ... and what it does not have is left out.
  void apply_known_to(Setup& setup, const Info& info) const;

  // " --votes 3", as typed.
  std::string text() const;
  // One of those typed makes sense for a group of this size only.
  bool depend_on_size(const Info& info) const;

 private:
  std::map<std::string, std::string> typed_;
  std::map<std::string, bool> flags_;  // what the command line binds them to
};

}  // namespace baton::cli
