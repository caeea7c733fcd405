#include "cli/service/cluster_options.h"

#include <cstdlib>
#include <string>

#include "cli/common/arguments.h"
#include "cli/common/command.h"

namespace baton::cli {

// With --journal etcd://…
void add_cluster(Command& command, server::ClusterOptions& cluster) {
  etcd::Tls& tls = cluster.etcd.tls.emplace();
  const auto add = [&](const std::string& name, auto& value, const std::string& what,
                       const std::string& variable) -> Option& {
    return command.add_option(name, value, what).variable(variable).group("Cluster");
  };
  add("--advertise", cluster.advertise,
      "Where clients and servers find this one (default: the first --listen)", "BATON_ADVERTISE")
      .type_name("HOST:PORT");
  add("--cluster", cluster.cluster, "Name of the cluster; the prefix in etcd must be its own",
      "BATON_CLUSTER")
      .show_default();
  add("--leader-lease", cluster.lease_s, "Seconds of silence until a standby takes over (1 to 60)",
      "BATON_LEADER_LEASE")
      .between(1, 60)
      .show_default();
  command
      .add_flag("--etcd-dedicated", cluster.is_dedicated,
                "No one else uses this etcd: compact its history")
      .variable("BATON_ETCD_DEDICATED")
      .group("Cluster");
  add("--etcd-quota", cluster.quota_bytes, "Quota of an etcd before 3.6, to warn in time",
      "BATON_ETCD_QUOTA")
      .size_in_bytes()
      .show_default("2GiB");
  command
      .add_flag("--etcd-tls", cluster.uses_tls,
                "Use TLS with etcd, with the machine's certificates")
      .variable("BATON_ETCD_TLS")
      .group("Cluster");
  add("--etcd-ca", tls.ca_file, "Certificate of the authority that signs etcd's", "BATON_ETCD_CA")
      .type_name("FILE");
  add("--etcd-cert", tls.certificate_file, "Certificate to show to etcd", "BATON_ETCD_CERT")
      .type_name("FILE");
  add("--etcd-key", tls.key_file, "Key of that certificate", "BATON_ETCD_KEY").type_name("FILE");
  add("--etcd-server-name", tls.server_name, "Name that etcd's certificate must have",
      "BATON_ETCD_SERVER_NAME");
  add("--etcd-user", cluster.etcd.user, "User of etcd; the password is in BATON_ETCD_PASSWORD",
      "BATON_ETCD_USER");
}

// A password in a flag would be seen by everybody on the machine.
void complete(server::ClusterOptions& cluster) {
  etcd::EtcdOptions& etcd = cluster.etcd;
  cluster.connect = baton::etcd::connect;
  const char* password = std::getenv("BATON_ETCD_PASSWORD");
  if (password != nullptr) etcd.password = password;
  if (!etcd.user.empty() && etcd.password.empty()) {
    throw UsageError("--etcd-user needs the password in BATON_ETCD_PASSWORD");
  }
  if (etcd.tls->certificate_file.empty() != etcd.tls->key_file.empty()) {
    throw UsageError("--etcd-cert and --etcd-key need each other");
  }
  // Whoever says anything about certificates must not find itself without them.
  const bool says_certificates = !etcd.tls->ca_file.empty() ||
                                 !etcd.tls->certificate_file.empty() ||
                                 !etcd.tls->server_name.empty();
  if (!cluster.uses_tls && !says_certificates) etcd.tls.reset();
}

}  // namespace baton::cli
