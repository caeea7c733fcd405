#include "algorithms/observe/dijkstra_scholten.h"

namespace baton {

const Info& DijkstraScholten::info() {
  static const Info info{
      .name = "dijkstra-scholten",
      .title = "Dijkstra–Scholten",
      .publication = "Dijkstra and Scholten, Information Processing Letters 11(1), 1980",
      .idea = "answer every message by one signal; who is engaged owes the one that engaged it",
      .kind = Kind::observation,
      .assumes = reliable_channels,
      .promises = {Promise::detection},
      .problem = "must watch from the beginning; doubles the messages",
      .parameters = {&Diffusion::work},
  };
  return info;
}

}  // namespace baton
