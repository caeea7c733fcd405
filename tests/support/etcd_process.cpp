#include "support/etcd_process.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <thread>
#include <utility>

namespace baton::support {

namespace {

using Clock = std::chrono::steady_clock;

// Far more than a start takes: only a machine that stands still needs it.
constexpr std::chrono::seconds patience{60};
constexpr std::chrono::milliseconds pause_between_looks{20};

sockaddr_in loopback(std::uint16_t port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(port);
  return address;
}

// What a web server on loopback answers within a second; nothing if it does not.
std::string get(std::uint16_t port, const std::string& path) {
  const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const timeval second{1, 0};
  ::setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &second, sizeof second);
  ::setsockopt(socket, SOL_SOCKET, SO_SNDTIMEO, &second, sizeof second);
  const sockaddr_in address = loopback(port);
  const std::string request = "GET " + path + " HTTP/1.0\r\n\r\n";
  std::string answer;
  if (::connect(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0 &&
      ::send(socket, request.data(), request.size(), MSG_NOSIGNAL) > 0) {
    char buffer[4096];
    ssize_t got = 0;
    while ((got = ::recv(socket, buffer, sizeof buffer, 0)) > 0) {
      answer.append(buffer, static_cast<std::size_t>(got));
    }
  }
  ::close(socket);
  return answer;
}

std::string url(std::uint16_t port, const std::string& scheme = "http") {
  return scheme + "://127.0.0.1:" + std::to_string(port);
}

// The process ends with the one that started it.
pid_t spawn(const std::vector<std::string>& command, const std::string& log) {
  std::vector<char*> arguments;
  for (const std::string& argument : command)
    arguments.push_back(const_cast<char*>(argument.data()));
  arguments.push_back(nullptr);
  const int output = ::open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  const int input = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  const pid_t parent = ::getpid();
  const pid_t pid = ::fork();
  if (pid == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != parent) ::_exit(127);
    ::dup2(input, 0);
    ::dup2(output, 1);
    ::dup2(output, 2);
    ::execvp(arguments[0], arguments.data());
    ::_exit(127);
  }
  ::close(output);
  ::close(input);
  if (pid < 0) throw std::runtime_error("cannot start " + command.front());
  return pid;
}

}  // namespace

ScratchDirectory::ScratchDirectory() {
  const bool has_memory = ::access("/dev/shm", W_OK) == 0;
  const auto parent = has_memory ? "/dev/shm" : std::filesystem::temp_directory_path();
  std::string name = (parent / "baton-etcd-XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("no scratch directory");
  path_ = name;
}

ScratchDirectory::~ScratchDirectory() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

EtcdCluster::EtcdCluster(EtcdClusterOptions options) : options_(std::move(options)) {
  members_.resize(options_.members);
  try {
    start_all();
  } catch (...) {
    for (std::size_t i = 0; i < size(); ++i) kill(i);
    throw;
  }
}

EtcdCluster::~EtcdCluster() {
  for (std::size_t i = 0; i < size(); ++i) kill(i);
}

void EtcdCluster::start_all() {
  const auto until = Clock::now() + patience;
  for (std::size_t i = 0; i < size(); ++i) start(i);
  while (Clock::now() < until) {
    std::size_t healthy = 0;
    for (std::size_t i = 0; i < size(); ++i) healthy += is_healthy(i);
    if (healthy == size()) return;
    for (std::size_t i = 0; i < size(); ++i) {
      if (has_exited(i)) throw std::runtime_error("etcd does not start: " + last_words(i));
    }
    std::this_thread::sleep_for(pause_between_looks);
  }
  throw std::runtime_error("etcd is not healthy in time: " + last_words(0));
}

std::vector<std::string> EtcdCluster::command(std::size_t member) const {
  const bool has_tls = !options_.certificate_file.empty();
  const std::string name = std::to_string(member);
  const std::string peer = url(members_[member].peer_port.number());
  const std::string client = url(members_[member].client_port.number(), has_tls ? "https" : "http");
  std::string cluster;
  for (std::size_t i = 0; i < size(); ++i) {
    if (i > 0) cluster += ',';
    cluster += std::to_string(i) + "=" + url(members_[i].peer_port.number());
  }
  std::vector<std::string> result = {"etcd",
                                     "--name",
                                     name,
                                     "--data-dir",
                                     (directory_.path() / name).string(),
                                     "--listen-peer-urls",
                                     peer,
                                     "--initial-advertise-peer-urls",
                                     peer,
                                     "--listen-client-urls",
                                     client,
                                     "--advertise-client-urls",
                                     client,
                                     "--listen-metrics-urls",
                                     url(members_[member].metrics_port.number()),
                                     "--initial-cluster",
                                     cluster,
                                     "--initial-cluster-token",
                                     directory_.path().string(),
                                     "--heartbeat-interval",
                                     std::to_string(options_.heartbeat_ms),
                                     "--election-timeout",
                                     std::to_string(options_.election_ms),
                                     "--logger",
                                     "zap",
                                     "--log-level",
                                     "warn"};
  if (has_tls) {
    result.insert(result.end(), {"--cert-file", options_.certificate_file, "--key-file",
                                 options_.key_file, "--trusted-ca-file", options_.ca_file});
    if (options_.asks_for_certificates) result.push_back("--client-cert-auth");
  }
  result.insert(result.end(), options_.arguments.begin(), options_.arguments.end());
  return result;
}

std::string EtcdCluster::endpoint(std::size_t member) const {
  return "127.0.0.1:" + std::to_string(members_.at(member).client_port.number());
}

std::vector<std::string> EtcdCluster::endpoints() const {
  std::vector<std::string> result;
  for (std::size_t i = 0; i < size(); ++i) result.push_back(endpoint(i));
  return result;
}

void EtcdCluster::start(std::size_t member) {
  if (is_running(member)) return;
  members_[member].pid = spawn(command(member), log(member));
}

void EtcdCluster::kill(std::size_t member) { end(member, SIGKILL); }

void EtcdCluster::stop(std::size_t member) { end(member, SIGTERM); }

void EtcdCluster::end(std::size_t member, int signal) {
  const pid_t pid = std::exchange(members_.at(member).pid, 0);
  if (pid <= 0) return;
  ::kill(pid, signal);
  ::kill(pid, SIGCONT);
  ::waitpid(pid, nullptr, 0);
}

void EtcdCluster::pause(std::size_t member) {
  if (is_running(member)) ::kill(pid(member), SIGSTOP);
}

void EtcdCluster::resume(std::size_t member) {
  if (is_running(member)) ::kill(pid(member), SIGCONT);
}

bool EtcdCluster::has_exited(std::size_t member) {
  if (!is_running(member)) return true;
  if (::waitpid(pid(member), nullptr, WNOHANG) == 0) return false;
  members_[member].pid = 0;
  return true;
}

bool EtcdCluster::is_healthy(std::size_t member) const {
  return get(members_.at(member).metrics_port.number(), "/health").find("\"health\":\"true\"") !=
         std::string::npos;
}

void EtcdCluster::wait_healthy(std::size_t member) const {
  const auto until = Clock::now() + patience;
  while (!is_healthy(member)) {
    if (Clock::now() >= until) {
      throw std::runtime_error("etcd is not healthy in time: " + last_words(member));
    }
    std::this_thread::sleep_for(pause_between_looks);
  }
}

void EtcdCluster::wait_healthy() const {
  for (std::size_t i = 0; i < size(); ++i) {
    if (is_running(i)) wait_healthy(i);
  }
}

bool EtcdCluster::leads(std::size_t member) const {
  return get(members_.at(member).metrics_port.number(), "/metrics")
             .find("\netcd_server_is_leader 1") != std::string::npos;
}

std::size_t EtcdCluster::leader() const {
  const auto until = Clock::now() + patience;
  while (Clock::now() < until) {
    for (std::size_t i = 0; i < size(); ++i) {
      if (is_running(i) && leads(i)) return i;
    }
    std::this_thread::sleep_for(pause_between_looks);
  }
  throw std::runtime_error("etcd has no leader: " + last_words(0));
}

std::string EtcdCluster::log(std::size_t member) const {
  return (directory_.path() / (std::to_string(member) + ".log")).string();
}

std::string EtcdCluster::last_words(std::size_t member) const {
  std::ifstream file(log(member));
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  constexpr std::size_t enough = 2000;
  return text.substr(text.size() - std::min(text.size(), enough));
}

}  // namespace baton::support
