// Three members of a group in one process, and a lock between their clients: peers FOLDER
#include <arpa/inet.h>
#include <baton/client.h>
#include <baton/peer.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <chrono>
#include <cstdio>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

namespace {

constexpr int members = 3;

// A file of a group. Its ports stay bound until the program ends, so that nobody else gets them;
// members may bind them as well, since they are the ones who listen.
std::string write_group(const std::string& folder) {
  const std::string path = folder + "/group";
  std::ofstream file(path);
  file << "group = consumers\n";
  for (int i = 0; i < members; ++i) {
    const int socket = ::socket(AF_INET, SOCK_STREAM, 0);
    const int yes = 1;
    ::setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    ::bind(socket, reinterpret_cast<sockaddr*>(&address), size);
    ::getsockname(socket, reinterpret_cast<sockaddr*>(&address), &size);
    file << "member " << i << " = 127.0.0.1:" << ntohs(address.sin_port) << "\n";
  }
  return path;
}

}  // namespace

int main(int count, char** words) {
  if (count != 2) return 2;
  const std::string folder = words[1];
  const std::string group = write_group(folder);
  std::vector<baton::Peer> peers;
  for (int i = 0; i < members; ++i) {
    peers.push_back(
        baton::Peer::start({.group = group, .self = std::to_string(i), .directory = folder})
            .value());
  }
  for (int tries = 0; tries < 3000 && !peers.back().is_working(); ++tries) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  auto first = baton::Client::connect({.url = peers[0].url()}).value();
  auto second = baton::Client::connect({.url = peers[1].url()}).value();
  auto lock = first.lock("it").value();
  const auto before = lock.fence();
  const bool is_busy = second.lock("it", {.wait = std::chrono::milliseconds(100)}).error() ==
                       baton::Error::timed_out;
  lock.release().value();
  const bool is_later = second.lock("it").value().fence() > before;
  std::printf("%s\n", is_busy && is_later ? "works" : "does not work");
  return is_busy && is_later ? 0 : 1;
}
