// Addresses, as servers and clients take them: what is understood is said in the same words again.
#include "fuzz/fuzz.h"
#include "io/address.h"

namespace baton {

std::vector<std::string> fuzz::seeds() {
  return {"unix:/run/baton/socket",      "127.0.0.1:7400",     ":0",    "baton://[::1]:7400",
          "baton://a.example:1,b:65535", "baton://host:70000", "[::]:1"};
}

namespace {

bool is_same(const io::Address& one, const io::Address& other) {
  return one.path == other.path && one.host == other.host && one.port == other.port;
}

void try_server(const std::string& text) {
  try {
    const io::Address address = io::parse_address(text);
    fuzz::demand(is_same(io::parse_address(address.url()), address),
                 "a server's address survives its own URL");
    address.is_loopback();
  } catch (const io::AddressError&) {
  }
}

void try_client(std::string_view text) {
  try {
    const auto addresses = io::parse_url(text);
    fuzz::demand(!addresses.empty(), "a URL names a server");
    for (const io::Address& address : addresses) {
      const auto again = io::parse_url(address.url());
      fuzz::demand(again.size() == 1 && is_same(again.front(), address),
                   "a client's address survives its own URL");
    }
  } catch (const io::AddressError& refused) {
    fuzz::demand(*refused.what() != '\0', "a refusal says why");
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
