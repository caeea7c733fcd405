// How a request over HTTP is recognised when it is repeated: what stands for its Idempotency-Key in
// the service, and the token that stands for its session.
//
// A session that was opened over HTTP keeps its latest answers by request number (OpenSession::
// latest_answers). The number of a request with a key is made of the key and of what is asked:
// 40 bits of the one, 23 of the other. So the same key finds the same answer, also after a restart,
// and the same key with another request is found out. Requests without a key get random numbers
// above all those, and are never recognised.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "service/http/exchange.h"
#include "service/state/command.h"

namespace baton::http {

inline constexpr std::uint32_t answers_kept = 1000;  // of each session
inline constexpr std::size_t longest_key = 100;
// A key that opens a session is the session's secret, and must be hard to guess.
inline constexpr std::size_t shortest_opening_key = 16;

struct KeyedRequest {
  service::RequestId id;
  service::RequestId first;  // all numbers that belong to the key
  service::RequestId last;
};
KeyedRequest keyed_request(const std::string& key, const Request& request);
// All of a key, without a request.
KeyedRequest range_of(const std::string& key);
service::RequestId unkeyed_request();

// 16 bytes that nobody can guess.
std::string random_nonce();
std::string nonce_of_key(const std::string& key);

// "7.0123abcd": the session's number and its nonce.
struct Token {
  service::SessionId session;
  std::string nonce;

  std::string text() const;
  static std::optional<Token> parse(std::string_view text);
};

}  // namespace baton::http
