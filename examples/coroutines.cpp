// Many tasks on one thread that take turns at a lock: coroutines
//
// With a server inside the process, which is also how programs that use Baton can be tested. Each
// task adds one to a number in a file of the service, which takes a read and a write; without the
// lock some of the additions would get lost.
#include <baton/asio.h>
#include <baton/server.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/use_future.hpp>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <future>
#include <string>
#include <vector>

namespace {

constexpr int tasks = 20;

boost::asio::awaitable<void> add_one(baton::Client& client) {
  auto lock = (co_await baton::co_lock(client, "counter")).value();
  const auto before = co_await baton::co_get(client, "count");
  const int count = before ? std::stoi(before->value) : 0;
  (co_await baton::co_put(client, "count", std::to_string(count + 1))).value();
  (co_await baton::co_release(lock)).value();
}

void run(const std::filesystem::path& folder) {
  auto server = baton::Server::start({.listen = {"unix:" + (folder / "socket").string()}}).value();
  auto client = baton::Client::connect({.url = server.url()}).value();
  std::vector<std::future<void>> all;
  for (int i = 0; i < tasks; ++i) {
    all.push_back(boost::asio::co_spawn(baton::executor_of(client), add_one(client),
                                        boost::asio::use_future));
  }
  for (auto& one : all) one.get();
  std::printf("%d tasks, count %s\n", tasks, client.get("count")->value.c_str());
}

}  // namespace

int main() {
  std::string name = (std::filesystem::temp_directory_path() / "baton-example-XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr) return 1;
  int code = 0;
  try {
    run(name);
  } catch (const std::exception& problem) {
    std::fprintf(stderr, "coroutines: %s\n", problem.what());
    code = 1;
  }
  std::filesystem::remove_all(name);
  return code;
}
