// One question to etcd and its answer. Only for the files of this folder that speak gRPC.
#pragma once

#include <functional>
#include <memory>
#include <utility>

#include "service/etcd/connection.h"
#include "service/etcd/outcome.h"

namespace baton::etcd {

template <class Request, class Response>
class Unary : public Job {
 public:
  using Reader = grpc::ClientAsyncResponseReader<Response>;
  using Prepare = std::unique_ptr<Reader> (*)(Endpoint&, grpc::ClientContext*, const Request&,
                                              grpc::CompletionQueue*);
  // Under the lock.
  using Done = std::function<void(const Outcome&, Response&)>;

  Unary(Connection& connection, Prepare prepare, Request request, Done done)
      : connection_(connection),
        prepare_(prepare),
        request_(std::move(request)),
        done_(std::move(done)) {
    deadline = connection.deadline();
  }

  void clear() override { reader_.reset(); }
  void send(Endpoint& where) override {
    reader_ = prepare_(where, context.get(), request_, connection_.queue());
    reader_->StartCall();
    reader_->Finish(&response_, &status_, static_cast<Job*>(this));
  }

  void arrived(bool) override {
    if (status_.ok()) return end({});
    const int code = status_.error_code();
    if (connection_.renews_token(*this, status_.error_message())) return;
    const Outcome outcome = outcome_of(code, status_.error_message());
    if (outcome.kind == Outcome::Kind::unknown && is_endpoints_fault(code)) {
      connection_.failed(endpoint);
    }
    end(outcome);
  }

  void give_up(const Outcome& outcome) override { end(outcome); }

 private:
  void end(const Outcome& outcome) {
    done_(outcome, response_);
    connection_.drop(*this);
  }

  Connection& connection_;
  Prepare prepare_;
  Request request_;
  Done done_;
  std::unique_ptr<Reader> reader_;
  Response response_;
  grpc::Status status_;
};

}  // namespace baton::etcd
