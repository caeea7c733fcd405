// The peer object of the installed library: a member, its host and their thread.
#include "baton/peer.h"

#include <atomic>
#include <filesystem>
#include <future>
#include <optional>
#include <thread>
#include <utility>

#include "peers/member/member.h"

namespace baton {
inline namespace v1 {

struct Peer::Running {
  std::unique_ptr<peer::Member> member;
  std::unique_ptr<server::Host> host;
  std::thread thread;
  std::optional<std::string> problem;
  std::atomic<bool> is_working = false;

  ~Running() { (void)stop(); }

  Result<void> stop() {
    if (thread.joinable()) {
      host->stop();
      thread.join();
    }
    // It may still call the member.
    if (member) member->leave_host();
    host.reset();
    if (problem) return Failure{Error::internal, *problem};
    return {};
  }
};

Peer::Peer(std::unique_ptr<Running> running) : running_(std::move(running)) {}
Peer::Peer(Peer&&) noexcept = default;
Peer& Peer::operator=(Peer&&) noexcept = default;
Peer::~Peer() = default;

Result<Peer> Peer::start(PeerOptions options) {
  auto running = std::make_unique<Running>();
  try {
    if (options.directory.empty()) {
      return Failure{Error::bad_request,
                     "the option `directory` is missing: the folder for this member's promises"};
    }
    std::filesystem::create_directories(options.directory);
    net::PeerOptions of_net;
    of_net.group = net::read_group(options.group);
    if (!options.algorithm.empty()) of_net.group.algorithm = options.algorithm;
    if (!options.election.empty()) of_net.group.election = options.election;
    net::check_algorithms(of_net.group);
    of_net.self = of_net.group.find(options.self);
    if (of_net.self == nobody) {
      return Failure{Error::bad_request,
                     "there is no member `" + options.self + "` in " + options.group};
    }
    const std::string stem = options.directory + "/" + options.self;
    of_net.promises = stem + ".promises";
    server::HostOptions of_host;
    of_host.listen = {"unix:" + stem + ".socket"};
    of_host.name = of_net.group.group + "/" + options.self;
    running->member = std::make_unique<peer::Member>(std::move(of_net));
    running->member->on_change(
        [it = running.get()](bool is_working) { it->is_working = is_working; });
    of_host.gate = running->member.get();
    running->host = std::make_unique<server::Host>(std::move(of_host));
    running->member->attend(*running->host);
  } catch (const net::GroupFileError& problem) {
    return Failure{Error::bad_request, problem.what()};
  } catch (const std::exception& problem) {
    return Failure{Error::unavailable, problem.what()};
  }
  running->thread = std::thread([it = running.get()] {
    try {
      it->problem = it->host->run();
    } catch (const std::exception& error) {
      it->problem = error.what();
    }
    it->is_working = false;
  });
  return Peer(std::move(running));
}

std::string Peer::url() const { return running_->host->urls().front(); }
bool Peer::is_working() const { return running_->is_working; }
Result<void> Peer::stop() { return running_->stop(); }

}  // namespace v1
}  // namespace baton
