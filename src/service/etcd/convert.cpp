#include "service/etcd/convert.h"

#include <utility>

namespace baton::etcd {

namespace pb = ::etcdserverpb;

namespace {

void add_compare(Compare&& compare, pb::TxnRequest& request) {
  pb::Compare& added = *request.add_compare();
  added.set_key(std::move(compare.key));
  added.set_result(compare.is == Compare::Is::equal ? pb::Compare::EQUAL : pb::Compare::GREATER);
  if (compare.what == Compare::What::create_revision) {
    added.set_target(pb::Compare::CREATE);
    added.set_create_revision(compare.revision);
  } else {
    added.set_target(pb::Compare::MOD);
    added.set_mod_revision(compare.revision);
  }
}

template <class Request>
void set_keys(KeyRange&& keys, Request& request) {
  request.set_key(std::move(keys.key));
  request.set_range_end(std::move(keys.end));
}

void set_operation(Operation&& operation, pb::RequestOp& request) {
  switch (operation.kind) {
    case Operation::Kind::put:
      request.mutable_request_put()->set_key(std::move(operation.keys.key));
      request.mutable_request_put()->set_value(std::move(operation.value));
      request.mutable_request_put()->set_lease(operation.lease);
      break;
    case Operation::Kind::remove:
      set_keys(std::move(operation.keys), *request.mutable_request_delete_range());
      break;
    case Operation::Kind::range:
      set_keys(std::move(operation.keys), *request.mutable_request_range());
      break;
  }
}

KeyValue to_item(mvccpb::KeyValue&& item) {
  return {std::move(*item.mutable_key()), std::move(*item.mutable_value()), item.create_revision(),
          item.mod_revision(), item.lease()};
}

std::vector<KeyValue> to_items(pb::RangeResponse&& answer) {
  std::vector<KeyValue> items;
  items.reserve(static_cast<std::size_t>(answer.kvs_size()));
  for (mvccpb::KeyValue& item : *answer.mutable_kvs()) items.push_back(to_item(std::move(item)));
  return items;
}

}  // namespace

pb::TxnRequest to_etcd(Transaction&& transaction) {
  pb::TxnRequest request;
  for (Compare& compare : transaction.compares) add_compare(std::move(compare), request);
  for (Operation& operation : transaction.then) {
    set_operation(std::move(operation), *request.add_success());
  }
  for (Operation& operation : transaction.otherwise) {
    set_operation(std::move(operation), *request.add_failure());
  }
  return request;
}

pb::RangeRequest to_etcd(Range&& range) {
  pb::RangeRequest request;
  set_keys(std::move(range.keys), request);
  request.set_limit(range.limit);
  request.set_revision(range.at);
  request.set_keys_only(range.keys_only);
  return request;
}

pb::WatchRequest watch_request(const KeyRange& keys, Revision from) {
  pb::WatchRequest request;
  pb::WatchCreateRequest& creation = *request.mutable_create_request();
  creation.set_key(keys.key);
  creation.set_range_end(keys.end);
  creation.set_start_revision(from);
  creation.set_progress_notify(true);
  creation.set_fragment(true);
  return request;
}

TransactionResult from_etcd(pb::TxnResponse&& answer) {
  TransactionResult result;
  result.held = answer.succeeded();
  result.revision = answer.header().revision();
  result.term = answer.header().raft_term();
  for (pb::ResponseOp& response : *answer.mutable_responses()) {
    result.found.push_back(to_items(std::move(*response.mutable_response_range())));
  }
  return result;
}

RangeResult from_etcd(pb::RangeResponse&& answer) {
  const bool more = answer.more();
  const Revision revision = answer.header().revision();
  return {to_items(std::move(answer)), more, revision};
}

Event from_etcd(mvccpb::Event&& event) {
  return {event.type() == mvccpb::Event::DELETE, to_item(std::move(*event.mutable_kv()))};
}

MemberStatus member(const std::string& endpoint, const Outcome& outcome,
                    const pb::StatusResponse& status) {
  MemberStatus result;
  result.endpoint = endpoint;
  if (!outcome.ok()) {
    result.problem = outcome.message;
    return result;
  }
  result.leads = status.leader() != 0 && status.leader() == status.header().member_id();
  result.version = status.version();
  result.store_bytes = status.dbsize();
  result.quota_bytes = status.dbsizequota();
  for (const std::string& error : status.errors()) {
    if (!result.problem.empty()) result.problem += ", ";
    const bool is_full = error.find("NOSPACE") != std::string::npos;
    result.problem += is_full ? "out of space" : error;
  }
  result.is_healthy = result.problem.empty();
  return result;
}

}  // namespace baton::etcd
