// The configuration file of `baton serve`: settings, or a message that names the file.
#include <sstream>

#include "cli/common/arguments.h"
#include "cli/common/command.h"
#include "cli/service/serve.h"
#include "fuzz/fuzz.h"

namespace baton {

std::vector<std::string> fuzz::seeds() {
  return {"listen = [\"unix:/run/baton/socket\", \"127.0.0.1:7400\"]\njournal = \"memory:\"\n",
          "# a comment\naccept-loss = true\nname = 'x'\nidle-stop = 60\nconnections = 100\n",
          "log = \"json\"\nlog-level = debug\nscope = \"for all\"\n",
          "[serve]\nlog = text\n",
          "log = loud\n",
          "connections = many\n",
          "config = again\n"};
}

}  // namespace baton

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace baton;
  cli::Command app("baton", "");
  cli::Action action;
  cli::add_serve(app, action);
  std::istringstream file{std::string(fuzz::text_of(data, size))};
  try {
    cli::read_config(*app.find_command("serve"), file, "the-file");
  } catch (const cli::UsageError& error) {
    fuzz::demand(std::string(error.what()).find("the-file") != std::string::npos,
                 "a message names the file");
  }
  return 0;
}
