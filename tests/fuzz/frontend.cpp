// Whole conversations of several clients with the service: frames of any bytes, and messages that
// are well formed but make any demand, while time passes and the server pauses, crashes and comes
// back. Nobody can make it stumble, and a restart always finds the state as it was.
//
// An input is a list of steps. The first byte of each says what (five bits) and who (the rest).
#include <array>

#include "baton/client.pb.h"
#include "fuzz/conversation.h"
#include "service/state/versions.h"

namespace baton::fuzz {

namespace {

enum What : std::uint8_t {
  frame,      // a piece, as it is
  hello,      // no more bytes
  open,       // a nonce, a time to live, flags
  acquire,    // names, flags, a wait, an owner
  release,    // a name, an owner
  cancel,     // a request
  upgrade,    // a name, an owner, flags
  downgrade,  // a name, an owner
  put,        // a key, flags, a piece
  remove,     // a key
  break_,     // a name, flags
  break_session,
  acknowledge,
  proclaim,
  reclaim,
  close,
  resume,
  keep_alive,
  read,
  watch,
  unwatch,
  pass,
  pause,
  replace,
  slow,
  crash,
  stop,
  whats
};

constexpr std::array names{"a", "b", "c", "d/e"};
constexpr std::array nonces{"first", "second", "third"};

class Talk {
 public:
  explicit Talk(Input input) : input_(input) {}

  void run() {
    for (int steps = 0; !input_.is_over() && steps < most_steps; ++steps) step();
    conversation_.check();
  }

 private:
  static constexpr int most_steps = 200;

  void step() {
    const std::uint8_t first = input_.byte();
    const auto what = static_cast<What>(first % 32 % whats);
    const std::size_t who = (first / 32) % Conversation::clients;
    switch (what) {
      case frame:
        return conversation_.receive(who, input_.piece());
      case pass:
        return conversation_.pass(input_.byte() * 100'000);
      case pause:
        return conversation_.pause(input_.byte() * 1'000'000);
      case replace:
        return conversation_.replace(who);
      case slow:
        return conversation_.hold_up_journal();
      case crash:
        return conversation_.crash();
      case stop:
        return conversation_.stop();
      default:
        return say(what, who);
    }
  }

  void say(What what, std::size_t who) {
    proto::ClientMessage message;
    fill(what, message);
    conversation_.receive(who, message.SerializeAsString());
  }

  bool flag(std::uint8_t flags, int which) { return (flags >> which & 1) != 0; }
  std::string name() { return names[input_.byte() % names.size()]; }
  std::uint64_t owner() { return input_.byte() % 3; }
  proto::Namespace space(std::uint8_t flags) {
    return flag(flags, 7) ? proto::ELECTION : proto::LOCK;
  }

  void fill(What what, proto::ClientMessage& message) {
    switch (what) {
      case hello:
        return message.mutable_hello()->set_protocol(service::protocol_version);
      case resume:
        message.mutable_resume()->set_session(input_.byte() % 8);
        return message.mutable_resume()->set_nonce(nonces[input_.byte() % nonces.size()]);
      case keep_alive:
        return message.mutable_keep_alive()->set_number(next_++);
      case read:
        return fill(*message.mutable_read());
      case watch:
        message.mutable_watch()->set_number(input_.byte());
        message.mutable_watch()->set_after(input_.byte());
        return message.mutable_watch()->set_space(space(input_.byte()));
      case unwatch:
        return message.mutable_unwatch()->set_number(input_.byte());
      default:
        return fill(what, *message.mutable_request());
    }
  }

  void fill(proto::Read& read) {
    const std::uint8_t flags = input_.byte();
    read.set_number(next_++);
    if (flags % 4 == 0) read.mutable_locks()->set_space(space(flags));
    if (flags % 4 == 1) read.mutable_sessions();
    if (flags % 4 == 2) read.mutable_status();
    if (flags % 4 == 3) read.mutable_files()->set_keys_only(flag(flags, 7));
  }

  // The number of a request is new, or one that was used before.
  void number(proto::Request& request) {
    const std::uint8_t said = input_.byte();
    request.set_request(said < 200 ? next_++ : next_ - std::min<std::uint64_t>(said - 199, next_));
    if (said % 4 == 0) request.set_confirmed(request.request());
  }

  void fill(What what, proto::Request& request) {
    number(request);
    switch (what) {
      case open: {
        auto& it = *request.mutable_open_session();
        it.set_nonce(nonces[input_.byte() % nonces.size()]);
        it.set_ttl(input_.byte() * 500'000);
        const std::uint8_t flags = input_.byte();
        it.set_fast(flag(flags, 0));
        if (flag(flags, 1)) it.set_lock_delay(2'000'000);
        if (flag(flags, 2)) it.set_within(1 + flags / 64);
        return;
      }
      case acquire:
        return fill(*request.mutable_acquire());
      case release: {
        auto& it = *request.mutable_release();
        it.add_names(name());
        it.set_owner(owner());
        return it.set_space(space(input_.byte()));
      }
      case cancel:
        return request.mutable_cancel()->set_waiting(
            next_ - std::min<std::uint64_t>(input_.byte() % 8, next_));
      case upgrade: {
        auto& it = *request.mutable_upgrade();
        it.set_name(name());
        it.set_owner(owner());
        const std::uint8_t flags = input_.byte();
        it.set_despite_deadlock(flag(flags, 0));
        if (flag(flags, 1)) it.set_wait(flags * 100'000);
        return;
      }
      case downgrade:
        request.mutable_downgrade()->set_name(name());
        return request.mutable_downgrade()->set_owner(owner());
      case put: {
        auto& it = *request.mutable_put();
        it.set_key(name());
        const std::uint8_t flags = input_.byte();
        it.set_tied(flag(flags, 0));
        if (flag(flags, 1)) it.set_version(flags / 32);
        return it.set_value(std::string(input_.piece()));
      }
      case remove:
        return request.mutable_remove()->set_key(name());
      case reclaim:
        return fill(*request.mutable_reclaim());
      default:
        return fill_rest(what, request);
    }
  }

  void fill_rest(What what, proto::Request& request) {
    const std::uint8_t flags = input_.byte();
    if (what == break_) {
      request.mutable_break_()->set_name(name());
      request.mutable_break_()->set_space(space(flags));
      request.mutable_break_()->set_force(flag(flags, 0));
    } else if (what == break_session) {
      request.mutable_break_session()->set_session(flags / 2 % 8);
      request.mutable_break_session()->set_force(flag(flags, 0));
    } else if (what == acknowledge) {
      request.mutable_acknowledge()->set_name(name());
      request.mutable_acknowledge()->set_space(space(flags));
      request.mutable_acknowledge()->set_owner(owner());
      request.mutable_acknowledge()->set_fence(fence());
    } else if (what == proclaim) {
      request.mutable_proclaim()->set_name(name());
      request.mutable_proclaim()->set_owner(owner());
      request.mutable_proclaim()->set_value("v");
    } else {
      request.mutable_close_session();
    }
  }

  void fill(proto::Acquire& acquire) {
    const std::uint8_t flags = input_.byte();
    acquire.add_names(name());
    if (flag(flags, 0)) acquire.add_names(name());
    if (flag(flags, 1)) acquire.set_mode(proto::SHARED);
    if (flag(flags, 2)) acquire.set_slots(2);
    if (flag(flags, 3)) acquire.set_wait(input_.byte() * 100'000);
    if (flag(flags, 4)) acquire.set_max_hold(input_.byte() * 100'000);
    acquire.set_fast(flag(flags, 5));
    acquire.set_despite_deadlock(flag(flags, 6));
    acquire.set_space(space(flags));
    acquire.set_owner(owner());
  }

  // Near those that are in use.
  std::uint64_t fence() {
    return conversation_.state().next_fence().value - 1 - input_.byte() % 24;
  }

  void fill(proto::Reclaim& reclaim) {
    const std::uint8_t counts = input_.byte();
    for (int i = counts % 4; i > 0; --i) {
      const std::uint8_t flags = input_.byte();
      auto& held = *reclaim.add_held();
      held.set_name(name());
      held.set_owner(owner());
      held.set_fence(fence());
      held.set_space(space(flags));
      if (flag(flags, 0)) held.set_mode(proto::SHARED);
      if (flag(flags, 1)) held.set_slots(2);
      held.set_slot(flags / 4 % 2);
      held.set_times(flags / 8 % 4);
    }
    for (int i = counts / 4 % 4; i > 0; --i) {
      auto& waiting = *reclaim.add_waiting();
      waiting.set_request(next_ - std::min<std::uint64_t>(input_.byte() % 16, next_));
      waiting.set_ticket(input_.byte());
      fill(*waiting.mutable_acquire());
    }
  }

  Input input_;
  Conversation conversation_;
  std::uint64_t next_ = 1;
};

std::string step(What what, std::size_t who, std::string rest = {}) {
  return std::string(1, static_cast<char>(what + 32 * who)) + rest;
}

// A client that has opened a session: with a time to live of ten seconds.
std::string client(std::size_t who, char flags = 0) {
  return step(hello, who) + step(open, who, {0, static_cast<char>(who), 20, flags});
}

std::string frame_of(const proto::ClientMessage& message, std::size_t who) {
  return step(frame, who, as_piece(message.SerializeAsString()));
}

}  // namespace

std::vector<std::string> seeds() {
  const std::string two = client(0) + client(1);
  const std::string take = step(acquire, 0, {0, 0, 0, 0}) + step(acquire, 1, {0, 0, 0, 0});
  const std::string embrace = step(acquire, 0, {0, 0, 0, 0}) + step(acquire, 1, {0, 0, 1, 0}) +
                              step(acquire, 0, {0, 0, 1, 0}) + step(acquire, 1, {0, 0, 0, 0});
  proto::ClientMessage greeting;
  greeting.mutable_hello()->set_protocol(service::protocol_version);
  proto::ClientMessage opening;
  opening.mutable_request()->set_request(1);
  opening.mutable_request()->mutable_open_session()->set_nonce("raw");
  opening.mutable_request()->mutable_open_session()->set_ttl(10'000'000);
  opening.mutable_request()->mutable_open_session()->mutable_who()->set_host("host");
  proto::ClientMessage taking;
  taking.mutable_request()->set_request(2);
  taking.mutable_request()->mutable_acquire()->add_names("a");
  taking.mutable_request()->mutable_acquire()->add_names("b");
  taking.mutable_request()->mutable_acquire()->set_wait(1'000'000);
  taking.mutable_request()->mutable_acquire()->set_label("label");
  const std::string raw = frame_of(greeting, 2) + frame_of(opening, 2) + frame_of(taking, 2);
  const std::string fast = client(0, 1) + client(1, 1) + step(acquire, 0, {0, 32, 0, 0}) +
                           step(acquire, 1, {0, 32, 0, 0}) + step(crash, 0) + step(hello, 0) +
                           step(resume, 0, {1, 0}) + step(reclaim, 0, {0, 1, 0, 0, 0, 0}) +
                           step(pass, 0, "\x7F");
  return {two + take + step(release, 0, {0, 0, 0, 0}),
          two + embrace,
          two + take + step(pass, 0, "\x7F") + step(crash, 0),
          two + take + step(break_, 1, {0, 0, 0}) + step(acknowledge, 0, {0, 0, 0, 0, 0}),
          two + step(acquire, 0, {0, 2, 0, 0}) + step(acquire, 1, {0, 2, 0, 0}) +
              step(upgrade, 0, {0, 0, 0, 0}) + step(upgrade, 1, {0, 0, 0, 0}),
          two + step(watch, 1, {1, 0, 0}) + step(put, 0, {0, 0, 1, 0, 1, 'v'}) + step(slow, 0) +
              step(read, 1, "\x03") + step(remove, 1, {0, 0}) + step(stop, 0),
          two + step(acquire, 0, {0, -128, 0, 0}) + step(proclaim, 0, {0, 0, 0, 0}) +
              step(break_session, 1, {0, 2}) + step(close, 1, {0, 0}) + step(pause, 0, "\x3C"),
          two + raw + take,
          fast};
}

}  // namespace baton::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  baton::fuzz::Talk({data, size}).run();
  return 0;
}
