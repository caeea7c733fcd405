#include "peers/net/instance.h"

#include <optional>
#include <variant>

#include "algorithms/layer/in_views.h"
#include "core/any_protocol.h"

namespace baton::net {

namespace {

// `Any` is AnyLock or AnyElection.
template <class Any>
class InstanceOf final : public Instance {
 public:
  InstanceOf(const AnyClass& algorithm, InstanceHost& host, InstanceOptions options)
      : host_(host),
        number_(options.number),
        size_(options.setup->size),
        algorithm_(algorithm),
        inner_(options.self, *options.setup, std::move(options.name)) {}

  void request() override {
    if constexpr (is_lock) inner_.request(host_.membership(), sink());
  }
  void release() override {
    if constexpr (is_lock) inner_.release(host_.membership(), sink());
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
    return {message->message.name(), message->message.body()};
  }
  void expire(TimerId timer) override { inner_.expire(timer, host_.membership(), sink()); }
  void tick() override { inner_.tick(host_.membership(), sink()); }
  void freeze() override { inner_.freeze(sink()); }
  void begin(std::shared_ptr<const Setup> view_setup) override {
    inner_.begin(std::move(view_setup), host_.membership(), sink());
  }
  void stop() override { inner_.stop(host_.membership(), sink()); }
  void go_on() override { inner_.go_on(host_.membership(), sink()); }
  bool is_inside() const override { return inner_.own().wish == InViews<Any>::Wish::inside; }
  bool is_idle() const override {
    return inner_.own().wish == InViews<Any>::Wish::nothing && inner_.own().early.empty();
  }

 private:
  static constexpr bool is_lock = MutexProtocol<Any>;
  using InView = typename InViews<Any>::InView;

  // Passes the algorithm's decisions to the host.
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
    Outgoing outgoing{.to = to, .type = message.message.name(), .bytes = bytes};
    if constexpr (is_lock) outgoing.phase = message.message.phase();
    if (host_.is_traced()) outgoing.body = message.message.body();
    host_.send(number_, outgoing);
  }

  // Within the algorithm the processes of the view are numbered anew. While there is no view, as
  // many as can be.
  std::optional<InView> decoded(std::string_view bytes) const {
    const Membership& membership = host_.membership();
    const auto inside = membership.is_active()
                            ? static_cast<std::uint32_t>(membership.view().members.size())
                            : size_;
    reflect::Reader from(bytes, size_);
    InView in_view;
    if (!reflect::decode(from, in_view.epoch) || !reflect::decode(from, in_view.count)) return {};
    if (!algorithm_.is_message(from.rest(), inside)) return {};
    in_view.message = AnyMessage{{std::string(from.rest())}, &algorithm_};
    return in_view;
  }

  InstanceHost& host_;
  std::uint32_t number_;
  std::uint32_t size_;
  const AnyClass& algorithm_;
  InViews<Any> inner_;
};

}  // namespace

std::unique_ptr<Instance> make_instance(const AnyClass& algorithm, InstanceHost& host,
                                        InstanceOptions options) {
  if (algorithm.info().kind == Kind::election) {
    return std::make_unique<InstanceOf<AnyElection>>(algorithm, host, std::move(options));
  }
  return std::make_unique<InstanceOf<AnyLock>>(algorithm, host, std::move(options));
}

}  // namespace baton::net
