// Where servers are: unix:PATH or baton://HOST:PORT,HOST:PORT,…
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "baton/result.h"

namespace baton::client {

struct Address {
  std::string path;  // of a Unix socket, or
  std::string host;
  std::string port;

  bool is_unix() const { return !path.empty(); }
  // As in a URL of its own.
  std::string text() const;
};

Result<std::vector<Address>> addresses_of(std::string_view url);

}  // namespace baton::client
