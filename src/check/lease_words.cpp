// The steps of the world of the lease protocol in words.
#include "check/lease_terms.h"
#include "check/lease_world.h"

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
  }
  return "";
}

}  // namespace

std::string LeaseWorld::told(const State& before, const Step& step) {
  using enum Action;
  const std::string who =
      step.which < clients ? "client " + std::to_string(step.which) : "the server";
  const auto first = [&](const auto& channels) { return in_words(channels[step.which].items[0]); };
  switch (step.action) {
    case time_passes:
      return "time passes";
    case clock_stands:
      return "time passes, and " + who + "'s clock stands still";
    case clock_leaps:
      return "time passes, and " + who + "'s clock shows two units";
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
    case connection_breaks:
      return who + " is cut off";
    case connection_returns:
      return who + " is connected again";
    case to_client:
      return who + " receives: " + first(before.to_client);
    case to_client_late:
      return "to " + who + " late: " + first(before.to_client);
    case to_server:
      return "the server receives from " + who + ": " + first(before.to_server);
    case to_server_late:
      return "from " + who + " late: " + first(before.to_server);
    case late_arrives: {
      const Late& late = before.late.items[step.which];
      const std::string client = "client " + std::to_string(late.client);
      return (late.to_server ? "the server receives late from " + client + ": "
                             : client + " receives late: ") +
             in_words(late.packet);
    }
    case server_turns:
      return "the server looks at the leases";
    case journal_writes:
      return "the journal has the next record";
    case server_crashes:
      return "the server crashes";
    case server_stops:
      return "the server is stopped";
    case server_starts:
      return "the server starts";
    case server_pauses:
      return "the server is paused";
    case server_resumes:
      return step.which == clients
                 ? "the server goes on, looks at the leases, and reads what has arrived"
                 : "the server goes on, and reads what has arrived, from " + who + " first";
  }
  return "";
}

}  // namespace baton::check
