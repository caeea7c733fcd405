// Members of a group on real sockets, in one process, on one loop.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "io/reserved_port.h"
#include "peers/net/peer.h"

namespace baton::net {

struct TestMember final : PeerEvents {
  void granted(Namespace space, const std::string& name, const FencingToken& fence) override {
    held[{space, name}] = fence;
    ++grants;
    if (on_grant) on_grant(name);
  }
  void lost(Namespace space, const std::string& name) override {
    held.erase({space, name});
    ++losses;
  }
  void warned(const std::string& what) override { warnings.push_back(what); }

  std::unique_ptr<Peer> peer;
  std::map<std::pair<Namespace, std::string>, FencingToken> held;
  int grants = 0;
  int losses = 0;
  std::vector<std::string> warnings;
  std::vector<TraceEvent> trace;
  std::function<void(const std::string&)> on_grant;
};

class PeersTest : public testing::Test {
 protected:
  void build(std::uint32_t size, const std::string& algorithm = "ricart-agrawala",
             bool traced = false) {
    file_.algorithm = algorithm;
    file_.heartbeat = std::chrono::milliseconds(20);
    ports_.resize(size);
    for (std::uint32_t i = 0; i < size; ++i) {
      file_.members.push_back({std::to_string(i + 1), "127.0.0.1", ports_[i].number()});
      members_.push_back(std::make_unique<TestMember>());
    }
    traced_ = traced;
    for (std::uint32_t i = 0; i < size; ++i) start({i});
  }
  virtual PeerOptions options(NodeId node) {
    PeerOptions made{.group = file_, .self = node};
    TestMember* const one = members_[node.value].get();
    if (traced_) made.record = [one](const TraceEvent& event) { one->trace.push_back(event); };
    return made;
  }
  void start(NodeId node) {
    TestMember& one = *members_[node.value];
    one.held.clear();
    one.peer = std::make_unique<Peer>(io_, options(node), one);
    one.peer->start();
  }
  // Runs until it holds, for twenty seconds at most.
  bool until(const std::function<bool()>& holds) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (!holds()) {
      if (std::chrono::steady_clock::now() > end) return false;
      run_for(std::chrono::milliseconds(1));
    }
    return true;
  }
  void run_for(std::chrono::milliseconds time) {
    io_.run_for(time);
    io_.restart();
  }
  bool all_work() {
    return std::all_of(members_.begin(), members_.end(), [](const auto& one) {
      return one->peer == nullptr || one->peer->is_working();
    });
  }
  bool holds(NodeId node, const std::string& name, Namespace space = Namespace::lock) {
    return members_[node.value]->held.contains({space, name});
  }
  Peer& peer(NodeId node) { return *members_[node.value]->peer; }

  boost::asio::io_context io_;
  std::vector<io::ReservedPort> ports_;
  GroupFile file_;
  bool traced_ = false;
  std::vector<std::unique_ptr<TestMember>> members_;
};

}  // namespace baton::net
