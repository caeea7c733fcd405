#include "cli/network/together.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <iomanip>
#include <numeric>
#include <sstream>

#include "cli/common/terminal.h"
#include "cli/common/text.h"
#include "cli/service/interrupt.h"
#include "peers/net/group_file.h"

namespace baton::cli {

namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

// However slow an algorithm is and however busy the machine: somebody enters more often.
constexpr auto longest_silence = 60s;

class Watch {
 public:
  Watch(ProcessGroup& group, const Orders& orders, const Listener& listener)
      : group_(group), orders_(orders), listener_(listener), done_(group.size()) {}

  TogetherWork run() {
    const auto began = Clock::now();
    work_.members.resize(group_.size());
    for (std::uint32_t i = 0; i < group_.size(); ++i) group_.tell({i}, order_for(i));
    last_step_ = Clock::now();
    while (at_work_ > 0) {
      NodeId member;
      std::string line;
      if (group_.hear_any(member, line, 50ms)) hear(member, line);
      look_around();
    }
    work_.seconds = std::chrono::duration<double>(Clock::now() - began).count();
    return std::move(work_);
  }

 private:
  std::string order_for(std::uint32_t member) const {
    const std::uint64_t times =
        orders_.times / group_.size() + (member < orders_.times % group_.size() ? 1 : 0);
    std::ostringstream order;
    order << orders_.verb << " " << std::quoted(orders_.path) << " " << orders_.lock << " "
          << times;
    return order.str();
  }

  void hear(NodeId member, const std::string& line) {
    const std::size_t end = std::min(line.find(' '), line.size());
    const std::string word = line.substr(0, end);
    const std::string rest = line.substr(std::min(end + 1, line.size()));
    if (word == "problem") throw ProcessGroupError(rest);
    if (word == "counted") {
      work_.members[member.value] = parse_work(rest);
      set_done(member, work_.members[member.value].done);
      --at_work_;
    } else if (word == "progress") {
      set_done(member, std::strtoull(rest.c_str(), nullptr, 10));
    } else if (listener_) {
      listener_(member, word, rest);
    }
  }

  void set_done(NodeId member, std::uint64_t done) {
    if (done > done_[member.value]) last_step_ = Clock::now();
    done_[member.value] = done;
    const auto all = std::accumulate(done_.begin(), done_.end(), std::uint64_t{0});
    const bool is_locked = orders_.lock != "-";
    line_.show((is_locked ? "with the lock: " : "without a lock: ") + grouped(all) + " of " +
               grouped(orders_.times));
  }

  void look_around() {
    if (const auto signal = interrupted_within(0ms)) throw Interrupted{*signal};
    for (std::uint32_t i = 0; i < group_.size(); ++i) {
      if (group_.is_gone({i}))
        throw ProcessGroupError("process " + std::to_string(i) + " has ended");
    }
    if (Clock::now() - last_step_ > longest_silence) {
      throw ProcessGroupError("nobody has got anything done for a minute");
    }
  }

  ProcessGroup& group_;
  const Orders& orders_;
  const Listener& listener_;
  std::vector<std::uint64_t> done_;
  std::uint32_t at_work_ = group_.size();
  Clock::time_point last_step_;
  TogetherWork work_;
  ProgressLine line_;
};

}  // namespace

std::uint64_t TogetherWork::done() const {
  std::uint64_t all = 0;
  for (const WorkResult& one : members) all += one.done;
  return all;
}

// All members did as much, so that their waits count alike.
double TogetherWork::median_wait_us() const {
  std::vector<double> waits;
  for (const WorkResult& one : members) {
    waits.insert(waits.end(), one.some_waits_us.begin(), one.some_waits_us.end());
  }
  if (waits.empty()) return 0;
  std::sort(waits.begin(), waits.end());
  return waits[waits.size() / 2];
}

double TogetherWork::mean_wait_us() const {
  double sum = 0;
  for (const WorkResult& one : members) sum += one.mean_wait_us * static_cast<double>(one.done);
  return done() == 0 ? 0 : sum / static_cast<double>(done());
}

double TogetherWork::longest_wait_us() const {
  double longest = 0;
  for (const WorkResult& one : members) longest = std::max(longest, one.longest_wait_us);
  return longest;
}

TogetherWork work_together(ProcessGroup& group, const Orders& orders, const Listener& listener) {
  return Watch(group, orders, listener).run();
}

DemoFolder::DemoFolder() {
  take_interrupts();
  std::string name = (fs::temp_directory_path() / "baton-demo-XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr) {
    throw ProcessGroupError("cannot make a directory below " + fs::temp_directory_path().string());
  }
  path_ = name;
}

DemoFolder::~DemoFolder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

Action group_action(std::function<int()> what) {
  return [what = std::move(what)] {
    try {
      return what();
    } catch (const Interrupted& interrupted) {
      end_by(interrupted.signal);
    } catch (const net::GroupFileError& error) {
      throw UsageError(error.what());
    }
  };
}

}  // namespace baton::cli
