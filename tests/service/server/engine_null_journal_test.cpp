// An engine whose journal keeps nothing.
#include <gtest/gtest.h>
#include <malloc.h>

#include "engine_fixture.h"
#include "service/journal/null.h"

namespace baton::server {
namespace {

class EngineOnNothing : public testing::Test {
 protected:
  explicit EngineOnNothing(EngineOptions options = {})
      : engine_(journal_, host_, std::move(options)) {
    engine_.start([this] { is_ready_ = true; });
    settle();
  }

  void settle() {
    host_.run_posted();
    engine_.flush();
    host_.run_posted();
    host_.delivered.clear();
  }

  void put(const std::string& value) {
    proto::Request request;
    request.mutable_put()->set_key("key");
    request.mutable_put()->set_value(value);
    engine_.submit(request, command_of(request));
    settle();
  }

  FakeHost host_;
  journal::NullJournal journal_;
  Engine engine_;
  bool is_ready_ = false;
};

TEST_F(EngineOnNothing, ServesAtOnce) {
  EXPECT_TRUE(is_ready_);
  put("value");
  EXPECT_EQ(engine_.state().file_count(), 1U);
}

// Of what is kept, one would be due all the time.
class EngineWithManySnapshots : public EngineOnNothing {
 protected:
  EngineWithManySnapshots() : EngineOnNothing({.commands_per_snapshot = 10}) {}
};

TEST_F(EngineWithManySnapshots, MakesNone) {
  for (int i = 0; i < 100; ++i) put("value");
  EXPECT_EQ(engine_.counters().snapshots, 0U);
}

TEST_F(EngineOnNothing, NeedsNoMoreMemoryAfterMoreCommands) {
  const std::string value(1000, 'x');
  const auto in_use_after = [&](int commands) {
    for (int i = 0; i < commands; ++i) put(value);
    return ::mallinfo2().uordblks;
  };
  // The state itself remembers the last changes.
  const std::size_t before = in_use_after(12'000);
  const std::size_t after = in_use_after(12'000);
  EXPECT_LT(after, before + 1'000'000);
}

}  // namespace
}  // namespace baton::server
