// Recognises a retry over HTTP: the request number that stands for an Idempotency-Key, and the
// token that stands for a session.
//
// A session that was opened over HTTP keeps its latest answers by request number (OpenSession::
// latest_answers). The number of a request with a key has 40 bits of the key's hash and 23 bits of
// the hash of the request's content. So a retry with the same key finds the same answer, also after
// a restart, and the server notices if a client uses a key for another request. A request without a
// key gets a random number above all those, and a retry of it is never recognised.
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
