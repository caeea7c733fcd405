#include "service/server/backup.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "baton/journal.pb.h"
#include "io/clock.h"
#include "service/journal/checksum.h"
#include "service/journal/open.h"
#include "service/server/engine.h"
#include "service/server/snapshot.h"
#include "service/state/versions.h"

namespace baton::server {

namespace {

// Removes all sessions, and with them all holds.
service::StateImage without_sessions(service::StateImage image) {
  image.sessions.clear();
  image.locks.clear();
  std::erase_if(image.files,
                [](const service::FileInfo& file) { return file.tied != service::no_session; });
  image.stalled = false;
  return image;
}

// For an engine that only reads.
class Reader final : public EngineHost {
 public:
  void post(std::function<void()>) override {}
  void run_aside(std::function<void()>) override {}
  std::int64_t clock_us() override { return 0; }
  std::int64_t wall_us() override { return 0; }
  void deliver(service::Effects&) override {}
  void fail(const journal::Fault&) override {}
};

}  // namespace

proto::Backup parse_backup(const std::string& bytes) {
  proto::Backup backup;
  if (!backup.ParseFromString(bytes) || backup.format() == 0 ||
      backup.checksum() != journal::checksum(0, backup.snapshot())) {
    throw journal::Unusable("the file is not a backup, or it is damaged");
  }
  if (backup.format() > service::backup_format) {
    throw journal::Unusable("a newer version of baton made the backup: use that version");
  }
  return backup;
}

namespace {

Snapshot snapshot_in(const proto::Backup& backup) {
  try {
    return decode_snapshot(backup.snapshot());
  } catch (const UnreadableSnapshot& problem) {
    throw journal::Unusable(problem.what());
  }
}

}  // namespace

std::string make_backup(const service::State& state, const BackupInfo& info) {
  service::Duration longest{0};
  for (const service::SessionInfo& session : state.sessions()) {
    longest = std::max(longest, session.terms.ttl);
  }
  proto::Backup backup;
  backup.set_format(service::backup_format);
  backup.set_made(info.made_us);
  backup.set_server(info.server);
  backup.set_journal(info.journal);
  backup.set_longest_ttl(longest.value);
  backup.set_snapshot(encode(Snapshot{info.epoch, without_sessions(state.image())}));
  backup.set_checksum(journal::checksum(0, backup.snapshot()));
  return backup.SerializeAsString();
}

std::string make_backup(const std::string& name) {
  if (names_etcd(name)) {
    throw journal::Unusable(
        "a server of the cluster must make the backup: baton backup FILE --url URL");
  }
  const auto journal = journal::open(name);
  Reader host;
  Engine engine(*journal, host, {});
  journal->read([&](journal::Position position,
                    std::string_view bytes) { engine.read_snapshot(position, bytes); },
                [&](journal::Position position, std::string_view bytes) {
                  engine.read_record(position, bytes);
                });
  return make_backup(engine.state(), {.epoch = engine.epoch(),
                                      .made_us = io::wall_time_us(),
                                      .server = {},
                                      .journal = journal->describe()});
}

BackupInfo describe_backup(const std::string& bytes) {
  const proto::Backup backup = parse_backup(bytes);
  const Snapshot snapshot = snapshot_in(backup);
  return {.epoch = snapshot.epoch,
          .made_us = backup.made(),
          .server = backup.server(),
          .journal = backup.journal(),
          .longest_ttl = {backup.longest_ttl()},
          .files = snapshot.image.files.size(),
          .fences_below = std::max(snapshot.image.reserve.value, snapshot.image.next_fence.value)};
}

}  // namespace baton::server
