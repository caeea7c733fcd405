#include "peers/net/catalog.h"

#define OBSERVER(SYMBOL)
#define PLAIN(SYMBOL) const AnyClass& any_##SYMBOL();
#define LAYERED(SYMBOL) PLAIN(SYMBOL)
namespace baton {
#include "registry.inc"
}

namespace baton::net {

namespace {

std::span<const AnyClass* const> not_runnable() {
  static const AnyClass* const algorithms[] = {
#define OBSERVER(SYMBOL)
#define PLAIN(SYMBOL) &any_##SYMBOL(),
#define LAYERED(SYMBOL)
#include "registry.inc"
  };
  return algorithms;
}

const AnyClass* find_in(std::span<const AnyClass* const> algorithms, std::string_view name) {
  for (const AnyClass* algorithm : algorithms) {
    if (algorithm->info().name == name) return algorithm;
  }
  return nullptr;
}

}  // namespace

std::span<const AnyClass* const> catalog() {
  static const AnyClass* const algorithms[] = {
#define OBSERVER(SYMBOL)
#define PLAIN(SYMBOL)
#define LAYERED(SYMBOL) &any_##SYMBOL(),
#include "registry.inc"
  };
  return algorithms;
}

const AnyClass* find(std::string_view name) { return find_in(catalog(), name); }

std::string why_not_runnable(std::string_view name) {
  const AnyClass* found = find_in(not_runnable(), name);
  if (found == nullptr) return "there is no such algorithm for locks or elections";
  const Info& info = found->info();
  if (info.is_wrong())
    return "Baton keeps it as an example of a mistake: " + std::string(info.flaws[0].why);
  if (info.kind == Kind::mutual_exclusion && !info.promises.has(Promise::deadlock_freedom)) {
    return "it does not promise that anybody gets in: " + std::string(info.problem);
  }
  return "there is no layer that lets it run in views: " + std::string(info.problem);
}

// Links lose, duplicate and reorder no message, and views handle crashes and false suspicions.
std::string objection_to(const AnyClass& algorithm) {
  const Info& info = algorithm.info();
  if (!info.assumes.has(Assumption::synchronous)) return {};
  return std::string(info.name) +
         " assumes that no message takes longer than the time it waits for one: a network cannot "
         "promise that, and there is no layer that would";
}

}  // namespace baton::net
