#include "cli/lab/baton.h"

namespace baton::test {
namespace {

TEST(BadInput, AnUnknownNameGetsTheNearestOne) {
  expect_refused("sim ricart-agrawalla", "did you mean 'ricart-agrawala'?");
  expect_refused("sim agrawala", "did you mean 'ricart-agrawala'?");
  expect_refused("sim dykstra", "did you mean 'dijkstra'?");
  expect_refused("sim baker", "did you mean 'bakery'?");
  expect_refused("sim zzzzzzzz", "there is no algorithm 'zzzzzzzz'; 'baton list' shows them all");
  expect_refused("compare raymnd", "did you mean 'raymond'?");
  expect_refused("lit", "there is no command 'lit'; did you mean 'list'?");
  expect_refused("sim lamport --sed 3", "there is no option '--sed'; did you mean '--seed'?");
  expect_refused("sim lamport --trcae", "there is no option '--trcae'; did you mean '--trace'?");
  expect_refused("sim lamport --trace jsn", "did you mean 'json'?");
  expect_refused("sim lamport --workload satured", "did you mean 'saturated'?");
  expect_refused("sim lamport --delay uniforn", "did you mean 'uniform'?");
  expect_refused("sim lamport --allow reorder", "did you mean 'reordering'?");
  expect_refused("sim lamport --demand savety", "did you mean 'safety'?");
  expect_refused("sim raymond --tree binari", "did you mean 'binary'?");
  expect_refused("sim maekawa --voting gird", "did you mean 'grid'?");
}

TEST(BadInput, SomethingMustBeSaid) {
  expect_refused("--bogus", "there is no option '--bogus'");
  expect_refused("sim", "say which algorithm");
  expect_refused("sim lamport -n", "--processes takes one value");
  expect_refused("sim lamport -n 5 6", "'6' was not expected");
  expect_refused("sim lamport -n 5 -n 6", "--processes takes one value");
  expect_refused("list everything", "there is no algorithm 'everything'");
  expect_refused("compare --json=3", "--json takes no value");
}

TEST(BadInput, NumbersOfProcesses) {
  for (const std::string command : {"sim lamport", "sim bakery", "compare"}) {
    expect_refused(command + " -n 0", "at least 2 processes, not 0");
    expect_refused(command + " -n 1", "at least 2 processes, not 1");
    expect_refused(command + " -n -3", "at least 2 processes, not -3");
    expect_refused(command + " -n abc", "'abc' is not a whole number of processes");
    expect_refused(command + " -n 2.5", "'2.5' is not a whole number of processes");
    expect_refused(command + " -n 1e9", "'1e9' is not a whole number of processes");
    expect_refused(command + " -n 1000000000", "at most");
    expect_refused(command + " -n 99999999999999999999", "at most");
  }
  expect_refused("compare -n 6..2", "'6..2' is not a range of sizes");
  expect_refused("compare -n 2..x", "'x' is not a whole number of processes");
  expect_refused("compare -n 1..3", "at least 2 processes, not 1");
}

TEST(BadInput, GroupsThatDoNotExist) {
  expect_refused("sim maekawa -n 6 --voting plane",
                 "no projective plane for 6 processes; the nearest number is 7");
  expect_refused("sim maekawa -n 10 --voting grid",
                 "no square grid for 10 processes; the nearest number is 9");
  expect_refused("compare -n 7..8 --voting plane", "no projective plane for 8 processes");
  expect_refused("sim raymond --tree 0", "--tree takes star, line, binary or a number of children");
  expect_refused("sim majority-voting -n 5 --votes 2", "a majority of 5 is 3 to 5 votes, not 2");
  expect_refused("sim majority-voting -n 5 --ask 2", "ask 3 to 5 voters, not 2");
  expect_refused("sim central -n 5 --coordinator 5", "no process 5; the processes are 0 to 4");
}

TEST(BadInput, Parameters) {
  expect_refused("sim central --votes 2", "central has no parameter --votes. It has --tell-queued");
  expect_refused("sim lamport --votes 2", "lamport has no parameter --votes, and no other");
  expect_refused("check raymond --bits 2", "raymond has no parameter --bits");
  expect_refused("compare central lamport --ask 2", "has no parameter --ask");
  expect_refused("sim randomized --bits 32", "--bits: 32 is too large");
  expect_refused("sim detector-leader --detector eventually-strng",
                 "did you mean 'eventually-strong'?");
}

TEST(BadInput, Graphs) {
  const std::string sim = "sim wireless -n 4 --graph ";
  expect_refused(sim + "rng", "did you mean 'ring'?");
  expect_refused(sim + "''", "--graph takes ring, grid, complete, random[:EDGES] or edges such as");
  expect_refused(sim + "0-1,1-2", "not connected: there is no way from process 0 to process 3");
  expect_refused(sim + "0-1,1-2,2-4", "no process 4; the processes are 0 to 3");
  expect_refused(sim + "0-1,1-1,1-2,2-3", "process 1 cannot be its own neighbour");
  expect_refused(sim + "0-1,1-2,2-", "'2-' is not an edge such as 0-1");
  expect_refused(sim + "0-1,1-2,2-x", "'2-x' is not an edge such as 0-1");
  expect_refused(sim + "random:2", "has 3 to 6 edges, not 2");
  expect_refused(sim + "random:7", "has 3 to 6 edges, not 7");
  expect_refused(sim + "random:", "has 3 to 6 edges, not none");
  expect_refused(sim + "random:many", "has 3 to 6 edges, not many");
  expect_refused("sim wireless -n 4 --capacities 1,2,3", "3 capacities for 4 processes");
  expect_refused("sim wireless -n 4 --capacities 1,2,3,4,5", "5 capacities for 4 processes");
  expect_refused("sim wireless -n 2 --capacities 1,-2", "'-2' is not a capacity");
  expect_refused("sim wireless -n 2 --capacities 1,5000000000", "is not a capacity");
  expect_refused("sim wireless --crash 1@0", "no process crashes; to break this on purpose");
}

TEST(BadInput, Superpeers) {
  expect_refused("sim superpeer -n 10 --superpeers 11", "11 superpeers among 10 processes");
  expect_refused("sim superpeer -n 10 --superpeers 0", "--superpeers: 0 is too small");
  expect_refused("sim superpeer -n 10 --superpeers -1", "'-1' is not a whole number");
  expect_refused("sim superpeer -n 10 --superpeers 2 --cap 3",
                 "2 superpeers that serve 3 each cannot serve 8; take --cap 4 or more");
  expect_refused("sim superpeer -n 10 --cap 0", "--cap: 0 is too small");
  expect_refused("sim superpeer --places rand", "did you mean 'random'?");
  expect_refused("sim detector-leader --detector perfect",
                 "eventually-perfect or eventually-strong, not 'perfect'");
}

TEST(BadInput, ImpossibleFaults) {
  const std::string sim = "sim lamport -n 3 --allow crash,loss,suspicion ";
  expect_refused(sim + "--crash 3@1", "no process 3; the processes are 0 to 2");
  expect_refused(sim + "--crash 1@1 --crash 1@2", "process 1 cannot crash twice");
  expect_refused(sim + "--recover 1@1", "process 1 cannot recover: it is not down");
  expect_refused(sim + "--crash 1@5 --recover 1@4", "process 1 cannot recover: it is not down");
  expect_refused(sim + "--crash 1@-1", "0 or more");
  expect_refused(sim + "--crash 1@soon", "'soon' is not a time");
  expect_refused(sim + "--crash 1", "'1' is not of the form PROCESS@TIME");
  expect_refused(sim + "--crash x@1", "'x' is not the number of a process");
  expect_refused(sim + "--heal 3", "cannot heal: it is not partitioned");
  expect_refused(sim + "--partition '0|1@4' --heal 3", "cannot heal: it is not partitioned");
  expect_refused(sim + "--partition '0,1|1,2@4'", "process 1 cannot be on two sides");
  expect_refused(sim + "--partition '0|7@4'", "no process 7; the processes are 0 to 2");
  expect_refused(sim + "--suspect 0@4", "not of the form WHO:WHOM@TIME");
  expect_refused(sim + "--suspect 0:0@4", "does not suspect itself");
}

TEST(BadInput, ABrokenAssumptionIsNamedWithTheFlagThatAllowsIt) {
  expect_refused("sim lamport --loss 0.1",
                 "lamport assumes that no message is lost; to break this on purpose add "
                 "--allow loss");
  expect_refused("sim lamport --duplicate 0.1",
                 "no message is duplicated; to break this on purpose add --allow duplication");
  expect_refused("sim lamport --reorder",
                 "channels are FIFO; to break this on purpose add --allow reordering");
  expect_refused("sim lamport --crash 1@1",
                 "no process crashes; to break this on purpose add --allow crash");
  expect_refused("sim lamport --partition '0|1@4'",
                 "no message is lost; to break this on purpose add --allow loss");
  expect_refused("sim wrong-token-ring-regenerated --crash 1@1", "--allow crash");
  EXPECT_NE(baton("sim lamport --delay uniform --reorder --allow reordering").code, 2);
}

TEST(BadInput, NumbersOutOfRange) {
  expect_refused("sim lamport --loss 2", "a probability of loss is 0 to 1");
  expect_refused("sim lamport --loss -0.1", "a probability of loss is 0 to 1");
  expect_refused("sim lamport --loss some", "--loss: 'some' is not a number");
  expect_refused("sim lamport --duplicate 1.5", "a probability of duplication is 0 to 1");
  expect_refused("sim lamport --seed -1", "--seed: '-1' is not a whole number");
  expect_refused("sim lamport --seed 99999999999999999999", "is too large");
  expect_refused("sim lamport --seeds 0", "--seeds: 0 is too small");
  expect_refused("sim lamport --requesters 6", "only 5 processes");
  expect_refused("sim lamport --cs -1", "0 or more");
  expect_refused("sim lamport --until 0", "the end must be above 0");
  expect_refused("sim lamport --until nan", "--until: 'nan' is not a number");
}

TEST(BadInput, Delays) {
  expect_refused("sim lamport --delay fast",
                 "--delay takes constant, uniform, exponential or heavy, not 'fast'");
  expect_refused("sim lamport --delay constant:0", "a delay must be above 0");
  expect_refused("sim lamport --delay constant:-1", "0 or more");
  expect_refused("sim lamport --delay constant:1,2", "one value");
  expect_refused("sim lamport --delay uniform:3,1", "uniform:LOW,HIGH");
  expect_refused("sim lamport --delay uniform:a,b", "'a' is not a delay");
}

TEST(BadInput, Workloads) {
  expect_refused("sim lamport --workload busy", "not 'busy'");
  expect_refused("sim lamport --entries 10", "--entries needs --workload closed");
  expect_refused("sim lamport --workload one --entries 10", "--entries needs");
  expect_refused("sim lamport --workload closed --first 1", "--first needs --workload one");
  expect_refused("sim lamport --first 5", "no process 5; the processes are 0 to 4");
  expect_refused("sim lamport --rate 2", "--rate needs --workload poisson");
  expect_refused("sim lamport --think 2", "--think needs --workload closed");
  expect_refused("sim lamport --workload poisson --rate 0", "a rate is above 0");
  expect_refused("sim lamport --workload saturated --entries 0", "--entries: 0 is too small");
  expect_refused("sim lamport --workload saturated --cs 0", "give it a length");
}

TEST(BadInput, ARunThatCouldNotEndIsNotBegun) {
  expect_refused("sim ricart-agrawala -n 1000000", "fewer processes");
  expect_refused("sim bakery -n 1000 --entries 1000000", "fewer processes");
  expect_refused("sim wireless -n 1000000", "fewer processes");
  expect_refused("sim detector-leader -n 1000000", "fewer processes");
  expect_refused("sim superpeer -n 1000000", "fewer processes");
}

TEST(BadInput, Output) {
  expect_refused("sim lamport --trace pdf",
                 "--trace takes diagram, json, shiviz or chrome, not 'pdf'");
  expect_refused("sim lamport --json --trace", "add -o FILE");
  expect_refused("sim lamport --json --trace json", "add -o FILE");
  expect_refused("sim lamport -o file", "--output needs --trace");
  expect_refused("sim lamport -n 3 --names a,b", "--names gives 2 names for 3 processes");
  expect_refused("sim lamport -n 3 --names a,b,a", "the same name twice");
  expect_refused("sim lamport -n 65 --trace shiviz", "up to 64 processes");
}

}  // namespace
}  // namespace baton::test
