#include "peers/member/band.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <algorithm>

#include <ctime>
#include <fstream>
#include <memory>
#include <stdexcept>
#include <utility>

#include "lab/view/json_lines.h"

namespace baton::test {

namespace {

using namespace std::chrono_literals;

// The process ends with the one that started it.
pid_t spawn(const std::string& line, const std::filesystem::path& log) {
  const std::string whole = "exec " + line;
  const int output = ::open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  const int input = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  const pid_t parent = ::getpid();
  const pid_t process = ::fork();
  if (process == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != parent) ::_exit(127);
    ::dup2(input, 0);
    ::dup2(output, 1);
    ::dup2(output, 2);
    ::execl("/bin/sh", "sh", "-c", whole.c_str(), nullptr);
    ::_exit(127);
  }
  ::close(output);
  ::close(input);
  if (process < 0) throw std::runtime_error("cannot start " + line);
  return process;
}

std::string name_of(std::size_t member) { return std::to_string(member + 1); }

}  // namespace

Band::Band(BandOptions options)
    : options_(std::move(options)), members_(options_.size), network_(options_.seed) {
  setenv("BATON", BATON_PROGRAM, 1);
  for (std::size_t i = 0; i < size(); ++i) {
    for (std::size_t j = i + 1; j < size(); ++j) {
      members_[i].to.push_back(&network_.add(members_[j].port.number()));
    }
    write_group_file(i);
  }
  if (!options_.starts) return;
  for (std::size_t i = 0; i < size(); ++i) start(i);
  wait_until_all_work();
}

Band::~Band() {
  if (options_.is_judged) expect_kept_promises();
  for (std::size_t i = 0; i < size(); ++i) kill(i);
}

// Each has a file of its own, in which those that it dials are at the other end of a wire. Patient
// enough for a machine that is busy, or does nothing at all for a second.
void Band::write_group_file(std::size_t member) const {
  std::ofstream file(group_file(member));
  file << "group = band\nalgorithm = " << options_.algorithm << "\nelection = " << options_.election
       << "\npatience = 12\n"
       << (options_.is_hasty ? "heartbeat = 25ms\nlease = 60\n" : "heartbeat = 50ms\nlease = 80\n");
  for (std::size_t i = 0; i < size(); ++i) {
    const bool is_dialled = i > member;
    const std::uint16_t port =
        is_dialled ? members_[member].to[i - member - 1]->port() : members_[i].port.number();
    file << "member " << name_of(i) << " = 127.0.0.1:" << port << "\n";
  }
}

// --- Where they are -----------------------------------------------------------------------------

std::string Band::url(std::size_t member) const {
  return "unix:" + file(name_of(member) + ".socket").string();
}

std::filesystem::path Band::group_file(std::size_t member) const {
  return file(name_of(member) + ".group");
}

std::string Band::command(std::size_t member) const {
  return "peer --self " + name_of(member) + " --group " + group_file(member).string() +
         " --state " + file("").string() + " --socket " +
         file(name_of(member) + ".socket").string() + options_.arguments;
}

Wire& Band::between(std::size_t one, std::size_t other) {
  const auto [from, to] = std::minmax(one, other);
  return *members_.at(from).to.at(to - from - 1);
}

void Band::cut_off(std::size_t member) {
  for (std::size_t i = 0; i < size(); ++i) {
    if (i != member) between(i, member).cut();
  }
}

void Band::heal() {
  for (const Member& member : members_) {
    for (Wire* wire : member.to) wire->heal();
  }
}

// --- Processes ----------------------------------------------------------------------------------

void Band::start(std::size_t member) {
  Member& it = members_.at(member);
  if (it.process > 0) return;
  it.lives.emplace_back();
  it.process = spawn(
      "$BATON " + command(member) + " --trace " + trace_file(member, it.lives.size()).string(),
      file(name_of(member) + ".log"));
}

int Band::end(std::size_t member, int signal) {
  Member& it = members_.at(member);
  const pid_t process = std::exchange(it.process, 0);
  if (process <= 0) return 0;
  it.is_paused = false;
  ::kill(process, signal);
  ::kill(process, SIGCONT);
  int status = 0;
  ::waitpid(process, &status, 0);
  note(member, TraceKind::crash);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

void Band::kill(std::size_t member) { end(member, SIGKILL); }
int Band::stop(std::size_t member) { return end(member, SIGTERM); }

void Band::pause(std::size_t member) {
  members_.at(member).is_paused = true;
  ::kill(members_.at(member).process, SIGSTOP);
  ::waitpid(members_.at(member).process, nullptr, WUNTRACED);
  note(member, TraceKind::pause);
}

void Band::resume(std::size_t member) {
  members_.at(member).is_paused = false;
  note(member, TraceKind::resume);
  ::kill(members_.at(member).process, SIGCONT);
}

// --- What they say ------------------------------------------------------------------------------

std::string Band::log(std::size_t member) const { return contents(file(name_of(member) + ".log")); }

bool Band::will_say(std::size_t member, const std::string& words) const {
  return eventually([&] { return has(log(member), words); });
}

std::string Band::logs() const {
  std::string all;
  for (std::size_t i = 0; i < size(); ++i) all += "--- member " + name_of(i) + ":\n" + log(i);
  return all;
}

std::uint64_t Band::epoch(std::size_t member) const {
  const std::string text = log(member);
  const std::string words = ", epoch ";
  const std::size_t at = text.rfind(words);
  return at == text.npos ? 0 : std::stoull(text.substr(at + words.size()));
}

std::optional<StatusInfo> Band::status(std::size_t member) const {
  if (!is_running(member) || is_paused(member)) return std::nullopt;
  auto client = Client::connect({.url = url(member), .patience = 3s, .session = false});
  if (!client) return std::nullopt;
  auto status = client->status();
  if (!status) return std::nullopt;
  return status.value();
}

bool Band::works(std::size_t member, std::size_t with) const {
  const auto info = status(member);
  if (!info || !info->group || !info->group->is_working) return false;
  const auto& members = info->group->members;
  const auto belong = std::count_if(members.begin(), members.end(),
                                    [](const PeerMemberInfo& one) { return one.belongs; });
  return static_cast<std::size_t>(belong) == with;
}

void Band::wait_until_all_work() const {
  std::size_t running = 0;
  for (std::size_t i = 0; i < size(); ++i) running += is_running(i) ? 1 : 0;
  const bool do_work = eventually([&] {
    for (std::size_t i = 0; i < size(); ++i) {
      if (is_running(i) && !works(i, running)) return false;
    }
    return true;
  });
  if (!do_work) throw std::runtime_error("they are in no group\n" + logs());
}

Client Band::connect(std::size_t member, std::chrono::seconds ttl) const {
  ClientOptions options;
  options.url = url(member);
  options.ttl = ttl;
  options.patience = 60s;
  options.label = "client of " + name_of(member);
  auto client = Client::connect(std::move(options));
  if (!client) throw std::runtime_error(client.message() + "\n" + logs());
  return std::move(client).value();
}

// --- What they have written down ----------------------------------------------------------------

std::filesystem::path Band::trace_file(std::size_t member, std::size_t life) const {
  return file(name_of(member) + "." + std::to_string(life) + ".trace");
}

// Each event is in the file as soon as it has happened: what is there, and since when, tells where
// in the trace this belongs.
void Band::note(std::size_t member, TraceKind kind) {
  auto& lives = members_.at(member).lives;
  const std::filesystem::path path = trace_file(member, lives.size());
  Suffered suffered{.kind = kind};
  struct stat status {};
  if (::stat(path.c_str(), &status) == 0) {
    const std::string text = contents(path);
    const auto lines = std::count(text.begin(), text.end(), '\n');
    suffered.after = static_cast<std::size_t>(std::max<std::ptrdiff_t>(lines - 1, 0));
    timespec now{};
    ::clock_gettime(CLOCK_REALTIME, &now);
    suffered.gap_us =
        std::max<std::int64_t>((now.tv_sec - status.st_mtim.tv_sec) * std::int64_t{1'000'000} +
                                   (now.tv_nsec - status.st_mtim.tv_nsec) / 1000,
                               0);
  }
  lives.back().push_back(suffered);
}

Verdict Band::verdict() const {
  std::vector<Diary> diaries;
  Verdict unreadable;
  for (std::size_t i = 0; i < size(); ++i) {
    const auto& lives = members_[i].lives;
    for (std::size_t life = 0; life < lives.size(); ++life) {
      const std::filesystem::path path = trace_file(i, life + 1);
      std::ifstream file(path, std::ios::binary);
      // Who was killed at once has written nothing.
      if (!file || file.peek() == std::ifstream::traits_type::eof()) continue;
      Diary diary{.member = {static_cast<std::uint32_t>(i)}, .suffered = lives[life]};
      diary.part.source = path.filename().string();
      auto read = view::read_part(file, &diary.part.is_cut_off);
      if (const auto* error = std::get_if<view::TraceError>(&read)) {
        unreadable.wrong.push_back(diary.part.source + ", " + error->message());
        continue;
      }
      diary.part.trace = std::get<Trace>(std::move(read));
      diaries.push_back(std::move(diary));
    }
  }
  return unreadable.wrong.empty() ? judge(std::move(diaries)) : unreadable;
}

// Faults are over, and clients gone: who still asks gets in. Then nothing more is written.
void Band::expect_kept_promises() {
  heal();
  for (std::size_t i = 0; i < size(); ++i) {
    if (is_paused(i)) resume(i);
  }
  Verdict found;
  const bool is_quiet = eventually([&] { return (found = verdict()).waiting.empty(); });
  EXPECT_TRUE(is_quiet) << found.waiting.front() << " for ever\n" << logs();
  for (std::size_t i = 0; i < size(); ++i) kill(i);
  for (const std::string& what : verdict().wrong) ADD_FAILURE() << what << "\n" << logs();
}

std::future<Result<Lock>> ask(Client& client, const std::string& name) {
  auto granted = std::make_shared<std::promise<Result<Lock>>>();
  auto future = granted->get_future();
  client.async_lock(name, {},
                    [granted](Result<Lock> lock) { granted->set_value(std::move(lock)); });
  return future;
}

bool comes(std::future<Result<Lock>>& asked) {
  return asked.wait_for(60s) == std::future_status::ready;
}

}  // namespace baton::test
