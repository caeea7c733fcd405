// A shared library that uses the client and shows nothing of it.
#include <baton/client.h>

extern "C" __attribute__((visibility("default"))) bool takes_a_lock(const char* url) {
  auto client = baton::Client::connect({.url = url}).value();
  auto lock = client.lock("plugin").value();
  return lock.is_held() && lock.fence() > 0 && lock.release().ok();
}
