// The HTTP interface: its paths, and the function behind each. docs/http.md describes it.
//
// It has no sockets. It turns an exchange (service/http/exchange.h) into messages of the client
// protocol. A client (service/http/http_clients.h, service/http/session.h) sends them to the
// frontend like any other client, and the frontend's reply becomes the exchange's answer.
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

  // The server leads. Cancels waiting requests that came over HTTP to an earlier leader and whose
  // clients cannot learn of a grant any more.
  void open();
  void handle(const std::shared_ptr<Exchange>& exchange);

  // Called now and then: renews the sessions in which a request waits.
  void pulse();
  // Sends a keepalive on every event stream.
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

  // Sends the request in the session that it names.
  void ask_in_session(const std::shared_ptr<Exchange>& exchange, Fields& fields,
                      proto::Request request, Session::Words words);
  // Sends the request in the session that it names, or opens a session for it.
  void ask_in_any_session(const std::shared_ptr<Exchange>& exchange, Fields& fields,
                          proto::Request request, Session::Words words);
  // Sends the request in the session that it names, or without a session.
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
