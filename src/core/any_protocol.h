// Any protocol behind a small interface that speaks bytes. The wrapped protocol is still a value.
//
// A layer, a replay or the network's host holds an AnyLock or an AnyElection where it would
// otherwise be a template over the algorithm's class. Such a host is compiled once, and a further
// algorithm costs one small AnyClassOf<P>. The handlers that run are those of the class itself;
// they are called through a table, and the messages that they send are encoded (core/reflect.h).
//
// The group's Setup names the algorithm (`Setup::protocol`), so hosts make an AnyLock as they make
// any other protocol: from a process's number and the setup.
//
// Copying clones. State and messages encode to the same numbers as the class's own, so code that
// compares, hashes or counts bytes sees no difference.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/decode.h"
#include "core/protocol.h"
#include "core/reflect.h"

namespace baton {

// A value that is kept as its encoding.
struct Encoded {
  std::string bytes;

  template <class Sink>
  constexpr void flatten(Sink& sink) const {
    std::uint64_t number = 0;
    unsigned shift = 0;
    for (const char byte : bytes) {
      const auto bits = static_cast<unsigned char>(byte);
      number |= std::uint64_t{bits & 0x7FU} << shift;
      shift += 7;
      if (bits < 0x80) {
        sink(number);
        number = 0;
        shift = 0;
      }
    }
  }
};

// A message of some algorithm. It refers to the algorithm's class, which can print and classify it.
struct AnyMessage : Encoded {
  const AnyClass* of = nullptr;

  std::string_view name() const;
  std::string body() const;
  // The number of its type among AnyClass::message_types().
  std::size_t type() const;
  Phase phase() const;
  bool is_background() const;
};

struct MessageKind {
  std::string_view name;
  Phase phase = Phase::enter;
};

// One process of some algorithm whose event is `E`: Entered or Elected. If the class lacks an
// optional clause, the function does nothing.
template <class E>
class AnyProcess {
 public:
  using Out = Outbox<AnyMessage, E>;

  virtual ~AnyProcess() = default;
  virtual std::unique_ptr<AnyProcess> clone() const = 0;
  virtual void ask(Out& out) = 0;  // request() of a lock, elect() of an election
  virtual void release(Out& out) = 0;
  virtual void receive(NodeId from, const AnyMessage& message, Out& out) = 0;
  virtual void start(Out& out) = 0;
  virtual void recover(Out& out) = 0;  // calls start() if the class has no recover()
  virtual void expire(TimerId timer, Out& out) = 0;
  virtual void suspect(NodeId node, Out& out) = 0;
  virtual void trust(NodeId node, Out& out) = 0;
  virtual void returned(NodeId to, const AnyMessage& message, Out& out) = 0;
  virtual Encoded state() const = 0;
};

// A mutual exclusion or an election as a host needs it, without its type.
class AnyClass {
 public:
  virtual const Info& info() const = 0;
  // True if start() does something. All members must then know that the group uses the algorithm.
  virtual bool starts() const = 0;
  // Make_lock() or make_election() makes a process; the one for the other kind returns null.
  virtual std::unique_ptr<AnyProcess<Entered>> make_lock(NodeId self, const Setup& setup,
                                                         NodeId inside) const = 0;
  virtual std::unique_ptr<AnyProcess<Elected>> make_election(NodeId self,
                                                             const Setup& setup) const = 0;
  virtual const std::vector<MessageKind>& message_types() const = 0;
  virtual std::size_t type_of(const AnyMessage& message) const = 0;
  virtual std::string body_of(const AnyMessage& message) const = 0;
  virtual bool is_background(const AnyMessage& message) const = 0;
  // True if the bytes, which come from outside, are a message that makes sense in a group of this
  // size.
  virtual bool is_message(std::string_view bytes, std::uint32_t size) const = 0;

 protected:
  ~AnyClass() = default;
};

inline std::string_view AnyMessage::name() const { return of->message_types()[type()].name; }
inline std::string AnyMessage::body() const { return of->body_of(*this); }
inline std::size_t AnyMessage::type() const { return of->type_of(*this); }
inline Phase AnyMessage::phase() const { return of->message_types()[type()].phase; }
inline bool AnyMessage::is_background() const { return of->is_background(*this); }

// The types of a protocol's messages, in the order of reflect::message_type.
template <class Message>
std::vector<MessageKind> message_types_of(const Setup& setup) {
  std::vector<MessageKind> all;
  reflect::for_each_message_type<Message>([&]<class M>() {
    if constexpr (std::same_as<M, AnyMessage>) {
      const auto& carried = setup.protocol->message_types();
      all.insert(all.end(), carried.begin(), carried.end());
    } else {
      all.push_back({reflect::type_name<M>(), phase_of<M>()});
    }
  });
  return all;
}

// The protocol that Setup::protocol names.
template <class E>
class AnyProtocol {
 public:
  using Message = AnyMessage;
  using Event = E;
  using Out = Outbox<Message, Event>;
  using State = Encoded;

  AnyProtocol(NodeId self, const Setup& setup) requires std::same_as<E, Elected>
      : process_(setup.protocol->make_election(self, setup)) {}
  AnyProtocol(NodeId self, const Setup& setup,
              NodeId inside = nobody) requires std::same_as<E, Entered>
      : process_(setup.protocol->make_lock(self, setup, inside)) {}
  AnyProtocol(const AnyProtocol& other) : process_(other.process_->clone()) {}
  AnyProtocol& operator=(const AnyProtocol& other) {
    process_ = other.process_->clone();
    return *this;
  }
  AnyProtocol(AnyProtocol&&) noexcept = default;
  AnyProtocol& operator=(AnyProtocol&&) noexcept = default;
  ~AnyProtocol() = default;

  void request(Out& out) requires std::same_as<E, Entered> { process_->ask(out); }
  void release(Out& out) requires std::same_as<E, Entered> { process_->release(out); }
  void elect(Out& out) requires std::same_as<E, Elected> { process_->ask(out); }
  void receive(NodeId from, const Message& message, Out& out) {
    process_->receive(from, message, out);
  }
  void start(Out& out) { process_->start(out); }
  void recover(Out& out) { process_->recover(out); }
  void expire(TimerId timer, Out& out) { process_->expire(timer, out); }
  void suspect(NodeId node, Out& out) { process_->suspect(node, out); }
  void trust(NodeId node, Out& out) { process_->trust(node, out); }
  void returned(NodeId to, const Message& message, Out& out) {
    process_->returned(to, message, out);
  }
  State state() const { return process_->state(); }

  static const Info& info(const Setup& setup) { return setup.protocol->info(); }

 private:
  std::unique_ptr<AnyProcess<E>> process_;
};

using AnyLock = AnyProtocol<Entered>;
using AnyElection = AnyProtocol<Elected>;

template <class P>
class AnyProcessOf final : public AnyProcess<typename P::Event> {
 public:
  using Base = AnyProcess<typename P::Event>;
  using Out = typename Base::Out;

  template <class... Inside>
  AnyProcessOf(const AnyClass& of, NodeId self, const Setup& setup, Inside... inside)
      : of_(&of), protocol_(self, setup, inside...) {}

  std::unique_ptr<Base> clone() const override { return std::make_unique<AnyProcessOf>(*this); }

  void ask(Out& out) override {
    step(out, [](P& protocol, auto& decided) {
      if constexpr (MutexProtocol<P>) {
        protocol.request(decided);
      } else {
        protocol.elect(decided);
      }
    });
  }
  void release([[maybe_unused]] Out& out) override {
    if constexpr (MutexProtocol<P>) {
      step(out, [](P& protocol, auto& decided) { protocol.release(decided); });
    }
  }
  void receive(NodeId from, const AnyMessage& message, Out& out) override {
    const auto typed = message_in(message);
    step(out, [&](P& protocol, auto& decided) { protocol.receive(from, typed, decided); });
  }
  void start([[maybe_unused]] Out& out) override {
    if constexpr (Starts<P>) {
      step(out, [](P& protocol, auto& decided) { protocol.start(decided); });
    }
  }
  void recover(Out& out) override {
    if constexpr (Recovers<P>) {
      step(out, [](P& protocol, auto& decided) { protocol.recover(decided); });
    } else {
      start(out);
    }
  }
  void expire([[maybe_unused]] TimerId timer, [[maybe_unused]] Out& out) override {
    if constexpr (HasTimers<P>) {
      step(out, [&](P& protocol, auto& decided) { protocol.expire(timer, decided); });
    }
  }
  void suspect([[maybe_unused]] NodeId node, [[maybe_unused]] Out& out) override {
    if constexpr (HeedsSuspicion<P>) {
      step(out, [&](P& protocol, auto& decided) { protocol.suspect(node, decided); });
    }
  }
  void trust([[maybe_unused]] NodeId node, [[maybe_unused]] Out& out) override {
    if constexpr (HeedsTrust<P>) {
      step(out, [&](P& protocol, auto& decided) { protocol.trust(node, decided); });
    }
  }
  void returned([[maybe_unused]] NodeId to, [[maybe_unused]] const AnyMessage& message,
                [[maybe_unused]] Out& out) override {
    if constexpr (HeedsReturns<P>) {
      const auto typed = message_in(message);
      step(out, [&](P& protocol, auto& decided) { protocol.returned(to, typed, decided); });
    }
  }
  Encoded state() const override { return {reflect::encoded(protocol_.state())}; }

 private:
  static typename P::Message message_in(const AnyMessage& message) {
    // Cannot fail: this process encoded the message, or is_message() accepted it. Named processes
    // need no check, because they may belong to another view.
    return *reflect::decoded<typename P::Message>(message.bytes, reflect::any_group_size);
  }

  template <class Handler>
  void step(Out& out, Handler handler) {
    OutboxOf<P> decided(out.chooser());
    handler(protocol_, decided);
    out.pass_on_messages(decided, [&](const typename P::Message& message) {
      return AnyMessage{{reflect::encoded(message)}, of_};
    });
    for (const auto& timer : decided.timers()) out.arm(timer.id, timer.after);
    for (const auto& event : decided.events()) out.emit(event);
  }

  const AnyClass* of_;
  P protocol_;
};

template <class P>
class AnyClassOf final : public AnyClass {
 public:
  const Info& info() const override { return P::info(); }
  bool starts() const override { return Starts<P>; }
  std::unique_ptr<AnyProcess<Entered>> make_lock([[maybe_unused]] NodeId self,
                                                 [[maybe_unused]] const Setup& setup,
                                                 [[maybe_unused]] NodeId inside) const override {
    if constexpr (MutexProtocol<P>) {
      return std::make_unique<AnyProcessOf<P>>(*this, self, setup, inside);
    } else {
      return nullptr;
    }
  }
  std::unique_ptr<AnyProcess<Elected>> make_election(
      [[maybe_unused]] NodeId self, [[maybe_unused]] const Setup& setup) const override {
    if constexpr (ElectionProtocol<P>) {
      return std::make_unique<AnyProcessOf<P>>(*this, self, setup);
    } else {
      return nullptr;
    }
  }
  const std::vector<MessageKind>& message_types() const override {
    static const std::vector<MessageKind> types = message_types_of<typename P::Message>({});
    return types;
  }
  std::size_t type_of(const AnyMessage& message) const override {
    // The encoding starts with the variant's index, unless there is only one alternative.
    if constexpr (std::variant_size_v<typename P::Message> == 1) {
      return 0;
    } else {
      return static_cast<unsigned char>(message.bytes.front());
    }
  }
  std::string body_of(const AnyMessage& message) const override {
    return reflect::message_body(
        *reflect::decoded<typename P::Message>(message.bytes, reflect::any_group_size));
  }
  bool is_background(const AnyMessage& message) const override {
    return background[type_of(message)];
  }
  bool is_message(std::string_view bytes, std::uint32_t size) const override {
    const auto message = reflect::decoded<typename P::Message>(bytes, size);
    if constexpr (requires { P::is_sound(*message, size); }) {
      return message && P::is_sound(*message, size);
    } else {
      return message.has_value();
    }
  }

 private:
  static constexpr auto background = []<class... M>(const std::variant<M...>*) {
    return std::array{requires {M::is_background;
  }...
};
}
(static_cast<const typename P::Message*>(nullptr));
}
;

}  // namespace baton
