#include "service/http/metrics.h"

#include <unistd.h>

#include <charconv>
#include <fstream>

#include "baton/error.h"

namespace baton::http {

namespace {

std::string text_of(double value) {
  char buffer[64];
  const auto [end, error] = std::to_chars(buffer, buffer + sizeof buffer, value);
  return {buffer, end};
}
std::string text_of(std::uint64_t value) { return std::to_string(value); }

class Page {
 public:
  template <class Number>
  void counter(const std::string& name, const std::string& help, Number value) {
    begin(name, help, "counter");
    line(name, "", text_of(value));
  }
  template <class Number>
  void gauge(const std::string& name, const std::string& help, Number value) {
    begin(name, help, "gauge");
    line(name, "", text_of(value));
  }
  void histogram(const std::string& name, const std::string& help,
                 const server::Histogram& values) {
    begin(name, help, "histogram");
    std::uint64_t so_far = 0;
    for (std::size_t i = 0; i < values.counts().size(); ++i) {
      so_far += values.counts()[i];
      const bool is_last = i == values.bounds().size();
      const std::string bound = is_last ? "+Inf" : text_of(values.bounds()[i]);
      line(name + "_bucket", "{le=\"" + bound + "\"}", text_of(so_far));
    }
    line(name + "_sum", "", text_of(values.sum()));
    line(name + "_count", "", text_of(so_far));
  }

  void begin(const std::string& name, const std::string& help, const std::string& type) {
    text_ += "# HELP " + name + " " + help + "\n# TYPE " + name + " " + type + "\n";
  }
  void line(const std::string& name, const std::string& labels, const std::string& value) {
    text_ += name + labels + " " + value + "\n";
  }
  std::string take() { return std::move(text_); }

 private:
  std::string text_;
};

std::uint64_t resident_bytes() {
  std::ifstream file("/proc/self/statm");
  std::uint64_t all = 0;
  std::uint64_t resident = 0;
  file >> all >> resident;
  return resident * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
}

void add_engine(Page& page, server::Host& host) {
  const server::EngineCounters& counters = host.engine().counters();
  page.counter("baton_commands_total", "Commands handed to the journal.", counters.commands);
  page.counter("baton_replayed_commands_total", "Commands read from the journal at the start.",
               counters.replayed);
  page.counter("baton_batches_total", "Records appended to the journal.", counters.batches);
  page.counter("baton_batch_bytes_total", "Bytes of these records.", counters.batch_bytes);
  page.histogram("baton_batch_commands", "Commands per record.", counters.batch_commands);
  page.histogram("baton_journal_append_seconds",
                 "Time from handing over a record until it is durable.", counters.append_seconds);
  page.counter("baton_early_replies_total",
               "Replies of the fast grade, sent before the journal had them.",
               counters.early_replies);
  page.counter("baton_snapshots_total", "Snapshots written.", counters.snapshots);
  page.gauge("baton_snapshot_bytes", "Size of the last snapshot.", counters.snapshot_bytes);
  page.gauge("baton_journal_position", "Number of the last record.",
             std::uint64_t{host.engine().position()});
  page.gauge("baton_epoch", "Epoch of this server's leadership.", host.engine().epoch());
  page.gauge("baton_leading", "1 while this server leads and serves.",
             std::uint64_t{host.not_serving() ? 0U : 1U});
  page.gauge("baton_granting", "1 while nothing keeps it from granting, such as a lost majority.",
             std::uint64_t{host.not_serving() || !host.frontend().trouble().empty() ? 0U : 1U});
}

void add_leadership(Page& page, server::Host& host) {
  page.counter("baton_leaderships_total", "Times that this server became leader.",
               host.leaderships().begun);
  page.counter("baton_leaderships_lost_total",
               "Times that this server was deposed or lost its lease.", host.leaderships().lost);
  page.counter("baton_leaders_suspected_total", "Times that this server took the leader for dead.",
               host.leaderships().suspected);
  page.histogram("baton_lease_margin_seconds",
                 "Time left on the leader's lease in etcd when a renewal was confirmed.",
                 host.leaderships().margin_seconds);
  page.begin("baton_proof_left_seconds", "For how long this server can still prove that it leads.",
             "gauge");
  const server::ClusterMembership* membership = host.membership();
  if (membership == nullptr) return;
  const std::int64_t left_us =
      membership->replica().is_leading() ? membership->replica().proof_left_us() : 0;
  page.line("baton_proof_left_seconds", "", text_of(static_cast<double>(left_us) / 1e6));
}

// As each member of etcd was when it was last looked at.
template <class Value>
void add_of_etcd(Page& page, const server::ClusterMembership* membership, const std::string& name,
                 const std::string& help, Value value) {
  page.begin(name, help, "gauge");
  if (membership == nullptr) return;
  for (const auto& member : membership->replica().quota().members()) {
    page.line(name, "{endpoint=\"" + member.endpoint + "\"}", std::to_string(value(member)));
  }
}

void add_etcd(Page& page, const server::ClusterMembership* membership) {
  add_of_etcd(page, membership, "baton_etcd_healthy",
              "1 if this member of etcd answers and can write.",
              [](const auto& member) { return member.is_healthy ? 1 : 0; });
  add_of_etcd(page, membership, "baton_etcd_store_bytes",
              "Size of the store of this member of etcd.",
              [](const auto& member) { return member.store_bytes; });
  add_of_etcd(
      page, membership, "baton_etcd_quota_bytes",
      "Size at which this member of etcd takes no more writes.",
      [membership](const auto& member) { return membership->replica().quota().quota_of(member); });
}

void add_state(Page& page, const service::State& state) {
  page.gauge("baton_sessions", "Open sessions.", std::uint64_t{state.session_count()});
  page.gauge("baton_locks", "Locks and elections that are held or waited for.",
             std::uint64_t{state.lock_count()});
  page.gauge("baton_waiters", "Requests that wait for a lock or an election.",
             std::uint64_t{state.waiting_count()});
  page.gauge("baton_files", "Files.", std::uint64_t{state.file_count()});
  page.gauge("baton_revision", "Revision of the last change of a file or a leader.",
             state.revision().value);
  page.gauge("baton_unreported_sessions",
             "Sessions that have yet to say what they hold; until then nothing is granted.",
             std::uint64_t{state.unreported().size()});
  page.gauge("baton_last_fence", "The last fencing token that was given out.",
             state.next_fence().value - 1);
}

void add_frontend(Page& page, server::Host& host) {
  const server::FrontendCounters& counters = host.frontend().counters();
  page.counter("baton_requests_total", "Requests of clients, HTTP among them.", counters.requests);
  page.counter("baton_keepalives_total", "Keepalives received from sessions.", counters.keepalives);
  page.counter("baton_expired_sessions_total", "Sessions whose leases expired.", counters.expired);
  page.begin("baton_refused_requests_total", "Requests answered with an error.", "counter");
  for (std::size_t i = 1; i < counters.refused.size(); ++i) {
    const std::string_view name = name_of(static_cast<Error>(i));
    if (name == "unknown") continue;
    page.line("baton_refused_requests_total", "{error=\"" + std::string(name) + "\"}",
              text_of(counters.refused[i]));
  }
}

void add_http(Page& page, server::Host& host, const Counters& counters) {
  page.begin("baton_connections", "Open connections.", "gauge");
  page.line("baton_connections", "{protocol=\"baton\"}",
            text_of(std::uint64_t{host.connections()}));
  page.line("baton_connections", "{protocol=\"http\"}",
            text_of(std::uint64_t{counters.connections}));
  page.gauge("baton_http_streams", "Watches over HTTP.", std::uint64_t{counters.streams});
  page.begin("baton_http_requests_total", "HTTP requests answered.", "counter");
  for (const auto& [what, count] : counters.answered) {
    page.line("baton_http_requests_total",
              "{route=\"" + what.first + "\",code=\"" + std::to_string(what.second) + "\"}",
              text_of(count));
  }
}

}  // namespace

std::string metrics(server::Host& host, const Counters& counters) {
  Page page;
  add_engine(page, host);
  add_leadership(page, host);
  add_etcd(page, host.membership());
  add_state(page, host.engine().state());
  add_frontend(page, host);
  add_http(page, host, counters);
  page.gauge("baton_process_resident_memory_bytes", "Memory of the server's process.",
             resident_bytes());
  page.gauge("baton_process_start_time_seconds", "When the server started, since 1970.",
             counters.started_s);
  return page.take();
}

}  // namespace baton::http
