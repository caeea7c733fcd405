// A scheduler of which one instance works while the others wait: leader URL NAME ROUNDS
//
// It campaigns, and works for as long as it leads: the work is given a stop_token that stops when
// the lead is lost, because the server was silent for too long or an operator broke it. When it has
// done its rounds it resigns, and the next one goes on.
#include <baton/client.h>

#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <exception>
#include <mutex>
#include <stop_token>
#include <string>

namespace {

using namespace std::chrono_literals;

// Until all is done or the token says stop. How many rounds were done.
int work(const std::string& name, int rounds, const std::stop_token& stop) {
  std::mutex mutex;
  std::condition_variable_any pause;
  std::unique_lock lock(mutex);
  int done = 0;
  while (done < rounds && !stop.stop_requested()) {
    std::printf("%s: round %d\n", name.c_str(), ++done);
    std::fflush(stdout);
    // A pause that ends at once when the lead is lost.
    pause.wait_for(lock, stop, 100ms, [] { return false; });
  }
  return done;
}

int lead(const std::string& url, const std::string& name, int rounds) {
  auto client = baton::Client::connect({.url = url, .label = name}).value();
  auto leadership = client.election("scheduler").campaign(name).value();
  std::printf("%s leads in term %llu\n", name.c_str(),
              static_cast<unsigned long long>(leadership.term()));
  const int done = work(name, rounds, leadership.lost());
  if (leadership.lost().stop_requested()) {
    std::printf("%s has lost the lead after %d rounds: %s\n", name.c_str(), done,
                leadership.hold().why_lost().message.c_str());
    return 3;
  }
  leadership.resign().value();
  std::printf("%s has resigned\n", name.c_str());
  return 0;
}

}  // namespace

int main(int count, char** words) {
  if (count != 4) {
    std::fprintf(stderr, "usage: leader URL NAME ROUNDS\n");
    return 2;
  }
  try {
    return lead(words[1], words[2], std::stoi(words[3]));
  } catch (const std::exception& problem) {
    std::fprintf(stderr, "leader: %s\n", problem.what());
    return 1;
  }
}
