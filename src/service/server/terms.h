// Translates the terms of holds, requests and sessions from and to protobuf. The client protocol
// and the snapshot have separate messages for them, but with the same field names. So one template
// translates both.
#pragma once

#include <algorithm>

#include "service/server/translate.h"
#include "service/state/command.h"

namespace baton::server {

// Acquire, Reclaim.Held, Snapshot.Waiting, Snapshot.Hold.
template <class Message>
service::HoldTerms hold_terms_of(const Message& message) {
  return {.mode = mode_of(message.mode()),
          .max_hold = {message.max_hold()},
          .value = message.value(),
          .label = message.label()};
}
template <class Message>
void fill_terms(Message& message, const service::HoldTerms& terms) {
  message.set_mode(proto_of(terms.mode));
  message.set_max_hold(terms.max_hold.value);
  message.set_value(terms.value);
  message.set_label(terms.label);
}

// Acquire, Snapshot.Waiting.
template <class Message>
service::RequestTerms request_terms_of(const Message& message) {
  return {.hold = hold_terms_of(message),
          .slots = std::max(message.slots(), 1U),
          .fast = message.fast(),
          .despite_deadlock = message.despite_deadlock()};
}
template <class Message>
void fill_terms(Message& message, const service::RequestTerms& terms) {
  fill_terms(message, terms.hold);
  message.set_slots(terms.slots);
  message.set_fast(terms.fast);
  message.set_despite_deadlock(terms.despite_deadlock);
}

// Reclaim.Held, Snapshot.Hold.
template <class Message>
service::Hold hold_from(const Message& message, service::SessionId session) {
  return {.party = {session, {message.owner()}},
          .terms = hold_terms_of(message),
          .slot = message.slot(),
          .fence = {message.fence()},
          .times = std::max(message.times(), 1U)};
}

// OpenSession, Snapshot.Session.
template <class Message>
service::OpenSession session_terms_of(const Message& message) {
  return {.nonce = message.nonce(),
          .who = who_of(message.who()),
          .ttl = {message.ttl()},
          .lock_delay = {message.lock_delay()},
          .fast = message.fast(),
          .within = {message.within()},
          .latest_answers = message.latest_answers()};
}
template <class Message>
void fill_terms(Message& message, const service::OpenSession& terms) {
  message.set_nonce(terms.nonce);
  fill(*message.mutable_who(), terms.who);
  message.set_ttl(terms.ttl.value);
  message.set_lock_delay(terms.lock_delay.value);
  message.set_fast(terms.fast);
  message.set_within(terms.within.value);
  message.set_latest_answers(terms.latest_answers);
}

}  // namespace baton::server
