#include "service/http/words.h"

#include <boost/json.hpp>
#include <charconv>

#include "core/text.h"
#include "service/http/keys.h"
#include "service/http/refused.h"
#include "service/http/text.h"
#include "service/lease/lease.h"

namespace baton::http {

namespace {

namespace json = boost::json;

double seconds_of(std::int64_t time_us) { return static_cast<double>(time_us) / 1e6; }

// "try":true does not wait, "wait":"10s" waits so long; otherwise it waits for ever.
template <class Message>
void fill_wait(Message& message, Fields& fields) {
  const bool is_try = fields.flag("try");
  const auto wait = fields.duration("wait");
  if (is_try && wait) throw Refused("either 'try' or 'wait'");
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

json::object json_of(const proto::Who& who) {
  return {{"host", who.host()}, {"user", who.user()}, {"process", who.process()}};
}

json::object json_of(const proto::Holder& holder) {
  json::object object = json_of(holder.who());
  object["session_id"] = holder.session();
  object["owner"] = holder.owner();
  object["label"] = holder.label().empty() ? holder.who().label() : holder.label();
  object["shared"] = holder.mode() == proto::SHARED;
  object["fence"] = holder.fence();
  object["slot"] = holder.slot();
  object["ending"] = holder.ending();
  object["held_s"] = seconds_of(holder.for_time());
  if (!holder.value().empty()) add_bytes(object, "value", holder.value());
  return object;
}

json::object json_of(const proto::Waiter& waiter, std::size_t position) {
  json::object object = json_of(waiter.who());
  object["position"] = position;
  object["session_id"] = waiter.session();
  object["owner"] = waiter.owner();
  object["label"] = waiter.label().empty() ? waiter.who().label() : waiter.label();
  object["shared"] = waiter.mode() == proto::SHARED;
  object["ticket"] = waiter.ticket();
  object["names"] = json::array(waiter.names().begin(), waiter.names().end());
  object["waited_s"] = seconds_of(waiter.for_time());
  return object;
}

json::object json_of(const proto::Lock& lock) {
  json::array holders;
  for (const auto& holder : lock.holders()) holders.push_back(json_of(holder));
  json::array waiters;
  for (const auto& waiter : lock.waiters()) waiters.push_back(json_of(waiter, waiters.size() + 1));
  json::object object{{"name", lock.name()},
                      {"slots", lock.slots()},
                      {"holders", std::move(holders)},
                      {"waiters", std::move(waiters)}};
  if (lock.closed_for() > 0) object["closed_s"] = seconds_of(lock.closed_for());
  return object;
}

json::object json_of(const proto::WaitEdge& edge) {
  return {{"from", edge.from_session()}, {"from_owner", edge.from_owner()},
          {"to", edge.to_session()},     {"to_owner", edge.to_owner()},
          {"name", edge.name()},         {"by_queue", edge.by_queue()}};
}

json::object json_of(const proto::Session& session) {
  json::object object = json_of(session.who());
  object["session_id"] = session.session();
  object["label"] = session.who().label();
  object["ttl_s"] = seconds_of(session.ttl());
  object["lease_left_s"] = seconds_of(session.lease_left());
  object["fast"] = session.fast();
  object["within"] = session.within();
  object["connected"] = session.connected();
  object["holds"] = session.holds();
  object["waits"] = session.waits();
  object["open_s"] = seconds_of(session.for_time());
  return object;
}

// As json::serialize(), but 29.4 is 29.4 and not 2.94E1.
void append(std::string& text, const json::value& value) {
  if (const auto* object = value.if_object()) {
    text += '{';
    for (const auto& [key, inner] : *object) {
      if (text.back() != '{') text += ',';
      text += json::serialize(key) + ":";
      append(text, inner);
    }
    text += '}';
  } else if (const auto* array = value.if_array()) {
    text += '[';
    for (const json::value& inner : *array) {
      if (text.back() != '[') text += ',';
      append(text, inner);
    }
    text += ']';
  } else if (const auto* number = value.if_double()) {
    char digits[64];
    const auto end = std::to_chars(digits, digits + sizeof digits, *number).ptr;
    text.append(digits, end);
  } else {
    text += json::serialize(value);
  }
}

std::string_view name_of(proto::Change::Kind kind) {
  switch (kind) {
    case proto::Change::REMOVE:
      return "remove";
    case proto::Change::ELECT:
      return "elect";
    case proto::Change::PROCLAIM:
      return "proclaim";
    case proto::Change::RESIGN:
      return "resign";
    default:
      return "put";
  }
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

void add_lease(json::object& object, service::Duration ttl) {
  const auto terms = service::LeaseTerms::of(ttl, {0});
  object["ttl_s"] = seconds_of(ttl.value);
  object["lease_s"] = seconds_of(terms.length().value);
  object["keepalive_every_s"] = seconds_of(terms.interval.value);
}

void add_bytes(json::object& object, const std::string& name, const std::string& bytes) {
  if (text::is_utf8(bytes)) {
    object[name] = bytes;
  } else {
    object[name + "_base64"] = base64(bytes);
  }
}

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

json::object json_of_locks(const std::vector<proto::Answer>& parts) {
  json::array locks;
  json::array edges;
  for (const proto::Answer& part : parts) {
    for (const auto& lock : part.locks()) locks.push_back(json_of(lock));
    for (const auto& edge : part.edges()) edges.push_back(json_of(edge));
  }
  return {{"locks", std::move(locks)},
          {"waits_for", std::move(edges)},
          {"revision", parts.back().revision()}};
}

json::object json_of_sessions(const std::vector<proto::Answer>& parts) {
  json::array sessions;
  for (const proto::Answer& part : parts) {
    for (const auto& session : part.sessions()) sessions.push_back(json_of(session));
  }
  return {{"sessions", std::move(sessions)}};
}

json::object json_of_file(const proto::File& file) {
  json::object object{
      {"key", file.key()}, {"version", file.version()}, {"revision", file.revision()}};
  add_bytes(object, "value", file.value());
  if (file.tied_to() != 0) object["tied_to"] = file.tied_to();
  return object;
}

json::object json_of_files(const std::vector<proto::Answer>& parts) {
  json::array files;
  for (const proto::Answer& part : parts) {
    for (const auto& file : part.files()) files.push_back(json_of_file(file));
  }
  return {{"files", std::move(files)}, {"revision", parts.back().revision()}};
}

json::object json_of_leader(const std::string& election, const proto::Holder& leader) {
  json::object object = json_of(leader);
  for (const char* name : {"shared", "slot", "fence", "held_s"}) object.erase(name);
  object["name"] = election;
  object["term"] = leader.fence();
  object["leads_s"] = seconds_of(leader.for_time());
  if (leader.value().empty()) object["value"] = "";
  return object;
}

namespace {

json::object json_of(const proto::PeerGroup& group) {
  json::array members;
  for (const proto::PeerGroup::Member& one : group.members()) {
    members.push_back(json::object{{"id", one.id()},
                                   {"address", one.address()},
                                   {"belongs", one.belongs()},
                                   {"connected", one.connected()},
                                   {"arbiter", one.arbiter()},
                                   {"problem", one.problem()}});
  }
  return {
      {"name", group.name()},         {"self", group.self()},     {"algorithm", group.algorithm()},
      {"election", group.election()}, {"epoch", group.epoch()},   {"working", group.working()},
      {"messages", group.messages()}, {"grants", group.grants()}, {"members", members}};
}

}  // namespace

json::object json_of_status(const proto::Answer& answer) {
  const proto::Status& status = answer.status();
  json::object object{{"server", status.server()},
                      {"scope", status.scope()},
                      {"program", status.program()},
                      {"process", status.process()},
                      {"epoch", status.epoch()},
                      {"leads_s", seconds_of(status.leads_for())},
                      {"journal", status.journal()},
                      {"position", status.position()},
                      {"sessions", status.sessions()},
                      {"locks", status.locks()},
                      {"waiters", status.waiters()},
                      {"files", status.files()},
                      {"revision", status.revision()},
                      {"connections", status.connections()},
                      {"http", json::array(status.http().begin(), status.http().end())},
                      {"last_fence", status.last_fence()},
                      {"waits_for_reports_of", json::array(status.waits_for_reports_of().begin(),
                                                           status.waits_for_reports_of().end())}};
  if (status.has_group()) {
    object["trouble"] = status.trouble();
    object["group"] = json_of(status.group());
  }
  return object;
}

json::object json_of_lost(const proto::HoldOver& over) {
  return {{"name", over.name()},
          {"election", over.space() == proto::ELECTION},
          {"owner", over.owner()},
          {"fence", over.fence()},
          {"reason", over.reason()}};
}

std::string event_of(const proto::Change& change) {
  const std::string_view kind = name_of(change.kind());
  const bool is_of_leader = change.kind() >= proto::Change::ELECT;
  json::object data{{"kind", kind},
                    {"revision", change.revision()},
                    {is_of_leader ? "name" : "key", change.key()}};
  if (is_of_leader) {
    data["term"] = change.fence();
    data["session_id"] = change.session();
  } else {
    data["version"] = change.version();
    if (change.session() != 0) data["tied_to"] = change.session();
  }
  const bool has_value =
      change.kind() != proto::Change::REMOVE && change.kind() != proto::Change::RESIGN;
  if (has_value) add_bytes(data, "value", change.value());
  return "id: " + std::to_string(change.revision()) + "\nevent: " + std::string(kind) +
         "\ndata: " + json::serialize(data) + "\n\n";
}

Response json_response(const json::object& object) {
  Response response;
  append(response.body, object);
  response.body += '\n';
  return response;
}

}  // namespace baton::http
