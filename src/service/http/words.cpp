#include "service/http/words.h"

#include <boost/json.hpp>
#include <iterator>
#include <utility>

#include "io/json_text.h"
#include "service/client/convert.h"
#include "service/http/keys.h"
#include "service/http/refused.h"

namespace baton::http {

namespace {

namespace json = boost::json;

// "try":true does not wait, "wait":"10s" waits so long; otherwise it waits for ever.
template <class Message>
void fill_wait(Message& message, Fields& fields) {
  const bool is_try = fields.flag("try");
  const auto wait = fields.duration("wait");
  if (is_try && wait) throw Refused("give either 'try' or 'wait', not both");
  if (is_try) message.set_wait(0);
  if (wait) message.set_wait(wait->value);
}

void fill_usual(proto::Acquire& message, Fields& fields) {
  fill_wait(message, fields);
  message.set_owner(fields.number("owner").value_or(0));
  message.set_label(fields.text("label").value_or(""));
  if (const auto most = fields.duration("max_hold")) message.set_max_hold(most->value);
  message.set_despite_deadlock(fields.flag("despite_deadlock"));
}

}  // namespace

// --- What is asked ------------------------------------------------------------------------------

void fill(proto::OpenSession& message, Fields& fields) {
  message.set_ttl(fields.duration("ttl").value_or(usual_ttl).value);
  message.set_lock_delay(fields.duration("lock_delay").value_or(service::Duration{0}).value);
  message.set_latest_answers(answers_kept);
  proto::Who& who = *message.mutable_who();
  who.set_host(fields.text("host").value_or(""));
  who.set_user(fields.text("user").value_or(""));
  who.set_process(static_cast<std::uint32_t>(fields.number("process", UINT32_MAX).value_or(0)));
  who.set_label(fields.text("label").value_or(""));
}

void fill_lock(proto::Acquire& message, Fields& fields) {
  for (const std::string& name : fields.names()) message.add_names(name);
  if (fields.flag("shared")) message.set_mode(proto::SHARED);
  const auto slots = fields.number("slots", UINT32_MAX);
  if (slots == 0U) throw Refused("a lock has at least one slot");
  message.set_slots(static_cast<std::uint32_t>(slots.value_or(1)));
  fill_usual(message, fields);
}

void fill_campaign(proto::Acquire& message, Fields& fields) {
  message.set_space(proto::ELECTION);
  message.add_names(fields.required_text("name"));
  message.set_value(fields.bytes("value").value_or(""));
  fill_usual(message, fields);
}

void fill(proto::Upgrade& message, Fields& fields) {
  message.set_name(fields.required_text("name"));
  message.set_owner(fields.number("owner").value_or(0));
  fill_wait(message, fields);
  message.set_despite_deadlock(fields.flag("despite_deadlock"));
}

void fill(proto::Put& message, Fields& fields) {
  message.set_key(fields.required_text("key"));
  auto value = fields.bytes("value");
  if (!value) throw Refused("'value' is missing");
  message.set_value(std::move(*value));
  if (const auto version = fields.number("version")) message.set_version(*version);
  message.set_tied(fields.flag("tied"));
}

void fill(proto::Remove& message, Fields& fields) {
  message.set_key(fields.required_text("key"));
  if (const auto version = fields.number("version")) message.set_version(*version);
}

// --- What is answered ---------------------------------------------------------------------------

void add_grant(json::object& object, const proto::Reply::Granted& granted,
               const std::vector<std::string>& names, bool has_slots) {
  object["names"] = json::array(names.begin(), names.end());
  object["fence"] = granted.fence();
  if (has_slots) object["slot"] = granted.slot();
  if (granted.parts_size() == 0) return;
  json::array parts;
  for (int i = 0; i < granted.parts_size(); ++i) {
    json::object part{{"name", names.at(static_cast<std::size_t>(i))},
                      {"fence", granted.parts(i).fence()}};
    if (has_slots) part["slot"] = granted.parts(i).slot();
    parts.push_back(std::move(part));
  }
  object["parts"] = std::move(parts);
}

LocksInfo locks_of(const std::vector<proto::Answer>& parts) {
  LocksInfo all = client::locks_of(parts.back());
  std::vector<LockInfo> locks;
  std::vector<WaitEdge> edges;
  for (const proto::Answer& part : parts) {
    LocksInfo some = client::locks_of(part);
    std::move(some.locks.begin(), some.locks.end(), std::back_inserter(locks));
    std::move(some.edges.begin(), some.edges.end(), std::back_inserter(edges));
  }
  all.locks = std::move(locks);
  all.edges = std::move(edges);
  return all;
}

std::vector<SessionInfo> sessions_of(const std::vector<proto::Answer>& parts) {
  std::vector<SessionInfo> all;
  for (const proto::Answer& part : parts) {
    std::vector<SessionInfo> some = client::sessions_of(part);
    std::move(some.begin(), some.end(), std::back_inserter(all));
  }
  return all;
}

FileList files_of(const std::vector<proto::Answer>& parts) {
  FileList list{.files = {}, .revision = parts.back().revision()};
  for (const proto::Answer& part : parts) {
    for (const auto& file : part.files()) list.files.push_back(client::file_of(file));
  }
  return list;
}

json::object json_of_lost(const proto::HoldOver& over) {
  return {{"name", over.name()},
          {"election", over.space() == proto::ELECTION},
          {"owner", over.owner()},
          {"fence", over.fence()},
          {"reason", over.reason()}};
}

namespace {

LeaderChange leader_change_of(const proto::Change& change) {
  using Kind = LeaderChange::Kind;
  return {.kind = change.kind() == proto::Change::ELECT      ? Kind::elected
                  : change.kind() == proto::Change::PROCLAIM ? Kind::proclaimed
                                                             : Kind::resigned,
          .revision = change.revision(),
          .leader = {change.value(), change.fence(), change.session()}};
}

}  // namespace

std::string event_of(const proto::Change& change) {
  const bool is_of_leader = change.kind() >= proto::Change::ELECT;
  const json::object data = is_of_leader ? json_of(change.key(), leader_change_of(change))
                                         : json_of(client::file_change_of(change));
  return "id: " + std::to_string(change.revision()) +
         "\nevent: " + std::string(data.at("kind").as_string()) + "\ndata: " + io::json_text(data) +
         "\n\n";
}

Response json_response(const json::object& object) {
  return {.body = io::json_text(object) + '\n'};
}

}  // namespace baton::http
