// Locks and elections over HTTP.
#include <boost/json.hpp>
#include <utility>

#include "service/http/api.h"
#include "service/http/refused.h"
#include "service/http/words.h"

namespace baton::http {

namespace {

namespace json = boost::json;

json::object with_session(const Session& session) {
  json::object object{{"session", session.token().text()},
                      {"session_id", session.token().session.value}};
  add_lease(object, session.ttl());
  return object;
}

template <class Reply>
Response done(const Reply&, const Session&) {
  return json_response({{"done", true}});
}

}  // namespace

void Api::lock(const std::shared_ptr<Exchange>& exchange) {
  Fields fields(exchange->request);
  proto::Request request;
  proto::Acquire& acquire = *request.mutable_acquire();
  fill_lock(acquire, fields);
  const std::vector<std::string> names{acquire.names().begin(), acquire.names().end()};
  const bool has_slots = acquire.slots() > 1;
  ask_in_any_session(exchange, fields, std::move(request),
                     [names, has_slots](const proto::Reply& reply, const Session& session) {
                       json::object object = with_session(session);
                       add_grant(object, reply.granted(), names, has_slots);
                       return json_response(object);
                     });
}

void Api::campaign(const std::shared_ptr<Exchange>& exchange) {
  Fields fields(exchange->request);
  proto::Request request;
  fill_campaign(*request.mutable_acquire(), fields);
  const std::string name = request.acquire().names(0);
  ask_in_any_session(exchange, fields, std::move(request),
                     [name](const proto::Reply& reply, const Session& session) {
                       json::object object = with_session(session);
                       object["name"] = name;
                       object["term"] = reply.granted().fence();
                       return json_response(object);
                     });
}

void Api::unlock(const std::shared_ptr<Exchange>& exchange) {
  Fields fields(exchange->request);
  proto::Request request;
  for (const std::string& name : fields.names()) request.mutable_release()->add_names(name);
  request.mutable_release()->set_owner(fields.number("owner").value_or(0));
  ask_in_session(exchange, fields, std::move(request), done<proto::Reply>);
}

void Api::resign(const std::shared_ptr<Exchange>& exchange) {
  Fields fields(exchange->request);
  proto::Request request;
  request.mutable_release()->set_space(proto::ELECTION);
  request.mutable_release()->add_names(fields.required_text("name"));
  request.mutable_release()->set_owner(fields.number("owner").value_or(0));
  ask_in_session(exchange, fields, std::move(request), done<proto::Reply>);
}

// The waiting request is named by its key.
void Api::cancel(const std::shared_ptr<Exchange>& exchange) {
  Fields fields(exchange->request);
  const KeyedRequest keyed = range_of(fields.required_text("key"));
  const auto token = Token::parse(token_of(*exchange, fields));
  const service::SessionId session = token ? token->session : service::no_session;
  const auto found = host_.engine().state().find_request(session, keyed.first, keyed.last);
  proto::Request request;
  request.mutable_cancel()->set_waiting(found ? found->value : keyed.first.value);
  ask_in_session(exchange, fields, std::move(request), done<proto::Reply>);
}

void Api::downgrade(const std::shared_ptr<Exchange>& exchange) {
  Fields fields(exchange->request);
  proto::Request request;
  request.mutable_downgrade()->set_name(fields.required_text("name"));
  request.mutable_downgrade()->set_owner(fields.number("owner").value_or(0));
  ask_in_session(exchange, fields, std::move(request),
                 [](const proto::Reply& reply, const Session&) {
                   return json_response({{"fence", reply.granted().fence()}});
                 });
}

void Api::upgrade(const std::shared_ptr<Exchange>& exchange) {
  Fields fields(exchange->request);
  proto::Request request;
  fill(*request.mutable_upgrade(), fields);
  ask_in_session(exchange, fields, std::move(request),
                 [](const proto::Reply& reply, const Session&) {
                   return json_response({{"fence", reply.granted().fence()}});
                 });
}

void Api::proclaim(const std::shared_ptr<Exchange>& exchange) {
  Fields fields(exchange->request);
  proto::Request request;
  proto::Proclaim& proclaim = *request.mutable_proclaim();
  proclaim.set_name(fields.required_text("name"));
  auto value = fields.bytes("value");
  if (!value) throw Refused("'value' is missing");
  proclaim.set_value(std::move(*value));
  proclaim.set_owner(fields.number("owner").value_or(0));
  ask_in_session(exchange, fields, std::move(request),
                 [](const proto::Reply& reply, const Session&) {
                   return json_response({{"revision", reply.stored().revision()}});
                 });
}

void Api::leader(const std::shared_ptr<Exchange>& exchange) {
  Fields fields(exchange->request);
  const std::string name = fields.required_text("name");
  fields.done();
  proto::Read what;
  what.mutable_locks()->set_space(proto::ELECTION);
  what.mutable_locks()->set_name(name);
  read(exchange, what, [name](const std::vector<proto::Answer>& parts) {
    const LocksInfo info = locks_of(parts);
    Response response = json_response(json_of_leader(name, info));
    if (!has_leader(info)) response.status = status_of(Error::not_found);
    return response;
  });
}

void Api::list_locks(const std::shared_ptr<Exchange>& exchange) {
  Fields fields(exchange->request);
  proto::Read what;
  if (fields.flag("elections")) what.mutable_locks()->set_space(proto::ELECTION);
  const auto name = fields.text("name");
  const auto prefix = fields.text("prefix");
  fields.done();
  if (name && prefix) throw Refused("give either 'name' or 'prefix', not both");
  if (name) what.mutable_locks()->set_name(*name);
  what.mutable_locks()->set_prefix(prefix.value_or(""));
  read(exchange, what, [](const std::vector<proto::Answer>& parts) {
    return json_response(json_of(locks_of(parts)));
  });
}

void Api::break_it(const std::shared_ptr<Exchange>& exchange) {
  Fields fields(exchange->request);
  const auto name = fields.text("name");
  const auto session = fields.number("session_id");
  const bool is_election = fields.flag("election");
  const bool force = fields.flag("force");
  if (name.has_value() == session.has_value()) throw Refused("give either 'name' or 'session_id'");
  proto::Request request;
  if (name) {
    request.mutable_break_()->set_name(*name);
    request.mutable_break_()->set_force(force);
    if (is_election) request.mutable_break_()->set_space(proto::ELECTION);
  } else {
    request.mutable_break_session()->set_session(*session);
    request.mutable_break_session()->set_force(force);
  }
  ask_anyhow(exchange, fields, request, [](const proto::Reply&) {
    return json_response({{"done", true}});
  });
}

}  // namespace baton::http
