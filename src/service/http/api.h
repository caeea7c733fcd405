// The HTTP interface: which paths there are, and what each does. docs/http.md describes it.
//
// It knows nothing of sockets. An exchange (service/http/exchange.h) comes in; what it asks becomes
// messages of the client protocol, which a client (service/http/http_clients.h,
// service/http/session.h) says at the frontend like any other client; what the frontend answers
// becomes the exchange's answer.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "service/http/counters.h"
#include "service/http/fields.h"
#include "service/http/http_clients.h"
#include "service/http/session.h"

namespace baton::http {

class Api {
 public:
  Api(server::Host& host, Counters& counters) : host_(host), counters_(counters), clients_(host) {}

  // The server leads. What an earlier one left in line with nobody to hear of it is taken back.
  void open();
  void handle(const std::shared_ptr<Exchange>& exchange);

  // Now and then: sessions that somebody waits in stay alive.
  void pulse();
  // A sign of life for those who listen.
  void beat();

 private:
  using Handler = void (Api::*)(const std::shared_ptr<Exchange>&);
  struct Route {
    const char* method;
    const char* path;
    Handler handler;
  };

  static const std::vector<Route>& routes();
  void dispatch(const std::shared_ptr<Exchange>& exchange);
  void healthz(const std::shared_ptr<Exchange>& exchange);
  void readyz(const std::shared_ptr<Exchange>& exchange);
  void show_metrics(const std::shared_ptr<Exchange>& exchange);

  void open_session(const std::shared_ptr<Exchange>& exchange);
  void keep_alive(const std::shared_ptr<Exchange>& exchange);
  void close_session(const std::shared_ptr<Exchange>& exchange);
  void list_sessions(const std::shared_ptr<Exchange>& exchange);
  void status(const std::shared_ptr<Exchange>& exchange);

  void lock(const std::shared_ptr<Exchange>& exchange);
  void unlock(const std::shared_ptr<Exchange>& exchange);
  void cancel(const std::shared_ptr<Exchange>& exchange);
  void downgrade(const std::shared_ptr<Exchange>& exchange);
  void upgrade(const std::shared_ptr<Exchange>& exchange);
  void campaign(const std::shared_ptr<Exchange>& exchange);
  void proclaim(const std::shared_ptr<Exchange>& exchange);
  void resign(const std::shared_ptr<Exchange>& exchange);
  void leader(const std::shared_ptr<Exchange>& exchange);
  void list_locks(const std::shared_ptr<Exchange>& exchange);
  void break_it(const std::shared_ptr<Exchange>& exchange);

  void read_files(const std::shared_ptr<Exchange>& exchange);
  void put_file(const std::shared_ptr<Exchange>& exchange);
  void remove_file(const std::shared_ptr<Exchange>& exchange);
  void watch(const std::shared_ptr<Exchange>& exchange);

  // Asks in the session that the request names.
  void ask_in_session(const std::shared_ptr<Exchange>& exchange, Fields& fields,
                      proto::Request request, Session::Words words);
  // … or opens one for it.
  void ask_in_any_session(const std::shared_ptr<Exchange>& exchange, Fields& fields,
                          proto::Request request, Session::Words words);
  // … or asks without.
  void ask_anyhow(const std::shared_ptr<Exchange>& exchange, Fields& fields,
                  const proto::Request& request, const OneShot::OfReply& words);
  void read(const std::shared_ptr<Exchange>& exchange, const proto::Read& read,
            OneShot::OfAnswer words);

  void ask(Session& session, const std::shared_ptr<Exchange>& exchange, proto::Request request,
           Session::Words words);
  std::string token_of(const Exchange& exchange, Fields& fields);
  std::shared_ptr<Session> session_of(const std::string& token);
  std::shared_ptr<Session> opened(const Exchange& exchange, const proto::OpenSession& open);
  std::shared_ptr<Session> make_session(const std::string& nonce);
  void count_streams();

  server::Host& host_;
  Counters& counters_;
  HttpClients clients_;
  std::map<std::string, std::shared_ptr<Session>> sessions_;  // by nonce
  std::vector<std::shared_ptr<Stream>> streams_;
};

}  // namespace baton::http
