// Networks as lists of edges: a connected graph of processes that exist, or an objection.
#include "core/graph.h"

#include "fuzz/fuzz.h"

namespace baton {

std::vector<std::string> fuzz::seeds() {
  return {
      "\x03"
      "0-1,1-2,0-2",
      "\x02"
      "0-1",
      "\x05"
      "0-1,1-2,2-3,3-4,4-0"};
}

}  // namespace baton

// The first byte is the number of processes.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace baton;
  if (size == 0 || data[0] == 0) return 0;
  const std::uint32_t processes = data[0];
  const ParsedGraph parsed = parse_graph(fuzz::text_of(data + 1, size - 1), processes);
  fuzz::demand((parsed.graph == nullptr) == !parsed.objection.empty(), "a graph or an objection");
  if (parsed.graph == nullptr) return 0;
  fuzz::demand(parsed.graph->size() == processes, "all processes are in it");
  fuzz::demand(parsed.graph->is_connected(), "it is connected");
  return 0;
}
