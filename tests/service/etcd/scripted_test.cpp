// An etcd that says what the test wants it to say, for what a real one cannot be made to do.
#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>

#include <atomic>

#include "etcd/rpc.grpc.pb.h"
#include "service/etcd/world.h"

namespace baton::etcd {
namespace {

namespace pb = ::etcdserverpb;
using Kind = Outcome::Kind;

class ScriptedEtcd {
 public:
  ScriptedEtcd() {
    grpc::ServerBuilder builder;
    builder.AddListeningPort("127.0.0.1:0", grpc::InsecureServerCredentials(), &port_);
    builder.RegisterService(&kv);
    builder.RegisterService(&watch);
    builder.RegisterService(&auth);
    server_ = builder.BuildAndStart();
  }
  ~ScriptedEtcd() { server_->Shutdown(std::chrono::system_clock::now()); }
  std::string endpoint() const { return "127.0.0.1:" + std::to_string(port_); }

  struct Kv : pb::KV::Service {
    grpc::Status Txn(grpc::ServerContext* context, const pb::TxnRequest*,
                     pb::TxnResponse*) override {
      const auto token = context->client_metadata().find("token");
      const bool has_token = token != context->client_metadata().end();
      if (has_token) last_token = std::string(token->second.begin(), token->second.end());
      ++calls;
      return answer(calls);
    }
    std::function<grpc::Status(int call)> answer = [](int) { return grpc::Status::OK; };
    std::atomic<int> calls = 0;
    std::string last_token;
  };
  struct Watches : pb::Watch::Service {
    using Stream = grpc::ServerReaderWriter<pb::WatchResponse, pb::WatchRequest>;
    grpc::Status Watch(grpc::ServerContext* context, Stream* stream) override {
      pb::WatchRequest request;
      if (!stream->Read(&request)) return {grpc::UNAVAILABLE, "no request"};
      needs_leader = context->client_metadata().contains("hasleader");
      return answer(++calls, request.create_request().start_revision(), *stream);
    }
    std::function<grpc::Status(int call, Revision from, Stream& stream)> answer;
    std::atomic<int> calls = 0;
    std::atomic<bool> needs_leader = false;
  };
  struct Auth : pb::Auth::Service {
    grpc::Status Authenticate(grpc::ServerContext*, const pb::AuthenticateRequest*,
                              pb::AuthenticateResponse* answer) override {
      answer->set_token("token" + std::to_string(++calls));
      return grpc::Status::OK;
    }
    std::atomic<int> calls = 0;
  };
  Kv kv;
  Watches watch;
  Auth auth;

 private:
  int port_ = 0;
  std::unique_ptr<grpc::Server> server_;
};

class Scripted : public ::testing::Test {
 protected:
  EtcdOptions options() {
    EtcdOptions result;
    result.endpoints = {server_.endpoint()};
    result.post = mailbox_.post();
    result.timeout_ms = 60'000;
    return result;
  }
  Outcome transact(Etcd& etcd) {
    std::optional<Outcome> got;
    etcd.transact({{}, {Operation::put("a", "1")}, {}},
                  [&](const Outcome& outcome, const TransactionResult&) { got = outcome; });
    EXPECT_TRUE(mailbox_.run_until([&] { return got.has_value(); }));
    return *got;
  }

  ScriptedEtcd server_;
  Mailbox mailbox_;
};

pb::WatchResponse created(Revision revision) {
  pb::WatchResponse response;
  response.set_created(true);
  response.mutable_header()->set_revision(revision);
  return response;
}

// Puts of these keys at this revision, in an answer whose header has the store's revision.
pb::WatchResponse puts(const std::vector<std::string>& keys, Revision revision, Revision header,
                       bool is_fragment = false) {
  pb::WatchResponse response;
  response.set_fragment(is_fragment);
  response.mutable_header()->set_revision(header);
  for (const std::string& key : keys) {
    mvccpb::KeyValue& item = *response.add_events()->mutable_kv();
    item.set_key(key);
    item.set_mod_revision(revision);
  }
  return response;
}

// Until the client has had enough.
grpc::Status stay(ScriptedEtcd::Watches::Stream& stream) {
  pb::WatchRequest request;
  while (stream.Read(&request)) {
  }
  return grpc::Status::OK;
}

const grpc::Status no_leader(grpc::UNAVAILABLE, "etcdserver: no leader");

TEST_F(Scripted, WhatIsUnknownIsNotRepeated) {
  server_.kv.answer = [](int) {
    return grpc::Status(grpc::UNAVAILABLE, "etcdserver: leader changed");
  };
  const auto etcd = connect(options());
  EXPECT_EQ(transact(*etcd).kind, Kind::unknown);
  EXPECT_EQ(server_.kv.calls, 1);
}

TEST_F(Scripted, ARevisionThatWasCutInTwoIsToldOnceAndWhole) {
  std::atomic<Revision> resumed_at = 0;
  server_.watch.answer = [&](int call, Revision from, ScriptedEtcd::Watches::Stream& stream) {
    stream.Write(created(9));
    if (call == 1) {
      stream.Write(puts({"a"}, 4, 9));
      stream.Write(puts({"a", "b"}, 5, 9, true));
      return no_leader;
    }
    resumed_at = from;
    stream.Write(puts({"a"}, 5, 9, true));
    stream.Write(puts({"b", "c"}, 5, 9));
    return stay(stream);
  };
  const auto etcd = connect(options());
  Told told;
  etcd->watch(KeyRange::prefix(""), 4, told.hear());
  ASSERT_TRUE(mailbox_.run_until([&] { return told.revision == 5; }));
  EXPECT_EQ(resumed_at, 5);
  EXPECT_EQ(told.text(0), "+a=@4 +a=@5 +b=@5 +c=@5");
  EXPECT_TRUE(server_.watch.needs_leader);
}

TEST_F(Scripted, TheHeaderOfAnAnswerWithEventsDoesNotSayHowFarTheWatchHasCome) {
  std::atomic<Revision> resumed_at = 0;
  server_.watch.answer = [&](int call, Revision from, ScriptedEtcd::Watches::Stream& stream) {
    stream.Write(created(100));
    if (call == 1) {
      stream.Write(puts({"a"}, 4, 100));
      return no_leader;
    }
    resumed_at = from;
    stream.Write(puts({"b"}, 7, 100));
    return stay(stream);
  };
  const auto etcd = connect(options());
  Told told;
  etcd->watch(KeyRange::prefix(""), 2, told.hear());
  ASSERT_TRUE(mailbox_.run_until([&] { return told.revision == 7; }));
  EXPECT_EQ(resumed_at, 5);
}

TEST_F(Scripted, AWatchFromNowOnDoesNotMoveItsBeginningWhenItIsCut) {
  std::atomic<Revision> resumed_at = 0;
  server_.watch.answer = [&](int call, Revision from, ScriptedEtcd::Watches::Stream& stream) {
    stream.Write(created(call == 1 ? 10 : 20));
    if (call == 1) return no_leader;
    resumed_at = from;
    stream.Write(puts({"a"}, 11, 20));
    return stay(stream);
  };
  const auto etcd = connect(options());
  Told told;
  etcd->watch(KeyRange::prefix(""), 0, told.hear());
  ASSERT_TRUE(mailbox_.run_until([&] { return told.events.size() == 1; }));
  EXPECT_EQ(resumed_at, 11);
}

TEST_F(Scripted, AnAnswerThatHasComeIsDroppedWithTheEtcd) {
  auto etcd = connect(options());
  bool was_called = false;
  etcd->transact({{}, {Operation::put("a", "1")}, {}},
                 [&](const Outcome&, const TransactionResult&) { was_called = true; });
  ASSERT_TRUE(mailbox_.fill());
  etcd.reset();
  ASSERT_TRUE(mailbox_.run_until([&] { return mailbox_.is_empty(); }));
  EXPECT_FALSE(was_called);
}

TEST_F(Scripted, NewsThatHasComeIsDroppedWithTheWatch) {
  server_.watch.answer = [&](int, Revision, ScriptedEtcd::Watches::Stream& stream) {
    stream.Write(created(9));
    stream.Write(puts({"a"}, 4, 9));
    return stay(stream);
  };
  const auto etcd = connect(options());
  Told told;
  const auto watch = etcd->watch(KeyRange::prefix(""), 4, told.hear());
  ASSERT_TRUE(mailbox_.fill());
  etcd->unwatch(watch);
  ASSERT_TRUE(mailbox_.run_until([&] { return mailbox_.is_empty(); }));
  EXPECT_TRUE(told.events.empty());
}

TEST_F(Scripted, ATokenThatIsNotValidIsRenewedOnce) {
  server_.kv.answer = [](int) {
    return grpc::Status(grpc::UNAUTHENTICATED, "etcdserver: invalid auth token");
  };
  EtcdOptions with_user = options();
  with_user.user = "somebody";
  const auto etcd = connect(with_user);
  EXPECT_EQ(transact(*etcd).kind, Kind::refused);
  EXPECT_EQ(server_.kv.calls, 2);
  EXPECT_EQ(server_.auth.calls, 2);
  EXPECT_EQ(server_.kv.last_token, "token2");
}

}  // namespace
}  // namespace baton::etcd
