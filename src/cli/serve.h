// `baton serve`, as far as others need it.
#pragma once

#include <iosfwd>
#include <string>

namespace CLI {
class App;
}

namespace baton::cli {

// What neither a flag nor the environment has said, from lines like: listen = "127.0.0.1:7400".
// `path` is for messages. Throws UsageError.
void read_config(CLI::App& command, std::istream& from, const std::string& path);

}  // namespace baton::cli
