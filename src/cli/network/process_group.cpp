#include "cli/network/process_group.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <sstream>
#include <thread>
#include <utility>

#include "cli/network/process_group_member.h"
#include "io/reserved_port.h"
#include "peers/net/group_file.h"

namespace baton::cli {

namespace {

using Clock = std::chrono::steady_clock;

}  // namespace

ProcessGroup::ProcessGroup(const ProcessGroupOptions& options) {
  try {
    start(options);
  } catch (...) {
    end();
    throw;
  }
}

ProcessGroup::~ProcessGroup() { end(); }

void ProcessGroup::start(const ProcessGroupOptions& options) {
  net::GroupFile group;
  group.group = "group-" + std::to_string(::getpid());
  if (!options.algorithm.empty()) group.algorithm = options.algorithm;
  group.heartbeat = options.heartbeat;
  // Groups share few processors: nobody is to be taken for dead who only waits for one.
  group.patience = 50;
  group.lease = 100;
  const std::vector<io::ReservedPort> ports(options.size);
  for (std::uint32_t i = 0; i < options.size; ++i) {
    group.members.push_back({std::to_string(i), "127.0.0.1", ports[i].number()});
  }
  net::check_algorithms(group);
  std::fflush(nullptr);
  children_.resize(options.size);
  for (std::uint32_t i = 0; i < options.size; ++i) {
    std::array<int, 2> ends{};
    if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()) != 0) {
      throw ProcessGroupError("there is no room for another member");
    }
    const pid_t child = ::fork();
    if (child < 0) throw ProcessGroupError("cannot start a process");
    if (child == 0) {
      ::prctl(PR_SET_PDEATHSIG, SIGKILL);
      ::signal(SIGINT, SIG_IGN);
      for (const Child& other : children_) {
        if (other.socket >= 0) ::close(other.socket);
      }
      ::close(ends[0]);
      ::_exit(serve_controller(ends[1], group, {i}, options.trace_folder));
    }
    ::close(ends[1]);
    children_[i] = {child, ends[0], {}};
  }
  for (std::uint32_t i = 0; i < options.size; ++i) hear({i}, "ready");
}

void ProcessGroup::end() {
  for (Child& member : children_) {
    if (member.socket >= 0) ::close(member.socket);
  }
  const auto end = Clock::now() + std::chrono::seconds(10);
  for (const Child& member : children_) {
    if (member.process <= 0) continue;
    while (::waitpid(member.process, nullptr, WNOHANG) == 0) {
      if (Clock::now() > end) ::kill(member.process, SIGKILL);
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
  }
}

void ProcessGroup::tell(NodeId member, const std::string& line) {
  ::send(children_[member.value].socket, line.data(), line.size(), MSG_NOSIGNAL);
}

void ProcessGroup::tell_all(const std::string& line) {
  for (std::uint32_t i = 0; i < size(); ++i) tell({i}, line);
}

void ProcessGroup::read_from(Child& member) {
  std::array<char, 4096> buffer{};
  const ssize_t count = ::recv(member.socket, buffer.data(), buffer.size(), 0);
  if (count > 0) {
    member.unheard.emplace_back(buffer.data(), static_cast<std::size_t>(count));
  } else {
    ::close(std::exchange(member.socket, -1));
  }
}

std::string ProcessGroup::hear(NodeId id, const std::string& word,
                               std::chrono::milliseconds patience) {
  Child& member = children_[id.value];
  const auto end = Clock::now() + patience;
  while (true) {
    for (auto at = member.unheard.begin(); at != member.unheard.end(); ++at) {
      if (at->starts_with("problem ")) throw ProcessGroupError(at->substr(8));
      if (!at->starts_with(word)) continue;
      const std::string rest = at->substr(std::min(word.size() + 1, at->size()));
      member.unheard.erase(at);
      return rest;
    }
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - Clock::now());
    pollfd one{member.socket, POLLIN, 0};
    if (member.socket < 0 || left.count() <= 0 ||
        ::poll(&one, 1, static_cast<int>(left.count())) <= 0) {
      throw ProcessGroupError("process " + std::to_string(id.value) + " does not say \"" + word +
                              "\"");
    }
    read_from(member);
  }
}

bool ProcessGroup::hear_any(NodeId& id, std::string& line, std::chrono::milliseconds patience) {
  for (std::uint32_t round = 0; round < 2; ++round) {
    std::vector<pollfd> all;
    for (std::uint32_t i = 0; i < size(); ++i) {
      Child& member = children_[i];
      if (!member.unheard.empty()) {
        id = {i};
        line = member.unheard.front();
        member.unheard.erase(member.unheard.begin());
        return true;
      }
      all.push_back({member.socket, POLLIN, 0});
    }
    if (::poll(all.data(), all.size(), round == 0 ? static_cast<int>(patience.count()) : 0) <= 0) {
      return false;
    }
    for (std::uint32_t i = 0; i < size(); ++i) {
      if (all[i].revents != 0) read_from(children_[i]);
    }
  }
  return false;
}

MessageCounters ProcessGroup::counters(NodeId member) {
  tell(member, "counters");
  std::istringstream words(hear(member, "counters"));
  MessageCounters counters;
  words >> counters.enter >> counters.exit >> counters.upkeep >> counters.received >>
      counters.grants >> counters.sent >> counters.taken >> counters.bytes;
  return counters;
}

MessageCounters ProcessGroup::counters() {
  MessageCounters all;
  for (std::uint32_t i = 0; i < size(); ++i) {
    const MessageCounters one = counters({i});
    all.enter += one.enter;
    all.exit += one.exit;
    all.upkeep += one.upkeep;
    all.received += one.received;
    all.grants += one.grants;
    all.sent += one.sent;
    all.taken += one.taken;
    all.bytes += one.bytes;
  }
  return all;
}

// The counters are read one after the other, while the members go on. But if all that had been sent
// by the end of this reading was taken before it began, nothing was under way in between.
void ProcessGroup::wait_until_quiet() {
  const auto end = Clock::now() + std::chrono::seconds(30);
  for (std::uint64_t taken_before = counters().taken;;) {
    const MessageCounters now = counters();
    if (now.sent == taken_before) return;
    if (Clock::now() > end) throw ProcessGroupError("the group does not fall silent");
    taken_before = now.taken;
  }
}

WorkResult parse_work(const std::string& line) {
  std::istringstream words(line);
  WorkResult work;
  words >> work.done >> work.seconds >> work.mean_wait_us >> work.median_wait_us >>
      work.longest_wait_us >> work.in_a_row;
  for (double wait = 0; words >> wait;) work.some_waits_us.push_back(wait);
  return work;
}

}  // namespace baton::cli
