// What Baton 0.1 wrote into its journal: a batch with every option of sessions and locks, and the
// snapshot of the state that it led to. Whoever changes the values in between changes neither.
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

#include "service/server/snapshot.h"
#include "service/server/translate.h"

namespace baton::server {
namespace {

std::string golden(const std::string& name) {
  std::ifstream file(SOURCE_FOLDER "/tests/service/server/golden/" + name, std::ios::binary);
  EXPECT_TRUE(file) << name;
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST(Format, CommandsOfAnOlderVersionLeadToTheSameState) {
  proto::Batch batch;
  ASSERT_TRUE(batch.ParseFromString(golden("0.1.batch")));
  service::State state;
  service::Time now{batch.now()};
  for (const proto::Command& message : batch.commands()) {
    now = now + service::Duration{message.now()};
    service::Command command = command_of(message);
    command.now = now;
    service::Effects effects;
    state.apply(command, effects);
  }
  EXPECT_EQ(encode({5, state.image()}), golden("0.1.snapshot"));
}

TEST(Format, ASnapshotOfAnOlderVersionIsReadAndWrittenAsItWas) {
  const std::string bytes = golden("0.1.snapshot");
  const Snapshot snapshot = decode_snapshot(bytes);
  EXPECT_EQ(snapshot.epoch, 5U);
  EXPECT_EQ(service::State(snapshot.image).image(), snapshot.image);
  EXPECT_EQ(encode(snapshot), bytes);
}

}  // namespace
}  // namespace baton::server
