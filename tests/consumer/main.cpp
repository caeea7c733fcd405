// A server, a client, a lock and a fence: consumer FOLDER
#include <baton/client.h>
#include <baton/fence.h>
#include <baton/server.h>

#include <cstdio>
#include <string>

int main(int count, char** words) {
  if (count != 2) return 2;
  const std::string folder = words[1];
  auto server = baton::Server::start({.listen = {"unix:" + folder + "/socket"}}).value();
  auto client = baton::Client::connect({.url = server.url()}).value();
  auto lock = client.lock({"first", "second"}).value();
  auto fence = baton::Fence::in_file(folder + "/fence").value();
  const bool is_let_in = fence.enter(lock.fence()).ok();
  const bool is_refused = fence.admit(lock.fence() - 1).error() == baton::Error::stale;
  lock.release().value();
  std::printf("%s\n", is_let_in && is_refused ? "works" : "does not work");
  return is_let_in && is_refused ? 0 : 1;
}
