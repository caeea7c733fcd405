// Which session a script speaks of: that of a token that 'baton acquire' printed, or the one that
// it runs in.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "baton/client.h"

namespace baton::cli {

// A ticket, and where it was had unless that is the server that everybody finds by himself:
// "baton1-…" or "baton1-…@baton://host:7400".
struct Token {
  SessionTicket ticket;
  std::string url;

  std::string to_string() const;
  // Throws UsageError.
  static Token parse(const std::string& text);
};

// Of a 'baton lock' or 'baton elect' that this process runs under, as the environment says.
struct SessionAround {
  std::uint64_t session = 0;
  std::string url;
};
std::optional<SessionAround> session_around();

}  // namespace baton::cli
