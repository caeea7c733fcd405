// `baton serve`, as far as others need it.
#pragma once

#include <filesystem>
#include <iosfwd>
#include <string>

namespace baton::cli {

class Command;

// Where programs keep what should survive: the service manager's choice, or the user's. Throws
// UsageError, which says what to say instead.
std::filesystem::path state_directory(const std::string& otherwise);

// What neither a flag nor the environment has said, from lines like: listen = "127.0.0.1:7400".
// `path` is for messages. Throws UsageError.
void read_config(Command& command, std::istream& from, const std::string& path);

}  // namespace baton::cli
