#include "cli/service/token.h"

#include <charconv>
#include <cstdlib>

#include "cli/common/command.h"

namespace baton::cli {

std::string Token::to_string() const { return ticket.to_string() + (url.empty() ? "" : "@" + url); }

Token Token::parse(const std::string& text) {
  const std::size_t at = text.find('@');
  auto ticket = SessionTicket::parse(text.substr(0, at));
  if (!ticket) throw UsageError("'" + text + "' is not a token that 'baton acquire' printed");
  return {*ticket, at == text.npos ? "" : text.substr(at + 1)};
}

std::optional<SessionAround> session_around() {
  const char* session = std::getenv("BATON_SESSION");
  const char* url = std::getenv("BATON_SESSION_URL");
  if (session == nullptr || url == nullptr) return std::nullopt;
  SessionAround around{0, url};
  const std::string text = session;
  const char* end = text.data() + text.size();
  const auto [read, error] = std::from_chars(text.data(), end, around.session);
  if (error != std::errc() || read != end || around.session == 0) return std::nullopt;
  return around;
}

}  // namespace baton::cli
