#include "server/backup.h"

#include <spdlog/logger.h>
#include <spdlog/sinks/null_sink.h>

#include <algorithm>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <ctime>
#include <functional>
#include <future>
#include <memory>
#include <optional>
#include <utility>

#include "baton/journal.pb.h"
#include "journal/checksum.h"
#include "journal/open.h"
#include "server/engine.h"
#include "server/snapshot.h"

namespace baton::server {

namespace {

constexpr std::uint32_t backup_format = 1;
constexpr std::chrono::seconds patience_with_etcd{15};

std::int64_t wall_us() {
  timespec now{};
  ::clock_gettime(CLOCK_REALTIME, &now);
  return std::int64_t{now.tv_sec} * 1'000'000 + now.tv_nsec / 1000;
}

// Nobody holds anything, and nobody is there.
service::StateImage without_sessions(service::StateImage image) {
  image.sessions.clear();
  image.locks.clear();
  std::erase_if(image.files, [](const service::FileInfo& file) {
    return file.tied != service::no_session;
  });
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

proto::Backup parse(const std::string& bytes) {
  proto::Backup backup;
  if (!backup.ParseFromString(bytes) || backup.format() == 0 ||
      backup.checksum() != journal::checksum(0, backup.snapshot())) {
    throw journal::Unusable("this is no backup, or it is damaged");
  }
  if (backup.format() > backup_format) {
    throw journal::Unusable("the backup was made by a newer version of baton: use that one");
  }
  return backup;
}

Kept kept_in(const proto::Backup& backup) {
  try {
    return decode_snapshot(backup.snapshot());
  } catch (const UnreadableSnapshot& problem) {
    throw journal::Unusable(problem.what());
  }
}

std::string first_record() {
  proto::Batch batch;
  batch.set_version(format_version);
  return batch.SerializeAsString();
}

void check(const journal::Fault& fault) {
  if (fault) throw journal::Unusable(fault.what);
}

// --- To a journal of one server -----------------------------------------------------------------

void write_to(journal::Journal& journal, const std::string& snapshot, std::uint64_t fences) {
  const auto wait = [](const std::function<void(journal::Journal::Done)>& begin) {
    std::promise<journal::Fault> promise;
    begin([&promise](const journal::Fault& fault) { promise.set_value(fault); });
    check(promise.get_future().get());
  };
  journal.raise_floor(fences);
  wait([&](auto done) { journal.append(first_record(), std::move(done)); });
  wait([&](auto done) { journal.snapshot(1, snapshot, std::move(done)); });
  journal.close();
}

void restore_alone(const proto::Backup& backup, const std::string& name, std::uint64_t fences) {
  const auto journal = journal::open(name);
  const auto refuse = [&](journal::Position, std::string_view) {
    throw journal::Unusable(name + " is in use: a backup is only restored to a journal that is empty");
  };
  journal->read(refuse, refuse);
  write_to(*journal, backup.snapshot(), fences);
}

// --- To etcd ------------------------------------------------------------------------------------

// A server that comes to lead an empty cluster, writes, and leaves.
class EtcdRestorer {
 public:
  EtcdRestorer(const proto::Backup& backup, const std::string& journal,
               const ClusterOptions& cluster, std::uint64_t fences)
      : backup_(backup),
        journal_(journal),
        fences_(fences),
        deadline_(io_, patience_with_etcd),
        seat_(io_, journal, "restore", "baton restore", named(cluster),
              std::make_shared<spdlog::logger>("",
                                               std::make_shared<spdlog::sinks::null_sink_mt>()),
              events()) {}

  void run() {
    deadline_.async_wait([this](const boost::system::error_code& error) {
      if (!error) end("etcd does not answer: " + seat_.member().trouble());
    });
    seat_.start();
    io_.run();
    if (!problem_.empty()) throw journal::Unusable(journal_ + ": " + problem_);
  }

 private:
  static ClusterOptions named(ClusterOptions cluster) {
    cluster.advertise = "restore";
    return cluster;
  }

  Seat::Events events() {
    const auto in_use = [this] { end("it is in use: a backup is only restored to an empty prefix"); };
    return {.forget =
                [this](const std::string& why) {
                  if (!why.empty()) end(why);
                },
            .read_snapshot = [in_use](std::string_view) { in_use(); },
            .read_record = [in_use](journal::Position, std::string_view) { in_use(); },
            .follow =
                [this](const std::string& leader) {
                  if (!leader.empty()) end("a cluster is served there, by " + leader);
                },
            .lead = [this](service::Duration) { write(); },
            .give_up = [this](const std::string& why) { end(why); }};
  }

  void write() {
    if (is_over_) return;
    journal::Journal& journal = seat_.journal();
    journal.raise_floor(fences_);
    journal.append(first_record(), [this, &journal](const journal::Fault&) {
      journal.snapshot(1, backup_.snapshot(), [this](const journal::Fault&) { end(""); });
    });
  }

  void end(const std::string& problem) {
    if (std::exchange(is_over_, true)) return;
    problem_ = problem;
    deadline_.cancel();
    // Not from within what the seat is just doing.
    boost::asio::post(io_, [this] { seat_.leave([this] { io_.stop(); }); });
  }

  const proto::Backup& backup_;
  std::string journal_;
  std::uint64_t fences_;
  boost::asio::io_context io_;
  boost::asio::steady_timer deadline_;
  Seat seat_;
  bool is_over_ = false;
  std::string problem_;
};

}  // namespace

std::string make_backup(const service::State& state, const BackupInfo& info) {
  service::Duration longest{0};
  for (const service::SessionInfo& session : state.sessions()) {
    longest = std::max(longest, session.ttl);
  }
  proto::Backup backup;
  backup.set_format(backup_format);
  backup.set_made(info.made_us);
  backup.set_server(info.server);
  backup.set_journal(info.journal);
  backup.set_longest_ttl(longest.value);
  backup.set_snapshot(encode(Kept{info.epoch, without_sessions(state.image())}));
  backup.set_checksum(journal::checksum(0, backup.snapshot()));
  return backup.SerializeAsString();
}

std::string make_backup(const std::string& name) {
  if (names_etcd(name)) {
    throw journal::Unusable("of a cluster a server makes the backup: baton backup FILE --url URL");
  }
  const auto journal = journal::open(name);
  Reader host;
  Engine engine(*journal, host, {});
  journal->read([&](journal::Position, std::string_view bytes) { engine.read_snapshot(bytes); },
                [&](journal::Position position, std::string_view bytes) {
                  engine.read_record(position, bytes);
                });
  return make_backup(engine.state(), {.epoch = engine.epoch(),
                                      .made_us = wall_us(),
                                      .server = {},
                                      .journal = journal->describe()});
}

BackupInfo read_backup(const std::string& bytes) {
  const proto::Backup backup = parse(bytes);
  const Kept kept = kept_in(backup);
  return {.epoch = kept.epoch,
          .made_us = backup.made(),
          .server = backup.server(),
          .journal = backup.journal(),
          .longest_ttl = {backup.longest_ttl()},
          .files = kept.image.files.size()};
}

void restore(const std::string& bytes, const std::string& journal, const ClusterOptions& cluster) {
  const proto::Backup backup = parse(bytes);
  const Kept kept = kept_in(backup);
  const std::uint64_t fences = std::max(kept.image.reserve.value, kept.image.next_fence.value);
  if (!names_etcd(journal)) return restore_alone(backup, journal, fences);
  EtcdRestorer(backup, journal, cluster, fences).run();
}

}  // namespace baton::server
