// Describes the steps of the world of the lease protocol in words.
#include "lab/check/lease_terms.h"
#include "lab/check/lease_world.h"

namespace baton::check {

using namespace lease_terms;
using Packet = LeaseWorld::Packet;
using Kind = Packet::Kind;

namespace {

std::string in_words(const Packet& packet) {
  const std::string request = is_release(packet.request) ? "release" : "acquire";
  const std::string epoch = " of epoch " + std::to_string(packet.epoch);
  const std::string age = ", sent " + std::to_string(present - packet.time) + " ago";
  switch (packet.kind) {
    case Kind::keep_alive:
      return "keepalive" + age;
    case Kind::ask:
      return request;
    case Kind::report:
      return "report" + epoch +
             (packet.fence == 0 ? ": holds nothing"
                                : ": holds fence " + std::to_string(packet.fence));
    case Kind::alive:
      return "alive" + epoch + " to a keepalive" + age +
             (packet.wants_report ? ", which wants a report" : "");
    case Kind::gone:
      return "gone" + epoch;
    case Kind::granted:
      return "granted" + epoch + ", fence " + std::to_string(packet.fence);
    case Kind::released:
      return "released" + epoch;
    case Kind::renewed:
      return "that its key was renewed" + age;
  }
  return "";
}

std::string name_of_server(const LeaseWorld::State& state, std::size_t k) {
  return state.servers == 1 ? "the server" : "server " + std::to_string(k);
}
std::string name_of_client(std::size_t i) { return "client " + std::to_string(i); }
std::string name_of_clock(const LeaseWorld::State& state, std::size_t clock) {
  if (clock < LeaseWorld::clients) return name_of_client(clock);
  if (clock == LeaseWorld::store_clock) return "the store";
  return name_of_server(state, clock - LeaseWorld::clients);
}

std::string client_in_words(const LeaseWorld::State& before, const LeaseWorld::Step& step) {
  using enum LeaseWorld::Action;
  const std::string who = name_of_client(step.which);
  const std::string server = name_of_server(before, before.client[step.which].server);
  const auto first = [&](const auto& channels) { return in_words(channels[step.which].items[0]); };
  const std::string to = before.servers == 1 ? "" : ", to " + name_of_server(before, step.how);
  switch (step.action) {
    case client_wakes:
      return who + " wakes";
    case client_wakes_in_vain:
      return who + " wakes, and its keepalive is late";
    case client_wakes_unanswered:
      return who + " wakes, and the answer to its keepalive is late";
    case client_asks:
      return who + " wants the lock";
    case client_releases:
      return who + " releases the lock";
    case client_pauses:
      return who + " is paused";
    case client_resumes:
      return who + " goes on";
    case client_moves:
      return who + " hears nothing and turns to " +
             name_of_server(before, 1U - before.client[step.which].server);
    case connection_breaks:
      return who + " is cut off";
    case connection_returns:
      return who + " is connected again" + to;
    case connection_returns_in_vain:
      return who + " is connected again" + to + ", and its keepalive is late";
    case to_client:
      return who + " receives: " + first(before.to_client);
    case to_client_late:
      return "to " + who + " late: " + first(before.to_client);
    case to_server:
      return server + " receives from " + who + ": " + first(before.to_server);
    case to_server_late:
      return "from " + who + " late: " + first(before.to_server);
    default:
      return "";
  }
}

std::string server_in_words(const LeaseWorld::State& before, const LeaseWorld::Step& step,
                            bool compares) {
  using enum LeaseWorld::Action;
  const std::string who = name_of_server(before, step.which);
  switch (step.action) {
    case server_turns:
      return who + " looks at the leases";
    case server_turns_unanswered:
      return who + " looks at the leases, and the answer to its renewal is late";
    case journal_writes: {
      const bool is_deposed = before.servers > 1 && before.leader != step.which + 1;
      if (is_deposed) {
        return who + " appends a record although it leads no more, and " +
               (compares ? "is refused" : "is not refused");
      }
      return before.servers == 1 ? "the journal has the next record"
                                 : "the journal has the next record of " + who;
    }
    case server_crashes:
      return who + " crashes";
    case server_stops:
      return before.servers == 1 ? who + " is stopped" : who + " is stopped, and says farewell";
    case server_starts:
      return who + " starts";
    case server_pauses:
      return who + " is paused";
    case server_resumes:
      return step.how == LeaseWorld::clients
                 ? who + " goes on, looks at the leases, and reads what has arrived"
                 : who + " goes on, and reads what has arrived, from " + name_of_client(step.how) +
                       " first";
    case takeover:
      return who + " takes over" + (step.how != 0 ? ", without the last record" : "");
    case early_takeover:
      return who + " takes over early" + (step.how != 0 ? ", without the last record" : "");
    case store_breaks:
      return who + " is cut off from the store";
    case store_returns:
      return who + " is connected to the store again";
    case append_arrives:
      return "a record of server 0 arrives that was under way";
    default:
      return "";
  }
}

}  // namespace

std::string LeaseWorld::told(const State& before, const Step& step) {
  using enum Action;
  switch (step.action) {
    case time_passes:
      return "time passes";
    case clock_stands:
      return "time passes, and " + name_of_clock(before, step.which) + "'s clock stands still";
    case clock_leaps:
      return "time passes, and " + name_of_clock(before, step.which) + "'s clock shows two units";
    case late_arrives: {
      const Late& late = before.late.items[step.which];
      const std::string server = name_of_server(before, late.server);
      const std::string client = name_of_client(late.client);
      const bool renewed = late.packet.kind == Kind::renewed;
      return (renewed          ? server + " learns late: "
              : late.to_server ? server + " receives late from " + client + ": "
                               : client + " receives late: ") +
             in_words(late.packet);
    }
    default:
      return step.action < server_turns
                 ? client_in_words(before, step)
                 : server_in_words(before, step, !omits(service::LeaseRule::append_compares));
  }
}

}  // namespace baton::check
