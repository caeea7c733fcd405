// The token that `baton acquire` prints and `baton release` takes.
#include "cli/service/token.h"

#include "cli/common/command.h"
#include "fuzz/fuzz.h"

namespace baton {

std::vector<std::string> fuzz::seeds() {
  const cli::Token token{{7, std::string("\x00\xFFnonce", 7), 3, 1'700'000'000}, ""};
  return {token.to_string(), token.to_string() + "@baton://host:7400", "baton1-1-00-1-1"};
}

}  // namespace baton

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace baton;
  try {
    const cli::Token token = cli::Token::parse(std::string(fuzz::text_of(data, size)));
    const cli::Token again = cli::Token::parse(token.to_string());
    fuzz::demand(token.ticket.session != 0, "a token names a session");
    fuzz::demand(again.to_string() == token.to_string() &&
                     again.ticket.nonce == token.ticket.nonce && again.url == token.url,
                 "a token is read as it was printed");
  } catch (const cli::UsageError&) {
  }
  return 0;
}
