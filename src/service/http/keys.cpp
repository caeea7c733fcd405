#include "service/http/keys.h"

#include <charconv>
#include <random>

#include "core/fnv.h"
#include "service/http/text.h"

namespace baton::http {

namespace {

constexpr int bits_of_content = 23;
constexpr std::uint64_t content_mask = (std::uint64_t{1} << bits_of_content) - 1;
constexpr std::uint64_t key_mask = (std::uint64_t{1} << 40) - 1;

// FNV-1a, and then all bits stirred. It must never change: journals have what it makes.
std::uint64_t hash(std::string_view text, std::uint64_t from = fnv1a("")) {
  std::uint64_t value = fnv1a(text, from);
  value = (value ^ value >> 33) * 0xff51afd7ed558ccd;
  value = (value ^ value >> 33) * 0xc4ceb9fe1a85ec53;
  return value ^ value >> 33;
}

std::uint64_t random_number() {
  std::random_device device;
  return std::uint64_t{device()} << 32 | device();
}

}  // namespace

KeyedRequest range_of(const std::string& key) {
  const std::uint64_t first = (hash(key) & key_mask) << bits_of_content;
  // 0 is no number of a request.
  return {{}, {first == 0 ? 1 : first}, {first | content_mask}};
}

KeyedRequest keyed_request(const std::string& key, const Request& request) {
  KeyedRequest result = range_of(key);
  std::uint64_t content = hash(request.method + " " + request.path);
  for (const auto& [name, value] : request.query) content = hash(name + "=" + value, content);
  content = hash(request.body, content) & content_mask;
  result.id = {(result.last.value & ~content_mask) | content};
  if (result.id < result.first) result.id = result.first;
  return result;
}

service::RequestId unkeyed_request() { return {random_number() | service::first_unrepeated.value}; }

std::string random_nonce() {
  std::string bytes;
  for (int i = 0; i < 2; ++i) {
    const std::uint64_t number = random_number();
    for (int shift = 0; shift < 64; shift += 8) bytes += static_cast<char>(number >> shift & 255U);
  }
  return bytes;
}

std::string nonce_of_key(const std::string& key) { return "http-key " + key; }

std::string Token::text() const { return std::to_string(session.value) + "." + hex(nonce); }

std::optional<Token> Token::parse(std::string_view text) {
  const std::size_t dot = text.find('.');
  if (dot == std::string_view::npos) return std::nullopt;
  Token token;
  const char* end = text.data() + dot;
  const auto [at, error] = std::from_chars(text.data(), end, token.session.value);
  const auto nonce = hex_decoded(text.substr(dot + 1));
  if (error != std::errc() || at != end || !nonce || nonce->empty()) return std::nullopt;
  token.nonce = *nonce;
  return token;
}

}  // namespace baton::http
