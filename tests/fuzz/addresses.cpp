// Addresses, as servers and clients take them: what is understood is said in the same words again.
#include "fuzz/fuzz.h"
#include "service/client/address.h"
#include "service/server/address.h"

namespace baton {

std::vector<std::string> fuzz::seeds() {
  return {"unix:/run/baton/socket",      "127.0.0.1:7400",     ":0",    "baton://[::1]:7400",
          "baton://a.example:1,b:65535", "baton://host:70000", "[::]:1"};
}

namespace {

void try_server(const std::string& text) {
  try {
    const server::Address address = server::parse_address(text);
    const server::Address again = server::parse_address(address.url());
    fuzz::demand(
        again.path == address.path && again.host == address.host && again.port == address.port,
        "a server's address survives its own URL");
    address.is_loopback();
  } catch (const server::ListenError&) {
  }
}

void try_client(std::string_view text) {
  const auto addresses = client::addresses_of(text);
  if (!addresses) return fuzz::demand(!addresses.message().empty(), "a refusal says why");
  fuzz::demand(!addresses->empty(), "a URL names a server");
  for (const client::Address& address : *addresses) {
    const auto again = client::addresses_of(address.text());
    fuzz::demand(again && again->size() == 1 && again->front().path == address.path &&
                     again->front().host == address.host && again->front().port == address.port,
                 "a client's address survives its own URL");
  }
}

}  // namespace

}  // namespace baton

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(baton::fuzz::text_of(data, size));
  baton::try_server(text);
  baton::try_client(text);
  return 0;
}
