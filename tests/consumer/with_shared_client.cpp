// The shared library of the client: locks, exceptions from inside, fences: with_shared_client URL
#include <baton/client.h>
#include <baton/fence.h>
#include <baton/version.h>

#include <cstdio>
#include <string>

namespace {

bool refuses_the_second(baton::Client& client) {
  try {
    client.try_lock("it", {.owner = baton::Owner()}).value();
  } catch (const baton::Failed& failed) {
    return failed.error() == baton::Error::busy && !baton::message_of(failed.error()).empty();
  }
  return false;
}

// The parts of the version agree.
bool is_one_version() {
  const std::string parts = std::to_string(BATON_VERSION_MAJOR) + "." +
                            std::to_string(BATON_VERSION_MINOR) + "." +
                            std::to_string(BATON_VERSION_PATCH);
  return parts == BATON_VERSION_STRING && BATON_VERSION >= 100;
}

}  // namespace

int main(int count, char** words) {
  if (count != 2) return 2;
  auto client = baton::Client::connect({.url = words[1]}).value();
  auto lock = client.lock("it").value();
  auto leadership = client.election("us").campaign("me").value();
  const bool does = refuses_the_second(client) && leadership.is_leader() && is_one_version() &&
                    baton::Fence::in_file("/nonexistent/fence").error() != baton::Error::none;
  std::printf("%s\n", does ? "works" : "does not work");
  return does ? 0 : 1;
}
