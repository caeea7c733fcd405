// Which errors are certain: the texts and codes are those that etcd 3.4 sends.
#include "service/etcd/outcome.h"

#include <gtest/gtest.h>

namespace baton::etcd {
namespace {

using Kind = Outcome::Kind;

constexpr int cancelled = 1, unknown = 2, invalid_argument = 3, deadline_exceeded = 4,
              not_found = 5, permission_denied = 7, resource_exhausted = 8, failed_precondition = 9,
              out_of_range = 11, unimplemented = 12, internal = 13, unavailable = 14,
              data_loss = 15, unauthenticated = 16;

struct Case {
  int code;
  const char* message;
  Kind kind;
};

TEST(Outcomes, OnlyWhatEtcdSaysItselfIsCertain) {
  const Case cases[] = {
      {invalid_argument, "etcdserver: key is not provided", Kind::refused},
      {invalid_argument, "etcdserver: too many operations in txn request", Kind::refused},
      {invalid_argument, "etcdserver: duplicate key given in txn request", Kind::refused},
      {invalid_argument, "etcdserver: request is too large", Kind::refused},
      {invalid_argument, "etcdserver: authentication failed, invalid user ID or password",
       Kind::refused},
      {not_found, "etcdserver: requested lease not found", Kind::refused},
      {permission_denied, "etcdserver: permission denied", Kind::refused},
      {unauthenticated, "etcdserver: invalid auth token", Kind::refused},
      {failed_precondition, "etcdserver: authentication is not enabled", Kind::refused},
      {out_of_range, "etcdserver: too large lease TTL", Kind::refused},
      {out_of_range, "etcdserver: mvcc: required revision is a future revision", Kind::refused},
      {resource_exhausted, "etcdserver: too many requests", Kind::refused},
      {unknown, "etcdserver: too many requests", Kind::refused},
      {resource_exhausted, "grpc: received message larger than max (3000000 vs. 2097152)",
       Kind::refused},
      {out_of_range, "etcdserver: mvcc: required revision has been compacted", Kind::compacted},
      {resource_exhausted, "etcdserver: mvcc: database space exceeded", Kind::full},

      {unavailable, "etcdserver: no leader", Kind::unknown},
      {unavailable, "etcdserver: leader changed", Kind::unknown},
      {unavailable, "etcdserver: server stopped", Kind::unknown},
      {unavailable, "etcdserver: request timed out", Kind::unknown},
      {unavailable, "etcdserver: request timed out, possibly due to previous leader failure",
       Kind::unknown},
      {unavailable, "etcdserver: request timed out, possibly due to connection lost",
       Kind::unknown},
      {unavailable, "Socket closed", Kind::unknown},
      {unavailable, "failed to connect to all addresses", Kind::unknown},
      {deadline_exceeded, "Deadline Exceeded", Kind::unknown},
      {cancelled, "CANCELLED", Kind::unknown},
      {unknown, "raft proposal dropped", Kind::unknown},
      {unknown, "etcdserver: something new", Kind::unknown},
      {data_loss, "etcdserver: corrupt cluster", Kind::unknown},
      {internal, "Received RST_STREAM with error code 2", Kind::unknown},
      {unimplemented, "unknown service etcdserverpb.KV", Kind::unknown},
      // Said by this side's library, of an answer: what was asked for was done.
      {resource_exhausted, "Received message larger than max (5000000 vs. 4194304)", Kind::unknown},
      {invalid_argument, "said by something between us and etcd", Kind::unknown},
  };
  for (const Case& one : cases) {
    const Outcome outcome = outcome_of(one.code, one.message);
    EXPECT_EQ(outcome.kind, one.kind) << one.message;
    const bool is_late = one.code == deadline_exceeded;
    EXPECT_EQ(outcome.message, is_late ? "no answer in time" : one.message);
  }
  EXPECT_NE(outcome_of(unavailable, "").message, "");
}

TEST(Outcomes, WhatANewTokenHelps) {
  EXPECT_TRUE(wants_new_token("etcdserver: invalid auth token"));
  EXPECT_TRUE(wants_new_token("etcdserver: revision of auth store is old"));
  EXPECT_TRUE(wants_new_token("etcdserver: user name is empty"));
  EXPECT_TRUE(
      wants_new_token("rpc error: code = Unauthenticated desc = etcdserver: invalid auth token"));
  EXPECT_FALSE(wants_new_token("etcdserver: permission denied"));
  EXPECT_FALSE(wants_new_token("etcdserver: authentication failed, invalid user ID or password"));
}

}  // namespace
}  // namespace baton::etcd
