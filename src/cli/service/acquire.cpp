// Locks for scripts that cannot wrap: taken by one command and released by another. In between the
// session has no process, only a lease.
#include <boost/json.hpp>
#include <iostream>
#include <memory>

#include "cli/common/arguments.h"
#include "cli/service/commands.h"
#include "cli/service/connection.h"
#include "cli/service/hold_options.h"
#include "cli/service/interrupt.h"
#include "cli/service/token.h"
#include "io/json_text.h"
#include "service/http/info_json.h"

namespace baton::cli {

namespace {

using namespace std::chrono_literals;

struct AcquireOptions : HoldOptions {
  bool json = false;
  bool env = false;
};

void print(const AcquireOptions& options, const Token& token, const Lock& lock) {
  if (options.json) {
    boost::json::object object{{"session", token.to_string()},
                               {"session_id", token.ticket.session}};
    http::add_lease(object, {options.ttl.count()});
    object["names"] = boost::json::array(options.names.begin(), options.names.end());
    object["fence"] = lock.fence();
    if (options.asked.slots > 1) object["slot"] = lock.slot();
    std::cout << io::json_text(object) << "\n";
  } else if (options.env) {
    std::cout << "BATON_TOKEN='" << token.to_string() << "' BATON_FENCE=" << lock.fence() << "\n";
  } else {
    std::cout << token.to_string() << "\n";
  }
}

// Nobody would use what was taken by a command that was interrupted, and it would stay taken for as
// long as the lease.
int acquire(const AcquireOptions& options) {
  options.check();
  const Reach reach(options.url);
  Interruption interruption;
  Client client = reach.connect(options.client());
  if (client.ttl() < options.ttl) {
    (void)client.close();
    throw Refused("leases last at most " + typed(client.ttl()) + " at this server: take --ttl " +
                      typed(client.ttl()) + ", or 'baton lock', which renews the lease",
                  exit_code_of(Error::unsupported), {Error::unsupported});
  }
  LockOptions how = options.lock();
  how.give_up = interruption.begin();
  Result<Lock> lock = client.lock(options.names, std::move(how));
  if (interruption.has_come()) {
    (void)client.close();
    interruption.end_process();
  }
  if (!lock) {
    const bool is_conflict = lock.error() == Error::busy || lock.error() == Error::timed_out;
    throw Refused(told(lock.failure()),
                  is_conflict ? options.conflict_exit_code : exit_code_of(lock.error()),
                  lock.failure());
  }
  const SessionTicket ticket = value_of(client.detach());
  print(options, {ticket, reach.choice().scope == local::Scope::given ? reach.url() : ""}, *lock);
  if (!std::cout.flush()) (void)reach.attach({}, ticket).close();
  return exit_ok;
}

struct TokenOptions {
  std::string token;
  std::string url;
};

std::shared_ptr<TokenOptions> add_token(Command& command) {
  auto options = std::make_shared<TokenOptions>();
  command.add_option("TOKEN", options->token, "What 'baton acquire' printed").in_usage("TOKEN");
  add_url(command, options->url);
  return options;
}

Client attach(const TokenOptions& options) {
  if (options.token.empty()) throw UsageError("say which token: what 'baton acquire' printed");
  const Token token = Token::parse(options.token);
  const Reach reach(options.url.empty() ? token.url : options.url);
  return reach.attach({}, token.ticket);
}

}  // namespace

void add_acquire(Command& app, Action& action) {
  Command& command = app.add_command(
      "acquire",
      "Take a lock for a script, and print a token\n\n"
      "For scripts that cannot run under 'baton lock'. The lock is held until 'baton release', or "
      "until the lease (--ttl) expires; 'baton renew' renews the lease. If the lock is lost, Baton "
      "does not stop the script: show BATON_FENCE to whatever two must never write.");
  command.example("token=$(baton acquire deploy --ttl 5m) && baton release $token")
      .example("eval \"$(baton acquire deploy --env)\" && baton release $BATON_TOKEN");
  const auto options = std::make_shared<AcquireOptions>();
  options->ttl = 60s;
  options->add_lock_to(command);
  options->add_waiting_to(command);
  add_url(command, options->url);
  command.add_flag("--env", options->env, "Print BATON_TOKEN and BATON_FENCE for eval");
  command.add_flag("--json", options->json, "Print session (the token), fence and more as JSON");
  command.callback([options, &action] {
    action = service_action(
        "acquire", [options] { return acquire(*options); }, options->json);
  });
}

void add_renew(Command& app, Action& action) {
  Command& command = app.add_command("renew",
                                     "Renew the lease of what 'acquire' took\n\n"
                                     "Exit code 123: a lock was lost. Stop the work and call "
                                     "'baton release': the next client gets "
                                     "the lock then, or when the lease expires.");
  command.example("token=$(baton acquire deploy) && baton renew $token && baton release $token");
  const auto options = add_token(command);
  command.callback([options, &action] {
    action = service_action("renew", [options] {
      Client client = attach(*options);
      const std::vector<LostHold> lost = client.lost_holds();
      value_of(client.detach());
      if (!lost.empty())
        throw Refused(Failure{Error::lock_lost, "'" + lost[0].name + "': " + lost[0].reason});
      return exit_ok;
    });
  });
}

void add_release(Command& app, Action& action) {
  Command& command = app.add_command(
      "release",
      "Release what 'acquire' took\n\n"
      "Exit code 123: a lock had been lost before. The other locks of the token are released, and "
      "the server knows that the work has stopped.");
  command.example("token=$(baton acquire deploy) && baton release $token");
  const auto options = add_token(command);
  command.callback([options, &action] {
    action = service_action("release", [options] {
      Client client = attach(*options);
      value_of(client.close());
      return exit_ok;
    });
  });
}

}  // namespace baton::cli
