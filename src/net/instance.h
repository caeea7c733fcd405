// One algorithm for one name, whatever its type: InViews<P> behind an interface that speaks bytes.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "core/decode.h"
#include "core/protocol.h"
#include "core/reflect.h"
#include "layer/in_views.h"

namespace baton::net {

// A message of an algorithm on its way out.
struct Outgoing {
  NodeId to;
  Phase phase{};
  std::string_view type;   // for people
  std::string body;        // ... if a trace is kept
  std::string_view bytes;  // InView, encoded
};

// What an instance needs of the group around it.
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
  virtual void begin(std::shared_ptr<const Setup> view_setup) = 0;
  virtual void stop() = 0;
  virtual void go_on() = 0;
  virtual bool is_inside() const = 0;
  // Nothing is asked for or held here, and nothing has come early: it may go with its view.
  virtual bool is_idle() const = 0;
};

struct InstanceOptions {
  std::uint32_t number = 0;  // by which the host knows it
  std::string name;          // of the lock
  NodeId self;
  const Setup* setup = nullptr;  // the configured group
};

template <class P>
class InstanceOf final : public Instance {
 public:
  InstanceOf(InstanceHost& host, InstanceOptions options)
      : host_(host),
        number_(options.number),
        size_(options.setup->size),
        inner_(options.self, *options.setup, std::move(options.name)) {}

  void request() override {
    if constexpr (MutexProtocol<P>) inner_.request(host_.membership(), sink());
  }
  void release() override {
    if constexpr (MutexProtocol<P>) inner_.release(host_.membership(), sink());
  }
  bool receive(NodeId from, std::string_view bytes) override {
    const auto message = decoded(bytes);
    if (!message) return false;
    inner_.receive(from, *message, host_.membership(), sink());
    return true;
  }
  std::pair<std::string_view, std::string> describe(std::string_view bytes) const override {
    const auto message = decoded(bytes);
    if (!message) return {};
    return {reflect::message_name(message->message), reflect::message_body(message->message)};
  }
  void expire(TimerId timer) override { inner_.expire(timer, host_.membership(), sink()); }
  void tick() override { inner_.tick(host_.membership(), sink()); }
  void freeze() override { inner_.freeze(sink()); }
  void begin(std::shared_ptr<const Setup> view_setup) override {
    inner_.begin(std::move(view_setup), host_.membership(), sink());
  }
  void stop() override { inner_.stop(host_.membership(), sink()); }
  void go_on() override { inner_.go_on(host_.membership(), sink()); }
  bool is_inside() const override { return inner_.own().wish == InViews<P>::Wish::inside; }
  bool is_idle() const override {
    return inner_.own().wish == InViews<P>::Wish::nothing && inner_.own().early.empty();
  }

 private:
  using InView = typename InViews<P>::InView;

  // What P decides, for the host.
  struct Sink {
    InstanceOf* self;
    void send(NodeId to, const InView& message) { self->send(to, message); }
    void arm(TimerId timer, Ticks after) { self->host_.arm(self->number_, timer, after); }
    void emit(const Elected& elected) { self->host_.elected(elected.leader, elected.epoch); }
    void emit(const FencedEvent& event) {
      std::visit(
          upon{[&](const Granted& granted) { self->host_.granted(self->number_, granted.fence); },
               [&](const Lost&) { self->host_.lost(self->number_); }},
          event);
    }
    Chooser& chooser() { return self->host_.chooser(); }
  };
  Sink sink() { return {this}; }

  void send(NodeId to, const InView& message) {
    std::string bytes;
    reflect::encode(message, bytes);
    Outgoing outgoing{.to = to, .type = reflect::message_name(message.message), .bytes = bytes};
    if constexpr (MutexProtocol<P>) {
      outgoing.phase = std::visit([]<class M>(const M&) { return phase_of<M>(); }, message.message);
    }
    if (host_.is_traced()) outgoing.body = reflect::message_body(message.message);
    host_.send(number_, outgoing);
  }

  // Within P the processes of the view are numbered anew. While there is none, as many as can be.
  std::optional<InView> decoded(std::string_view bytes) const {
    const Membership& membership = host_.membership();
    const auto inside = membership.is_active()
                            ? static_cast<std::uint32_t>(membership.view().members.size())
                            : size_;
    reflect::Reader from(bytes, size_);
    InView in_view;
    if (!reflect::decode(from, in_view.epoch) || !reflect::decode(from, in_view.count)) return {};
    auto message = reflect::decoded<typename P::Message>(from.rest(), inside);
    if (!message) return {};
    if constexpr (requires { P::is_sound(*message, inside); }) {
      if (!P::is_sound(*message, inside)) return {};
    }
    in_view.message = std::move(*message);
    return in_view;
  }

  InstanceHost& host_;
  std::uint32_t number_;
  std::uint32_t size_;
  InViews<P> inner_;
};

}  // namespace baton::net
