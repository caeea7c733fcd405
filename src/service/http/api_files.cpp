// Files over HTTP, and watching.
#include <boost/json.hpp>
#include <charconv>
#include <utility>

#include "service/client/convert.h"
#include "service/http/api.h"
#include "service/http/refused.h"
#include "service/http/words.h"

namespace baton::http {

namespace {

Response stored(const proto::Reply& reply) {
  return json_response(json_of(Stored{reply.stored().version(), reply.stored().revision()}));
}

// The revision after which the watch begins. Last-Event-ID comes first: when a browser reconnects,
// it sends that header, and repeats the old address.
std::optional<std::uint64_t> revision_of(const Request& request, Fields& fields) {
  const auto after = fields.number("after");
  if (!request.last_event_id || request.last_event_id->empty()) return after;
  const std::string& text = *request.last_event_id;
  std::uint64_t revision = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), revision);
  if (error != std::errc() || end != text.data() + text.size()) {
    throw Refused("Last-Event-ID must be a revision");
  }
  return revision;
}

}  // namespace

void Api::read_files(const std::shared_ptr<Exchange>& exchange) {
  Fields fields(exchange->request);
  const auto key = fields.text("key");
  const auto prefix = fields.text("prefix");
  fields.done();
  if (key && prefix) throw Refused("give either 'key' or 'prefix', not both");
  proto::Read what;
  if (key) what.mutable_files()->set_key(*key);
  what.mutable_files()->set_prefix(prefix.value_or(""));
  read(exchange, what, [is_one = key.has_value()](const std::vector<proto::Answer>& parts) {
    return json_response(is_one ? json_of(client::file_of(parts.back().files(0)))
                                : json_of(files_of(parts)));
  });
}

void Api::put_file(const std::shared_ptr<Exchange>& exchange) {
  Fields fields(exchange->request);
  proto::Request request;
  fill(*request.mutable_put(), fields);
  ask_anyhow(exchange, fields, request, stored);
}

void Api::remove_file(const std::shared_ptr<Exchange>& exchange) {
  Fields fields(exchange->request);
  proto::Request request;
  fill(*request.mutable_remove(), fields);
  ask_anyhow(exchange, fields, request, stored);
}

void Api::watch(const std::shared_ptr<Exchange>& exchange) {
  Fields fields(exchange->request);
  const auto prefix = fields.text("prefix");
  const auto election = fields.text("election");
  const auto after = revision_of(exchange->request, fields);
  fields.done();
  if (prefix && election) throw Refused("give either 'prefix' or 'election', not both");
  proto::Watch what;
  what.set_number(1);
  if (election) what.set_space(proto::ELECTION);
  what.set_prefix(election ? *election : prefix.value_or(""));
  what.set_after(after.value_or(host_.engine().state().revision().value));
  const auto stream = std::make_shared<Stream>(clients_, exchange);
  streams_.push_back(stream);
  clients_.add(stream);
  stream->watch(what);
}

}  // namespace baton::http
