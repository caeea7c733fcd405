#include "lab/sim/catalog.h"

#include "lab/sim/layered.h"

#define OBSERVER(SYMBOL)        \
  namespace sim {               \
  Runnable runnable_##SYMBOL(); \
  }
#define PLAIN(SYMBOL)             \
  const AnyClass& any_##SYMBOL(); \
  OBSERVER(SYMBOL)
#define LAYERED(SYMBOL) PLAIN(SYMBOL)
namespace baton {
#include "registry.inc"
}

namespace baton::sim {

namespace {

Entry observer(Runnable plain) { return {plain.info, plain.run, {plain}}; }

template <const AnyClass& (*algorithm)()>
Entry plain(Runnable plain) {
  plain.replay = on<Layers::none, algorithm>().replay;
  return {plain.info, plain.run, {plain}};
}

template <const AnyClass& (*algorithm)()>
Entry layered(Runnable alone) {
  Entry entry = plain<algorithm>(alone);
  entry.layered[1] = on<Layers::reliable, algorithm>();
  entry.layered[2] = on<Layers::resilient, algorithm>();
  entry.layered[3] = on<Layers::both, algorithm>();
  entry.run_resources = resources_of<algorithm>();
  return entry;
}

}  // namespace

std::span<const Entry> catalog() {
  static const Entry entries[] = {
#define OBSERVER(SYMBOL) observer(runnable_##SYMBOL()),
#define PLAIN(SYMBOL) plain<&any_##SYMBOL>(runnable_##SYMBOL()),
#define LAYERED(SYMBOL) layered<&any_##SYMBOL>(runnable_##SYMBOL()),
#include "registry.inc"
  };
  return entries;
}

const Entry* find(std::string_view name) {
  for (const Entry& entry : catalog()) {
    if (entry.info().name == name) return &entry;
  }
  return nullptr;
}

std::string_view name_of(Layers layers) {
  switch (layers) {
    case Layers::none:
      return "plain";
    case Layers::reliable:
      return "reliable";
    case Layers::resilient:
      return "resilient";
    case Layers::both:
      return "reliable and resilient";
  }
  return "";
}

}  // namespace baton::sim
