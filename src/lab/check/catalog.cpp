#include "lab/check/catalog.h"

#include "lab/check/layered.h"

#define OBSERVER(SYMBOL)      \
  namespace check {           \
  Checkable plain_##SYMBOL(); \
  }
#define PLAIN(SYMBOL) OBSERVER(SYMBOL)
#define LAYERED(SYMBOL)           \
  const AnyClass& any_##SYMBOL(); \
  PLAIN(SYMBOL)
namespace baton {
#include "registry.inc"
}

namespace baton::check {

namespace {

template <const AnyClass& (*algorithm)()>
Entry layered(const Checkable& plain) {
  return {plain,
          {plain, on<Layers::reliable, algorithm>(), on<Layers::resilient, algorithm>(),
           on<Layers::both, algorithm>()}};
}

}  // namespace

std::span<const Entry> catalog() {
  static const Entry entries[] = {
#define PLAIN(SYMBOL) {plain_##SYMBOL(), {plain_##SYMBOL()}},
#define OBSERVER(SYMBOL) PLAIN(SYMBOL)
#define LAYERED(SYMBOL) layered<&any_##SYMBOL>(plain_##SYMBOL()),
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

}  // namespace baton::check
