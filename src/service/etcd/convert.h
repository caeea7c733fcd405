// Between Baton's words (service/etcd/etcd.h) and etcd's (proto/etcd/). Only for the files of this
// folder that speak gRPC.
#pragma once

#include "etcd/rpc.pb.h"
#include "service/etcd/etcd.h"

namespace baton::etcd {

etcdserverpb::TxnRequest to_etcd(Transaction&& transaction);
etcdserverpb::RangeRequest to_etcd(Range&& range);
etcdserverpb::WatchRequest watch_request(const KeyRange& keys, Revision from);

TransactionResult from_etcd(etcdserverpb::TxnResponse&& answer);
RangeResult from_etcd(etcdserverpb::RangeResponse&& answer);
Event from_etcd(mvccpb::Event&& event);
MemberStatus member(const std::string& endpoint, const Outcome& outcome,
                    const etcdserverpb::StatusResponse& status);

}  // namespace baton::etcd
