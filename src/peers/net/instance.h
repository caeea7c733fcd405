// One algorithm for one name in the views of the group (algorithms/layer/in_views.h), between the
// algorithm's messages and bytes on the wire.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "algorithms/layer/membership.h"
#include "core/protocol.h"

namespace baton::net {

// A message of an algorithm on its way out.
struct Outgoing {
  NodeId to;
  Phase phase{};
  std::string_view type;   // for people
  std::string body;        // for people, if the group keeps a trace
  std::string_view bytes;  // InView, encoded
};

// The group around an instance, as the instance sees it.
class InstanceHost {
 public:
  virtual Membership& membership() = 0;
  virtual Chooser& chooser() = 0;
  virtual bool is_traced() const = 0;
  virtual void send(std::uint32_t instance, const Outgoing& message) = 0;
  virtual void arm(std::uint32_t instance, TimerId timer, Ticks after) = 0;
  virtual void granted(std::uint32_t instance, const FencingToken& fence) = 0;
  virtual void lost(std::uint32_t instance) = 0;
  virtual void elected(NodeId leader, const Epoch& epoch) = 0;

 protected:
  ~InstanceHost() = default;
};

class Instance {
 public:
  virtual ~Instance() = default;

  // Locks only.
  virtual void request() = 0;
  virtual void release() = 0;

  // False: these bytes are no message of this algorithm.
  virtual bool receive(NodeId from, std::string_view bytes) = 0;
  // For people: the type of such a message, and its fields.
  virtual std::pair<std::string_view, std::string> describe(std::string_view bytes) const = 0;
  virtual void expire(TimerId timer) = 0;
  virtual void tick() = 0;
  virtual void freeze() = 0;
  // The view's Setup::protocol is the algorithm.
  virtual void begin(std::shared_ptr<const Setup> view_setup) = 0;
  virtual void stop() = 0;
  virtual void go_on() = 0;
  virtual bool is_inside() const = 0;
  // This member asks for nothing and holds nothing here, and no message has come early: the
  // instance may end with its view.
  virtual bool is_idle() const = 0;
};

struct InstanceOptions {
  std::uint32_t number = 0;  // by which the host knows it
  std::string name;          // of the lock
  NodeId self;
  const Setup* setup = nullptr;  // the configured group
};

std::unique_ptr<Instance> make_instance(const AnyClass& algorithm, InstanceHost& host,
                                        InstanceOptions options);

}  // namespace baton::net
