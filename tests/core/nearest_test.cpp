#include "core/nearest.h"

#include <gtest/gtest.h>

namespace baton {
namespace {

const std::vector<std::string> commands{
    "list",     "sim",    "compare", "check",  "trace",   "serve",  "peer",
    "lock",     "elect",  "acquire", "renew",  "release", "leader", "locks",
    "sessions", "status", "break",   "backup", "restore", "put",    "get",
    "ls",       "rm",     "watch",   "bench",  "demo",    "help",   "version"};

TEST(Nearest, OneMistakeInAnyCommand) {
  for (const std::string& name : commands) {
    for (std::size_t at = 0; at + 1 < name.size(); ++at) {
      std::string swapped = name;
      std::swap(swapped[at], swapped[at + 1]);
      if (swapped == name) continue;
      EXPECT_EQ(nearest(swapped, commands), name) << swapped;
    }
    if (name.size() < 4) continue;
    for (std::size_t at = 1; at < name.size(); ++at) {
      std::string wrong = name;
      wrong[at] = 'x';
      EXPECT_EQ(nearest(wrong, {name}), name) << wrong;
      EXPECT_EQ(nearest(name.substr(0, at) + name.substr(at + 1), {name}), name) << wrong;
      EXPECT_EQ(nearest(name.substr(0, at) + "x" + name.substr(at), {name}), name) << wrong;
    }
  }
}

TEST(Nearest, WhatPeopleMistype) {
  const std::vector<std::pair<std::string, std::string>> mistypes{
      {"lok", "lock"},        {"loks", "locks"},       {"lcok", "lock"},
      {"ock", "lock"},        {"aquire", "acquire"},   {"relase", "release"},
      {"relaese", "release"}, {"session", "sessions"}, {"sesions", "sessions"},
      {"stats", "status"},    {"stat", "status"},      {"berak", "break"},
      {"bakcup", "backup"},   {"resotre", "restore"},  {"leder", "leader"},
      {"lead", "leader"},     {"server", "serve"},     {"peers", "peer"},
      {"verison", "version"}, {"comapre", "compare"},  {"simulate", "sim"},
      {"sl", "ls"},           {"benchmark", "bench"},  {"pit", "put"},
      {"election", "elect"},  {"chekc", "check"},      {"lsit", "list"},
      {"hlep", "help"}};
  for (const auto& [typed, meant] : mistypes) EXPECT_EQ(nearest(typed, commands), meant) << typed;
}

TEST(Nearest, NothingIsNearToAnotherWord) {
  std::vector<std::string> service = commands;
  std::erase(service, "version");
  EXPECT_EQ(nearest("version", service), "");
  for (const std::string typed :
       {"unlock", "lease",  "delete", "start", "stop",   "set",   "run",     "ps",      "remove",
        "info",   "config", "create", "kill",  "resign", "x",     "refresh", "",        "queue",
        "lo",     "ion",    "log",    "make",  "show",   "print", "exec",    "zzzzzzzz"}) {
    EXPECT_EQ(nearest(typed, commands), "") << typed;
  }
}

TEST(Nearest, Options) {
  const std::vector<std::string> options{
      "help",     "processes", "seed",   "seeds", "trace",  "ttl",
      "try",      "wait",      "label",  "fast",  "shared", "json",
      "max-hold", "ascii",     "output", "crash", "cut",    "conflict-exit-code"};
  const std::vector<std::pair<std::string, std::string>> mistypes{
      {"trcae", "trace"},  {"tarce", "trace"},   {"share", "shared"},
      {"jsno", "json"},    {"hold", "max-hold"}, {"maxhold", "max-hold"},
      {"labels", "label"}, {"sead", "seed"},     {"exit-code", "conflict-exit-code"}};
  for (const auto& [typed, meant] : mistypes) EXPECT_EQ(nearest(typed, options), meant) << typed;
  for (const std::string typed : {"verbose", "force", "timeout", "quiet", "host", "name"}) {
    EXPECT_EQ(nearest(typed, options), "") << typed;
  }
}

TEST(Nearest, OfSeveralTheOneThatIsMostLikelyMeant) {
  EXPECT_EQ(nearest("lockx", {"locks", "lock"}), "lock");
  EXPECT_EQ(nearest("locsk", {"lock", "locks"}), "locks");
  EXPECT_EQ(nearest("lsx", {"ls", "list"}), "ls");
  EXPECT_EQ(nearest("agrawala", {"wrong-ricart-agrawala-no-tie-break", "ricart-agrawala"}),
            "ricart-agrawala");
  EXPECT_EQ(nearest("dykstra", {"dijkstra", "dijkstra-scholten"}), "dijkstra");
}

}  // namespace
}  // namespace baton
