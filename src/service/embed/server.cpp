// The server object of the installed library: a host and its thread.
#include "baton/server.h"

#include <filesystem>
#include <future>
#include <optional>
#include <thread>
#include <utility>

#include "service/server/host.h"

namespace baton {
inline namespace v1 {

struct Server::Running {
  std::unique_ptr<server::Host> host;
  std::thread thread;
  std::optional<std::string> problem;

  ~Running() { (void)stop(); }

  Result<void> stop() {
    if (thread.joinable()) {
      host->stop();
      thread.join();
    }
    if (problem) return Failure{Error::internal, *problem};
    return {};
  }
};

Server::Server(std::unique_ptr<Running> running) : running_(std::move(running)) {}
Server::Server(Server&&) noexcept = default;
Server& Server::operator=(Server&&) noexcept = default;
Server::~Server() = default;

namespace {

std::string journal_in(const std::string& directory) {
  if (directory.empty()) return "memory:";
  std::filesystem::create_directories(directory);
  return "sqlite:" + directory + "/journal.db";
}

}  // namespace

Result<Server> Server::start(ServerOptions options) {
  if (options.listen.empty()) return Failure{Error::bad_request, "nowhere to listen on"};
  auto running = std::make_unique<Running>();
  auto ready = std::make_shared<std::promise<Result<void>>>();
  auto is_ready = std::make_shared<std::atomic<bool>>(false);
  const auto settle = [ready, is_ready](Result<void> result) {
    if (!is_ready->exchange(true)) ready->set_value(std::move(result));
  };
  try {
    server::HostOptions host;
    host.listen = std::move(options.listen);
    host.journal = journal_in(options.directory);
    host.name = std::move(options.name);
    host.on_ready = [settle] { settle({}); };
    running->host = std::make_unique<server::Host>(std::move(host));
  } catch (const std::exception& error) {
    return Failure{Error::unavailable, error.what()};
  }
  running->thread = std::thread([it = running.get(), settle] {
    try {
      it->problem = it->host->run();
    } catch (const std::exception& error) {
      it->problem = error.what();
    }
    settle(Failure{Error::unavailable, it->problem.value_or("it stopped")});
  });
  if (Result<void> begun = ready->get_future().get(); !begun) return begun.failure();
  return Server(std::move(running));
}

std::vector<std::string> Server::urls() const { return running_->host->urls(); }
Result<void> Server::stop() { return running_->stop(); }

}  // namespace v1
}  // namespace baton
