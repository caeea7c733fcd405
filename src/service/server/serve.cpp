#include "service/server/serve.h"

#include <google/protobuf/stubs/logging.h>

#include <boost/asio/signal_set.hpp>
#include <csignal>
#include <exception>
#include <utility>

#include "service/server/log.h"
#include "service/server/supervisor.h"

namespace baton::server {

namespace {

void stop_upon_signal(boost::asio::signal_set& signals, Host& host) {
  signals.async_wait([&signals, &host](const boost::system::error_code& error, int) {
    if (error) return;
    notify_supervisor("STOPPING=1");
    host.stop();
    stop_upon_signal(signals, host);
  });
}

}  // namespace

int serve(const ServeOptions& options) {
  // The server tells a client what is wrong with its message. Protobuf must not log it too: a
  // client could fill the log.
  google::protobuf::SetLogHandler(nullptr);
  const auto log = make_log(options.log_as_json, options.log_level);
  HostOptions of_host = options;
  of_host.descriptors = take_passed_sockets();
  if (of_host.listen.empty() && of_host.descriptors.empty() && !of_host.side_server) {
    log->critical("nothing to listen on: say --listen unix:PATH or --listen HOST:PORT");
    return could_not_begin;
  }
  of_host.log = log;
  of_host.on_ready = [] { notify_supervisor("READY=1"); };
  try {
    Host host(std::move(of_host));
    boost::asio::signal_set signals(host.io(), SIGTERM, SIGINT);
    stop_upon_signal(signals, host);
    const auto attendant = options.attend ? options.attend(host) : nullptr;
    return host.run() ? could_not_go_on : served;
  } catch (const std::exception& problem) {
    log->critical("{}", problem.what());
    return could_not_begin;
  }
}

}  // namespace baton::server
