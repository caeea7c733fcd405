#include "cli/service/cluster_options.h"

#include <cstdlib>
#include <string>

#include "cli/common/arguments.h"
#include "cli/common/command.h"

namespace baton::cli {

// With --journal etcd://…
void add_cluster(Command& command, server::ClusterOptions& cluster) {
  etcd::Tls& tls = tls.emplace();
  const auto add = [&](const std::string& name, auto& value, const std::string& what,
                       const std::string& variable) -> Option& {
    return command.add_option(name, value, what).variable(variable).group("Cluster");
  };
  add("--advertise", cluster.advertise,
      "HOST:PORT where clients and the other servers find this one (default: the first --listen)",
      "BATON_ADVERTISE");
  add("--cluster", cluster.cluster, "Whose prefix in etcd it is: another cluster's is refused",
      "BATON_CLUSTER")
      .show_default();
  add("--leader-lease", cluster.lease_s,
      "Seconds until a leader that is silent is succeeded; etcd may make it longer",
      "BATON_LEADER_LEASE")
      .between(1, 60)
      .show_default();
  command
      .add_flag("--etcd-dedicated", cluster.is_dedicated,
                "Nobody else uses this etcd: its history may be compacted")
      .variable("BATON_ETCD_DEDICATED")
      .group("Cluster");
  add("--etcd-quota", cluster.quota_bytes,
      "Of an etcd before 3.6, which does not say it: to warn when it comes close",
      "BATON_ETCD_QUOTA")
      .size_in_bytes()
      .show_default("2GiB");
  command
      .add_flag("--etcd-tls", cluster.uses_tls,
                "Speak TLS with etcd, as the machine believes others")
      .variable("BATON_ETCD_TLS")
      .group("Cluster");
  add("--etcd-ca", tls.ca_file, "A file: whom to believe that it is etcd", "BATON_ETCD_CA");
  add("--etcd-cert", tls.certificate_file, "A file: our certificate", "BATON_ETCD_CERT");
  add("--etcd-key", tls.key_file, "A file: its key", "BATON_ETCD_KEY");
  add("--etcd-server-name", tls.server_name, "To expect in etcd's certificate",
      "BATON_ETCD_SERVER_NAME");
  add("--etcd-user", cluster.etcd.user, "Of etcd; the password is in BATON_ETCD_PASSWORD",
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
    throw UsageError("--etcd-cert and --etcd-key go together");
  }
  // Whoever says anything about certificates must not find itself without them.
  const bool says_certificates = !etcd.tls->ca_file.empty() ||
                                 !etcd.tls->certificate_file.empty() ||
                                 !etcd.tls->server_name.empty();
  if (!cluster.uses_tls && !says_certificates) etcd.tls.reset();
}

}  // namespace baton::cli
