// The same with coroutines, on the client's own thread: coroutines FOLDER
#include <baton/asio.h>
#include <baton/server.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/use_future.hpp>
#include <cstdio>
#include <string>

boost::asio::awaitable<bool> work(baton::Client& client) {
  auto lock = co_await baton::co_lock(client, "name");
  auto second = co_await baton::co_try_lock(client, "name");
  const bool is_alone = lock.ok() && second.error() == baton::Error::busy;
  auto released = co_await baton::co_release(*lock);
  co_return is_alone&& released.ok();
}

int main(int count, char** words) {
  if (count != 2) return 2;
  auto server =
      baton::Server::start({.listen = {"unix:" + std::string(words[1]) + "/socket"}}).value();
  auto client = baton::Client::connect({.url = server.url()}).value();
  auto works =
      boost::asio::co_spawn(baton::executor_of(client), work(client), boost::asio::use_future);
  const bool does = works.get();
  std::printf("%s\n", does ? "works" : "does not work");
  return does ? 0 : 1;
}
