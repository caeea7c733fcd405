// The file in which a member keeps its promises (Membership::Durable), so that it still keeps them
// after a crash. The file is locked, so that only one process runs this member.
#pragma once

#include <memory>
#include <stdexcept>
#include <string>

#include "algorithms/layer/membership.h"

namespace baton::net {

// The message names the file and the problem.
class PromisesError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class Promises {
 public:
  virtual ~Promises() = default;
  virtual const Membership::Durable& kept() const = 0;
  // Durable when it returns. Throws PromisesError.
  virtual void keep(const Membership::Durable& durable) = 0;
  // Notes that the process ends cleanly and nobody relies on its promises. keep() undoes the note.
  virtual void leave() = 0;
  // The process before this one did not call leave().
  virtual bool was_cut_short() const = 0;

  // `whose`, in words: another member or group must not take them for its own. Empty path: in
  // memory only. Throws PromisesError.
  static std::unique_ptr<Promises> open(const std::string& path, std::uint32_t group_size,
                                        const std::string& whose);
};

}  // namespace baton::net
