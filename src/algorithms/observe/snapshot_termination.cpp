#include "algorithms/observe/snapshot_termination.h"

namespace baton {

const Info& SnapshotTermination::info() {
  static const Info info{
      .name = "snapshot-termination",
      .title = "Termination detection by snapshots",
      .publication = "Tanenbaum and van Steen, Distributed Systems; on Chandy–Lamport 1985",
      .idea = "record a snapshot; say Done up the tree of first markers if passive and undisturbed",
      .kind = Kind::observation,
      .assumes = reliable_fifo_channels,
      .promises = {Promise::consistency, Promise::detection},
      .problem = "N(N-1) markers for every attempt",
      .costs = {{Scenario::alone, Metric::messages, "N(N-1) markers + N-1 answers per attempt",
                 [](const Case& c) {
                   const double size = c.setup.size;
                   return Expected::exactly(size * (size - 1) + size - 1);
                 }}},
      .parameters = {&Diffusion::work},
  };
  return info;
}

const Info& WrongSnapshotTerminationLiteral::info() {
  static const Info info = [] {
    Info wrong = variant_of(SnapshotTermination::info());
    wrong.name = "wrong-snapshot-termination-literal";
    wrong.title = "Termination by snapshots, not asking who is active";
    wrong.idea = "record a snapshot; say Done if nothing arrived meanwhile";
    wrong.flaws = {{Promise::detection,
                    {},
                    "who is still busy, but has received nothing since it recorded, says Done; "
                    "Canonical Problems word for word"}};
    wrong.example = "-n 3 --seed 4";
    return wrong;
  }();
  return info;
}

}  // namespace baton
