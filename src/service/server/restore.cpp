#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <functional>
#include <future>
#include <memory>
#include <utility>

#include "baton/journal.pb.h"
#include "io/clock.h"
#include "service/journal/open.h"
#include "service/server/backup.h"
#include "service/server/snapshot.h"
#include "service/state/versions.h"

namespace baton::server {

namespace {

// The restorer waits longer for a large backup.
constexpr std::chrono::seconds patience_with_etcd{15};
constexpr std::size_t bytes_per_second = 1'000'000;
constexpr const char* in_use = "the prefix is in use: restore a backup to an empty prefix";

std::chrono::seconds patience_for(const proto::Backup& backup) {
  return patience_with_etcd + std::chrono::seconds(backup.snapshot().size() / bytes_per_second);
}

std::string first_record() {
  proto::Batch batch;
  batch.set_version(service::record_format);
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
    throw journal::Unusable(name + " is in use: restore a backup to an empty journal");
  };
  journal->read(refuse, refuse);
  write_to(*journal, backup.snapshot(), fences);
}

// --- To etcd ------------------------------------------------------------------------------------

// A server that becomes leader of an empty cluster, writes the backup, and leaves.
class EtcdRestorer final : private cluster::ReplicaHost {
 public:
  EtcdRestorer(const proto::Backup& backup, const std::string& journal,
               const ClusterOptions& cluster, std::uint64_t fences)
      : backup_(backup),
        journal_(journal),
        fences_(fences),
        deadline_(io_, patience_for(backup)),
        membership_(io_, journal, "restore", "baton restore", named(cluster),
                    static_cast<cluster::ReplicaHost&>(*this)) {}

  void run() {
    deadline_.async_wait([this](const boost::system::error_code& error) {
      if (!error) end("etcd does not answer: " + membership_.replica().trouble());
    });
    membership_.replica().start();
    io_.run();
    if (!problem_.empty()) throw journal::Unusable(journal_ + ": " + problem_);
  }

 private:
  static ClusterOptions named(ClusterOptions cluster) {
    cluster.advertise = "restore";
    return cluster;
  }

  // Of ReplicaHost.
  std::int64_t clock_us() override { return io::boottime_us(); }
  void after(std::int64_t us, std::function<void()> what) override {
    run_after(io_, us, std::move(what));
  }
  void forget(const std::string& why) override {
    if (!why.empty()) end(why);
  }
  void read_snapshot(journal::Position, std::string_view) override { end(in_use); }
  void read_record(journal::Position, std::string_view) override { end(in_use); }
  void follow(const cluster::LeaderInfo* leader) override {
    if (leader != nullptr) end("a cluster already runs there, led by " + leader->url);
  }
  void lead(std::int64_t) override { write(); }
  void give_up(const std::string& why) override { end(why); }
  void warn(const std::string&) override {}

  void write() {
    if (is_over_) return;
    journal::Journal& journal = membership_.replica().journal();
    journal.raise_floor(fences_);
    journal.append(first_record(), [this, &journal](const journal::Fault&) {
      journal.snapshot(1, backup_.snapshot(), [this](const journal::Fault&) { end(""); });
    });
  }

  void end(const std::string& problem) {
    if (std::exchange(is_over_, true)) return;
    problem_ = problem;
    deadline_.cancel();
    // Posted, because the membership is calling us just now.
    boost::asio::post(io_, [this] { membership_.replica().leave([this] { io_.stop(); }); });
  }

  const proto::Backup& backup_;
  std::string journal_;
  std::uint64_t fences_;
  boost::asio::io_context io_;
  boost::asio::steady_timer deadline_;
  ClusterMembership membership_;
  bool is_over_ = false;
  std::string problem_;
};

}  // namespace

void restore(const std::string& bytes, const std::string& journal, const ClusterOptions& cluster) {
  const proto::Backup backup = parse_backup(bytes);
  const std::uint64_t fences = describe_backup(bytes).fences_below;
  if (!names_etcd(journal)) return restore_alone(backup, journal, fences);
  EtcdRestorer(backup, journal, cluster, fences).run();
}

}  // namespace baton::server
