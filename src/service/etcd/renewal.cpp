#include "service/etcd/renewal.h"

#include <utility>

#include "service/etcd/outcome.h"

namespace baton::etcd {

Renewal::Renewal(Connection& connection, LeaseId lease, Done done)
    : connection_(connection), done_(std::move(done)) {
  request_.set_id(lease);
  deadline = connection.deadline();
}

void Renewal::send(Endpoint& where) {
  state_ = State::starting;
  has_answer_ = false;
  stream_ = where.lease->PrepareAsyncLeaseKeepAlive(context.get(), connection_.queue());
  stream_->StartCall(tag());
}

void Renewal::arrived(bool ok) {
  if (state_ == State::finishing) return finished();
  if (ok && state_ == State::starting) {
    state_ = State::writing;
    return stream_->WriteLast(request_, grpc::WriteOptions(), tag());
  }
  if (ok && state_ == State::writing) {
    state_ = State::reading;
    return stream_->Read(&response_, tag());
  }
  has_answer_ = ok;
  state_ = State::finishing;
  stream_->Finish(&status_, tag());
}

void Renewal::finished() {
  if (has_answer_) {
    done_({}, response_.ttl());
    return connection_.drop(*this);
  }
  const std::string error = status_.error_message();
  if (connection_.renews_token(*this, error)) return;
  const int code = status_.error_code();
  const Outcome outcome =
      status_.ok() ? Outcome{Outcome::Kind::unknown, "no answer"} : outcome_of(code, error);
  if (is_endpoints_fault(code)) connection_.failed(endpoint);
  give_up(outcome);
}

void Renewal::give_up(const Outcome& outcome) {
  done_(outcome, 0);
  connection_.drop(*this);
}

}  // namespace baton::etcd
