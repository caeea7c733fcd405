// The real etcd, by gRPC.
//
// One member is used at a time; which one changes when it cannot be reached, does not answer in
// time, or has lost the others. A call that finds no connection waits for one until its time is up,
// and then has an unknown outcome like any that could not be answered.
// Transactions under way at once share one connection, and etcd may take them in another order than
// they were sent: who needs an order says so by comparisons.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "service/etcd/etcd.h"

namespace baton::etcd {

// Files in PEM format, read when the connection is made.
struct Tls {
  std::string ca_file;           // whom to believe; empty: those whom this machine believes
  std::string certificate_file;  // our own, for an etcd that asks for one; empty: none
  std::string key_file;
  std::string server_name;  // to expect in etcd's certificate; empty: the endpoint's host
};

struct EtcdOptions {
  std::vector<std::string> endpoints;  // "host:port", tried in turn
  // Where callbacks run: must put them off, not run them within. The Etcd is to be destroyed where
  // they run, or when nothing runs there any more.
  std::function<void(std::function<void()>)> post;
  std::int64_t timeout_ms = 2000;  // of each call
  std::string user;                // empty: none
  std::string password;
  std::optional<Tls> tls;
};

// Returns before there is a connection. Throws std::runtime_error if the options cannot be used,
// above all if a file cannot be read.
std::unique_ptr<Etcd> connect(const EtcdOptions& options);

}  // namespace baton::etcd
