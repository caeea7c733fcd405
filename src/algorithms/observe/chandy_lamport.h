// Chandy–Lamport snapshots (algorithms/observe/snapshot.h) of a bank, and a way to get them wrong.
#pragma once

#include "algorithms/observe/bank.h"
#include "algorithms/observe/snapshot.h"

namespace baton {

class ChandyLamport : public Snapshot<Bank> {
 public:
  using Snapshot<Bank>::Snapshot;
  static const Info& info();
};

// A wrong variant: collects the states and forgets the channels, so money under way is missing.
class WrongChandyLamportNoChannels : public ChandyLamport {
 public:
  using ChandyLamport::ChandyLamport;
  void receive(NodeId from, const Message& message, Out& out);
  static const Info& info();
};

}  // namespace baton
