#include "cli/network/process_group_member.h"

#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <cstdio>
#include <fstream>
#include <iomanip>
#include <map>
#include <sstream>

#include "cli/network/cash_machine.h"
#include "cli/network/shared_number.h"
#include "lab/view/json_lines.h"
#include "peers/net/peer.h"

namespace baton::cli {

namespace {

namespace asio = boost::asio;
using Clock = std::chrono::steady_clock;

double in_us(Clock::duration time) {
  return std::chrono::duration<double, std::micro>(time).count();
}

// How many are counted without a lock before others are heard again.
constexpr std::uint64_t portion = 500;
constexpr std::chrono::milliseconds distraction{2};
// Between reading a balance and writing the next, a machine counts notes.
constexpr std::chrono::microseconds counting_notes{100};
// Of a member's waiting times, as many as fit into a line.
constexpr std::size_t quantiles = 200;

class GroupChild final : net::PeerEvents {
 public:
  GroupChild(int socket, const net::GroupFile& group, NodeId self, const std::string& trace_folder)
      : controller_(io_, socket),
        progress_(io_),
        pause_(io_),
        peer_(io_, {.group = group, .self = self, .record = recorder(trace_folder)},
              static_cast<net::PeerEvents&>(*this)) {
    if (!trace_folder.empty()) {
      trace_ = net::trace_of(group);
      trace_path_ = trace_folder + "/" + group.members[self.value].id + ".jsonl";
    }
  }

  void run() {
    listen();
    peer_.start();
    while (!is_over_) {
      io_.poll();
      if (!is_over_ && !peer_.stays_awake()) io_.run_one();
    }
    write_trace();
  }

 private:
  // A loop of entries.
  struct Work {
    std::string lock;                       // "-": without one
    std::unique_ptr<SharedNumber> counter;  // what is done inside, if anything
    std::unique_ptr<CashMachine> machine;
    std::uint64_t times = 0;  // 0: until the time is over
    Clock::time_point end;
    Clock::time_point began;
    Clock::time_point asked;
    std::vector<float> waits_us;
    std::uint64_t done = 0;
    std::uint64_t last_fence = 0;  // the count of it
    std::uint64_t in_a_row = 0;    // entries after which nobody else came before the next one

    bool is_locked() const { return lock != "-"; }
    bool is_done() const { return times > 0 ? done >= times : Clock::now() >= end; }
  };

  void say(const std::string& line) {
    ::send(controller_.native_handle(), line.data(), line.size(), MSG_NOSIGNAL);
  }

  void listen() {
    controller_.async_wait(
        asio::posix::descriptor_base::wait_read, [this](const boost::system::error_code& error) {
          if (error) return;
          std::array<char, 4096> buffer{};
          const ssize_t count =
              ::recv(controller_.native_handle(), buffer.data(), buffer.size(), 0);
          if (count <= 0) {
            is_over_ = true;
            return;
          }
          obey({buffer.data(), static_cast<std::size_t>(count)});
          listen();
        });
  }

  void obey(const std::string& line) {
    std::istringstream words(line);
    std::string verb;
    std::string name;
    words >> verb;
    if (verb == "request" && words >> name) {
      asked_[name] = Clock::now();
      peer_.request(Namespace::lock, name);
    } else if (verb == "release" && words >> name) {
      peer_.release(Namespace::lock, name);
    } else if (verb == "leave" && words >> name) {
      const Clock::time_point now = Clock::now();
      peer_.release(Namespace::lock, name);
      say("left " + name + " " + std::to_string(now.time_since_epoch().count()));
    } else if (verb == "counters") {
      const net::GroupCounters& all = peer_.group().counters();
      say("counters " + std::to_string(all.enter) + " " + std::to_string(all.exit) + " " +
          std::to_string(all.upkeep) + " " + std::to_string(all.received) + " " +
          std::to_string(all.grants) + " " + std::to_string(all.sent) + " " +
          std::to_string(all.taken) + " " + std::to_string(all.bytes));
    } else if (verb == "count" || verb == "bank") {
      Work work;
      if (!(words >> std::quoted(name) >> work.lock >> work.times)) return;
      if (verb == "count") {
        work.counter = std::make_unique<SharedNumber>(name);
      } else {
        work.machine = std::make_unique<CashMachine>(peer_.self(), name);
      }
      begin(std::move(work));
    } else if (verb == "enter") {
      Work work;
      double seconds = 0;
      if (!(words >> work.lock >> seconds)) return;
      work.end = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                    std::chrono::duration<double>(seconds));
      begin(std::move(work));
    } else if (verb == "crash") {
      ::_exit(0);
    }
  }

  // --- Work -------------------------------------------------------------------------------------

  void begin(Work work) {
    work_ = std::make_unique<Work>(std::move(work));
    work_->began = Clock::now();
    tell_progress();
    go_on();
  }

  // Those who wait are served first.
  void go_on() {
    if (work_->is_done()) return finish();
    asio::post(io_, [this] {
      if (is_over_) return;
      if (work_->is_locked()) return ask();
      return work_->machine != nullptr ? transact() : count_freely();
    });
  }

  void ask() {
    work_->asked = Clock::now();
    peer_.request(Namespace::lock, work_->lock);
  }

  void entered(const FencingToken& fence) {
    if (work_->done > 0 && fence.count == work_->last_fence + 1) ++work_->in_a_row;
    work_->last_fence = fence.count;
    work_->waits_us.push_back(static_cast<float>(in_us(Clock::now() - work_->asked)));
    if (work_->machine != nullptr) return transact();
    if (work_->counter != nullptr) work_->counter->increment();
    leave();
  }

  void leave() {
    ++work_->done;
    if (work_->is_locked()) peer_.release(Namespace::lock, work_->lock);
    go_on();
  }

  // Whatever the others do. Once in a portion something comes between reading and writing, as
  // happens to everybody sooner or later: with one processor and few increments, too.
  void count_freely() {
    const std::int64_t value = work_->counter->read();
    pause_.expires_after(distraction);
    pause_.async_wait([this, value](const boost::system::error_code& error) {
      if (error) return;
      const std::uint64_t end = std::min(work_->done + portion, work_->times);
      work_->counter->write(value + 1);
      while (++work_->done < end) work_->counter->increment();
      go_on();
    });
  }

  void transact() {
    work_->machine->look_up();
    pause_.expires_after(counting_notes);
    pause_.async_wait([this](const boost::system::error_code& error) {
      if (error) return;
      say("did " + to_line(work_->machine->settle()));
      leave();
    });
  }

  void tell_progress() {
    progress_.expires_after(std::chrono::milliseconds(200));
    progress_.async_wait([this](const boost::system::error_code& error) {
      if (error || work_ == nullptr) return;
      say("progress " + std::to_string(work_->done));
      tell_progress();
    });
  }

  void finish() {
    progress_.cancel();
    const double seconds = std::chrono::duration<double>(Clock::now() - work_->began).count();
    auto& waits = work_->waits_us;
    std::sort(waits.begin(), waits.end());
    double sum = 0;
    for (const float wait : waits) sum += wait;
    std::ostringstream words;
    words << "counted " << work_->done << " " << seconds << " "
          << (waits.empty() ? 0 : sum / static_cast<double>(waits.size())) << " "
          << (waits.empty() ? 0 : waits[waits.size() / 2]) << " "
          << (waits.empty() ? 0 : waits.back()) << " " << work_->in_a_row;
    const std::size_t told = std::min(waits.size(), quantiles);
    for (std::size_t i = 0; i < told; ++i) {
      words << " " << waits[(2 * i + 1) * waits.size() / (2 * told)];
    }
    work_.reset();
    say(words.str());
  }

  // --- What the peer tells ----------------------------------------------------------------------

  void granted(Namespace, const std::string& name, const FencingToken& fence) override {
    if (work_ != nullptr && work_->lock == name) return entered(fence);
    const Clock::time_point now = Clock::now();
    say("granted " + name + " " + std::to_string((now - asked_[name]).count()) + " " +
        std::to_string(now.time_since_epoch().count()));
  }
  void lost(Namespace, const std::string& name) override { say("problem lost " + name); }
  void view_changed() override {
    const bool is_whole = peer_.is_working() && peer_.group().members().view().members.size() ==
                                                    peer_.file().members.size();
    if (is_whole && !std::exchange(is_ready_, true)) say("ready");
  }
  net::Recorder recorder(const std::string& trace_folder) {
    if (trace_folder.empty()) return nullptr;
    return [this](const TraceEvent& event) { trace_.events.push_back(event); };
  }

  void write_trace() {
    if (trace_path_.empty()) return;
    std::ofstream file(trace_path_);
    view::write_json_lines(trace_, file);
  }

  asio::io_context io_{1};
  asio::posix::stream_descriptor controller_;
  asio::steady_timer progress_;
  asio::steady_timer pause_;
  net::Peer peer_;
  bool is_ready_ = false;
  bool is_over_ = false;
  std::map<std::string, Clock::time_point> asked_;
  std::unique_ptr<Work> work_;
  Trace trace_;
  std::string trace_path_;
};

}  // namespace

int serve_controller(int socket, const net::GroupFile& group, NodeId self,
                     const std::string& trace_folder) {
  try {
    GroupChild(socket, group, self, trace_folder).run();
    return 0;
  } catch (const std::exception& problem) {
    const std::string line = std::string("problem ") + problem.what();
    ::send(socket, line.data(), line.size(), MSG_NOSIGNAL);
    return 1;
  }
}

}  // namespace baton::cli
