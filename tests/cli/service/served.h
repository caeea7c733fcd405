// A `baton serve` of the test's own, which can be killed and started again, and that the commands
// use instead of a local one.
#pragma once

#include <memory>
#include <string>

#include "cli/service/tool.h"

namespace baton::test {

class Served : public Tool {
 protected:
  Served() { setenv("BATON_URL", url().c_str(), 1); }
  ~Served() override { unsetenv("BATON_URL"); }

  std::string url() const { return "unix:" + file("socket").string(); }
  std::string command(const std::string& more = {}) const {
    return "$BATON serve --listen " + url() + " --journal " + file("journal.db").string() + " " +
           more;
  }

  // Returns when it serves. `before` is what comes before the command in the shell's line.
  void start(const std::string& before = {}, const std::string& more = {}) {
    server_ = std::make_unique<Running>(before + " " + command(more));
    EXPECT_TRUE(eventually([&] { return shell("$BATON status").code == 0; })) << server_->err();
  }
  void kill_server() {
    server_->send(SIGKILL);
    server_->wait();
    server_.reset();
  }
  Running& server() { return *server_; }

  // Takes a lock, lets it go, and returns the fence that it had.
  static std::uint64_t next_fence() {
    const Outcome outcome = baton("lock fence -- sh -c 'echo $BATON_FENCE'");
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    return std::strtoull(outcome.out.c_str(), nullptr, 10);
  }

 private:
  std::unique_ptr<Running> server_;
};

}  // namespace baton::test
