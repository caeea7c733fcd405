// Where a member keeps what it has promised (Membership::Durable), so that it is still bound by it
// after a crash. One process at a time: the file is locked.
#pragma once

#include <memory>
#include <stdexcept>
#include <string>

#include "algorithms/layer/membership.h"

namespace baton::net {

// Says what is wrong with which file.
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
  // The process ends, and nobody relies on it any more. Until it keeps something again.
  virtual void leave() = 0;
  // The process before this one did not end like that.
  virtual bool was_cut_short() const = 0;

  // `whose`, in words: another member or group must not take them for its own. Empty path: in
  // memory only. Throws PromisesError.
  static std::unique_ptr<Promises> open(const std::string& path, std::uint32_t group_size,
                                        const std::string& whose);
};

}  // namespace baton::net
