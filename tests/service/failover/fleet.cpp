#include "service/failover/fleet.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <ctime>
#include <fstream>
#include <iterator>
#include <sstream>
#include <stdexcept>
#include <thread>
#include <utility>

namespace baton::test {

namespace {

using namespace std::chrono_literals;

constexpr auto between_looks = 20ms;

std::string host_and_port(std::uint16_t port) { return "127.0.0.1:" + std::to_string(port); }

std::string text_of(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

support::EtcdClusterOptions etcd_options(const FleetOptions& options) {
  support::EtcdClusterOptions result;
  result.members = options.etcd;
  result.arguments = options.etcd_arguments;
  return result;
}

// In the place of those that are there, or after them.
void set_options(std::vector<std::string>& command, const std::vector<std::string>& options) {
  for (std::size_t i = 0; i + 1 < options.size(); i += 2) {
    const auto at = std::find(command.begin(), command.end(), options[i]);
    if (at == command.end()) {
      command.insert(command.end(), {options[i], options[i + 1]});
    } else {
      *(at + 1) = options[i + 1];
    }
  }
}

// The process ends with the one that started it.
pid_t spawn(std::vector<std::string> command, const std::vector<std::string>& environment,
            const std::string& log) {
  std::vector<char*> arguments;
  for (std::string& argument : command) arguments.push_back(argument.data());
  arguments.push_back(nullptr);
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
    for (const std::string& one : environment) ::putenv(const_cast<char*>(one.c_str()));
    ::execv(arguments[0], arguments.data());
    ::_exit(127);
  }
  ::close(output);
  ::close(input);
  if (process < 0) throw std::runtime_error("cannot start " + command.front());
  return process;
}

}  // namespace

bool eventually(const std::function<bool()>& is_so, std::chrono::seconds patience) {
  const auto deadline = std::chrono::steady_clock::now() + patience;
  while (!is_so()) {
    if (std::chrono::steady_clock::now() > deadline) return false;
    std::this_thread::sleep_for(between_looks);
  }
  return true;
}

Fleet::Fleet(FleetOptions options)
    : options_(std::move(options)),
      etcd_(std::make_unique<support::EtcdCluster>(etcd_options(options_))),
      servers_(options_.servers),
      network_(options_.seed) {
  for (Server& server : servers_) {
    if (options_.has_server_wires) server.wire = &network_.add(server.port.number());
    for (std::size_t i = 0; options_.has_etcd_wires && i < etcd_->size(); ++i) {
      const std::string endpoint = etcd_->endpoint(i);
      const std::string port = endpoint.substr(endpoint.find(':') + 1);
      server.to_etcd.push_back(&network_.add(static_cast<std::uint16_t>(std::stoul(port))));
    }
  }
  if (!options_.starts_servers) return;
  for (std::size_t i = 0; i < size(); ++i) start(i);
  leader();
}

Fleet::~Fleet() {
  for (std::size_t i = 0; i < size(); ++i) kill(i);
}

// --- Where they are -----------------------------------------------------------------------------

std::string Fleet::url(std::size_t server) const {
  const Server& it = servers_.at(server);
  return "baton://" + host_and_port(it.wire == nullptr ? it.port.number() : it.wire->port());
}

std::string Fleet::direct_url(std::size_t server) const {
  return "baton://" + host_and_port(servers_.at(server).port.number());
}

std::string Fleet::url() const {
  std::string all = "baton://";
  for (const Server& it : servers_) {
    if (&it != &servers_.front()) all += ',';
    all += host_and_port(it.wire == nullptr ? it.port.number() : it.wire->port());
  }
  return all;
}

std::string Fleet::direct_url() const {
  std::string all = "baton://";
  for (const Server& it : servers_) {
    if (&it != &servers_.front()) all += ',';
    all += host_and_port(it.port.number());
  }
  return all;
}

std::string Fleet::journal(std::size_t server) const {
  const Server& it = servers_.at(server);
  std::string all = "etcd://";
  for (std::size_t i = 0; i < etcd_->size(); ++i) {
    if (i > 0) all += ',';
    all += it.to_etcd.empty() ? etcd_->endpoint(i) : host_and_port(it.to_etcd[i]->port());
  }
  return all + "/" + options_.prefix;
}

Wire& Fleet::to_etcd(std::size_t server, std::size_t member) {
  return *servers_.at(server).to_etcd.at(member);
}

void Fleet::each_to_etcd(std::size_t server, const std::function<void(Wire&)>& what) {
  for (Wire* wire : servers_.at(server).to_etcd) what(*wire);
}

void Fleet::heal() {
  for (std::size_t i = 0; i < size(); ++i) {
    if (servers_[i].wire != nullptr && is_running(i)) servers_[i].wire->heal();
    each_to_etcd(i, [](Wire& wire) { wire.heal(); });
  }
}

// --- Processes ----------------------------------------------------------------------------------

void Fleet::start(std::size_t server, std::vector<std::string> more) {
  Server& it = servers_.at(server);
  if (it.process > 0) return;
  const std::string advertised =
      host_and_port(it.wire == nullptr ? it.port.number() : it.wire->port());
  std::vector<std::string> command = {SERVE_PROGRAM, "serve",
                                      "--journal",   journal(server),
                                      "--listen",    host_and_port(it.port.number()),
                                      "--advertise", advertised,
                                      "--name",      "server-" + std::to_string(server)};
  set_options(command, options_.arguments);
  set_options(command, more);
  it.process = spawn(std::move(command), options_.environment, log_file(server));
  if (it.wire != nullptr) it.wire->heal();
}

// Where nobody listens any more, connections are refused also by the wire.
int Fleet::end(std::size_t server, int signal) {
  Server& it = servers_.at(server);
  const pid_t process = std::exchange(it.process, 0);
  if (process <= 0) return 0;
  if (signal == SIGKILL && it.wire != nullptr) it.wire->refuse();
  if (signal != 0) ::kill(process, signal);
  if (signal != 0) ::kill(process, SIGCONT);
  it.is_paused = false;
  int status = 0;
  ::waitpid(process, &status, 0);
  if (it.wire != nullptr) it.wire->refuse();
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

void Fleet::kill(std::size_t server) { end(server, SIGKILL); }
int Fleet::stop(std::size_t server) { return end(server, SIGTERM); }
void Fleet::begin_stop(std::size_t server) { ::kill(servers_.at(server).process, SIGTERM); }
int Fleet::wait(std::size_t server) { return end(server, 0); }

void Fleet::pause(std::size_t server) {
  ::kill(servers_.at(server).process, SIGSTOP);
  servers_.at(server).is_paused = true;
}

void Fleet::resume(std::size_t server) {
  servers_.at(server).is_paused = false;
  ::kill(servers_.at(server).process, SIGCONT);
}

bool Fleet::is_running(std::size_t server) {
  Server& it = servers_.at(server);
  if (it.process <= 0) return false;
  siginfo_t info{};
  ::waitid(P_PID, static_cast<id_t>(it.process), &info, WEXITED | WNOHANG | WNOWAIT);
  return info.si_pid == 0;
}

// --- What they say ------------------------------------------------------------------------------

std::string Fleet::log_file(std::size_t server) const {
  return (directory_.path() / ("server-" + std::to_string(server) + ".log")).string();
}

std::string Fleet::log(std::size_t server) const { return text_of(log_file(server)); }

bool Fleet::has_said(std::size_t server, const std::string& words) const {
  return log(server).find(words) != std::string::npos;
}

bool Fleet::will_say(std::size_t server, const std::string& words) const {
  return eventually([&] { return has_said(server, words); });
}

std::string Fleet::logs() const {
  std::string all;
  for (std::size_t i = 0; i < size(); ++i) {
    all += "--- server-" + std::to_string(i) + ":\n" + log(i);
  }
  return all;
}

std::vector<std::uint64_t> Fleet::epochs() const {
  const std::string words = "leading in epoch ";
  std::vector<std::uint64_t> result;
  for (std::size_t i = 0; i < size(); ++i) {
    std::istringstream lines(log(i));
    for (std::string line; std::getline(lines, line);) {
      const std::size_t at = line.find(words);
      if (at != std::string::npos) result.push_back(std::stoull(line.substr(at + words.size())));
    }
  }
  return result;
}

std::optional<StatusInfo> Fleet::status(std::size_t server) const {
  const Server& it = servers_.at(server);
  if (it.process <= 0 || it.is_paused) return std::nullopt;
  auto client =
      Client::connect({.url = direct_url(server), .patience = 3s, .session = false, .stale = true});
  if (!client) return std::nullopt;
  auto status = client->status();
  if (!status) return std::nullopt;
  return status.value();
}

bool Fleet::leads(std::size_t server) const {
  const auto info = status(server);
  return info && !info->follows && info->trouble.empty() && info->epoch > 0;
}

std::size_t Fleet::leader() { return leader_but(size()); }

std::size_t Fleet::leader_but(std::size_t not_this) {
  std::size_t found = size();
  const bool is_found = eventually([&] {
    for (std::size_t i = 0; i < size(); ++i) {
      if (i != not_this && is_running(i) && leads(i)) found = i;
    }
    return found < size();
  });
  if (!is_found) throw std::runtime_error("nobody leads\n" + logs());
  return found;
}

Client Fleet::connect(ClientOptions options) const {
  if (options.url.empty()) options.url = url();
  options.patience = std::chrono::seconds(60);
  auto client = Client::connect(std::move(options));
  if (!client) throw std::runtime_error(client.message() + "\n" + logs());
  return std::move(client).value();
}

}  // namespace baton::test
