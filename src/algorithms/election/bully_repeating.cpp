#include "algorithms/election/bully_repeating.h"

#include <variant>

namespace baton {

void BullyRepeating::start(Out& out) { listen(out); }

// An announcement takes up to a delay bound, and the one before may have taken anything from
// nothing to that.
void BullyRepeating::listen(Out& out) {
  out.arm(silence, between_announcements() + setup_->delay_bound + Ticks{1});
}

template <class Clause>
void BullyRepeating::with_timers(Out& out, Clause clause) {
  const bool has_led = state_.leader == self_;
  clause();
  const bool leads = state_.leader == self_;
  if (leads && !has_led) {
    out.cancel(silence);
    out.arm(repetition, between_announcements());
  } else if (!leads && has_led) {
    out.cancel(repetition);
    listen(out);
  }
}

void BullyRepeating::elect(Out& out) {
  with_timers(out, [&] { Bully::elect(out); });
}

void BullyRepeating::recover(Out& out) {
  listen(out);
  with_timers(out, [&] { Bully::recover(out); });
}

void BullyRepeating::receive(NodeId from, const Message& message, Out& out) {
  const bool is_result = std::holds_alternative<Coordinator>(message) && is_above(from, self_);
  if (is_result) listen(out);
  const bool is_known = state_.phase == Phase::settled && state_.leader == from;
  if (is_result && is_known) return;
  with_timers(out, [&] { Bully::receive(from, message, out); });
}

void BullyRepeating::expire(TimerId timer, Out& out) {
  if (timer == silence) {
    state_.leader = nobody;
    listen(out);
    elect(out);
  } else if (timer == repetition) {
    announce(out);
    out.arm(repetition, between_announcements());
  } else {
    with_timers(out, [&] { Bully::expire(timer, out); });
  }
}

const Info& BullyRepeating::info() {
  static const Info info = [] {
    Info derived = variant_of(Bully::info());
    derived.name = "bully-repeating";
    derived.title = "Bully with repeated announcements";
    derived.publication = "the Notes, after Garcia-Molina, 1982";
    derived.idea = "as Bully; the leader repeats the result, and silence calls for an election";
    derived.problem = "messages for ever; a leader that is heard too late is deposed";
    derived.perpetual = true;
    derived.election_costs.clear();
    derived.seeds.clear();
    derived.example = "-n 3 --first 0 --crash 2@9 --until 26";
    derived.checked = {{.is_quick = false}};
    return derived;
  }();
  return info;
}

}  // namespace baton
