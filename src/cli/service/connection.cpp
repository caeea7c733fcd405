#include "cli/service/connection.h"

#include <fmt/format.h>

#include <boost/json.hpp>
#include <chrono>
#include <cstdio>
#include <iostream>
#include <utility>

#include "cli/common/arguments.h"
#include "cli/common/terminal.h"
#include "cli/common/text.h"
#include "io/json_text.h"
#include "service/http/info_json.h"

namespace baton::cli {

using std::chrono::steady_clock;

namespace {

// With one server, and with the user's own, which may have to be started more than once.
constexpr std::chrono::seconds patience{5};
constexpr std::chrono::seconds patience_with_ours{30};

}  // namespace

int exit_code_of(Error error) {
  namespace code = process::exit_code;
  switch (error) {
    case Error::none:
      return exit_ok;
    case Error::busy:
    case Error::timed_out:
    case Error::conflict:
      return code::conflict;
    case Error::would_deadlock:
      return exit_deadlock;
    case Error::not_held:
    case Error::not_found:
    case Error::compacted:
      return exit_nothing;
    case Error::session_lost:
    case Error::lock_lost:
    case Error::stale:
      return code::lost;
    case Error::bad_request:
    case Error::slots_differ:
    case Error::too_large:
    case Error::unsupported:
      return exit_usage;
    case Error::unavailable:
    case Error::not_leader:
    case Error::shutting_down:
    case Error::version:
    case Error::too_many:
      return code::unavailable;
    case Error::cancelled:
    case Error::internal:
      break;
  }
  return code::failed;
}

namespace {

// A name alone says nothing without what is wrong with it.
bool is_name(const std::string& message) {
  return message.size() > 1 && message.front() == '\'' &&
         message.find('\'', 1) + 1 == message.size();
}

// Of these the message is a sentence by itself; of the others it is a detail.
bool says_all(Error error) {
  switch (error) {
    case Error::conflict:
    case Error::not_found:
    case Error::bad_request:
    case Error::slots_differ:
    case Error::too_large:
    case Error::too_many:
    case Error::compacted:
    case Error::unsupported:
    case Error::unavailable:
    case Error::not_leader:
    case Error::shutting_down:
    case Error::version:
      return true;
    default:
      return false;
  }
}

}  // namespace

std::string told(const Failure& failure) {
  const bool is_whole = says_all(failure.error) && !is_name(failure.message);
  return failure.message.empty() || !is_whole ? to_string(failure) : failure.message;
}

Refused::Refused(const Failure& failure)
    : Refused(told(failure), exit_code_of(failure.error), failure) {}

void add_url(Command& command, std::string& url) {
  command
      .add_option(
          "--url", url,
          "The server: unix:PATH or baton://HOST:PORT,… (default: BATON_URL, or the server of "
          "this machine, or one that is started for this user)")
      .type_name("URL");
}

void add_stale(Command& command, bool& stale) {
  command.add_flag("--stale", stale, "Ask any server of a cluster; the answer may be old");
}

void tell_age(const Client& client) {
  const double seconds = std::chrono::duration<double>(client.age()).count();
  tell(fmt::format("baton: the answer may lack the last {:.3f} s", seconds));
}

Reach::Reach(const std::string& url) {
  try {
    choice_ = local::choose(url);
  } catch (const local::Unavailable& problem) {
    throw Refused(problem.what(), process::exit_code::unavailable, {Error::unavailable});
  }
}

// Somebody who waits wants to know for what.
template <class Connect>
Result<Client> Reach::try_patiently(ClientOptions options, Connect connect) const {
  const bool is_patient = std::exchange(options.keep_trying, false);
  Result<Client> first = connect(options);
  if (first || first.error() != Error::unavailable || !is_patient) return first;
  tell(fmt::format("baton: {}; trying again for {} s", printable(told(first.failure())),
                   patience.count()));
  options.keep_trying = true;
  return connect(options);
}

template <class Connect>
Client Reach::keep_trying(const ClientOptions& options, Connect connect) const {
  const auto deadline = steady_clock::now() + patience_with_ours;
  ClientOptions attempt = options;
  attempt.url = choice_.url;
  attempt.patience = patience;
  const bool is_ours = choice_.scope == local::Scope::user;
  for (;;) {
    try {
      local::make_sure(choice_);
    } catch (const local::Unavailable& problem) {
      throw Refused(problem.what(), process::exit_code::unavailable, {Error::unavailable});
    }
    Result<Client> client = is_ours ? connect(attempt) : try_patiently(attempt, connect);
    if (client) return std::move(client).value();
    // A local server that has just ended is started again.
    const bool is_worth_it =
        client.error() == Error::unavailable || client.error() == Error::shutting_down;
    if (is_ours && is_worth_it && steady_clock::now() < deadline) continue;
    std::string what = told(client.failure());
    const bool is_named = what.find(choice_.url) != what.npos;
    if (is_worth_it && !is_ours && !is_named) what += " (" + choice_.url + ")";
    if (client.error() == Error::version && is_ours) {
      what += "; the running local server stops by itself when nobody uses it";
    }
    throw Refused(what, exit_code_of(client.error()), client.failure());
  }
}

Client Reach::connect(ClientOptions options) const {
  return keep_trying(options,
                     [](const ClientOptions& attempt) { return Client::connect(attempt); });
}

Client Reach::look(bool stale) const {
  return connect(
      {.keep_trying = choice_.scope != local::Scope::given, .session = false, .stale = stale});
}

Client Reach::attach(ClientOptions options, const SessionTicket& ticket) const {
  return keep_trying(
      options, [&ticket](const ClientOptions& attempt) { return Client::attach(attempt, ticket); });
}

bool Reach::revive() const {
  try {
    local::make_sure(choice_);
    return true;
  } catch (const local::Unavailable&) {
    return false;
  }
}

Action service_action(const std::string& command, std::function<int()> what, bool as_json) {
  return [command, what = std::move(what), as_json] {
    try {
      return what();
    } catch (const Refused& refused) {
      tell("baton " + command + ": " + printable(refused.what()));
      if (as_json) {
        std::cout << io::json_text(http::json_of_error(refused.failure())) << "\n";
      }
      return refused.code();
    }
  };
}

}  // namespace baton::cli
