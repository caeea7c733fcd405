#include "service/client/reads.h"

#include <utility>

namespace baton::client {

const proto::ClientMessage& Reads::add(proto::Read read, Answered done, Micros now) {
  const std::uint64_t number = next_++;
  Reading& reading = all_[number];
  reading.done = std::move(done);
  reading.made = now;
  *reading.message.mutable_read() = std::move(read);
  reading.message.mutable_read()->set_number(number);
  return reading.message;
}

void Reads::hear(proto::Answer& answer, Outbox& out) {
  const auto found = all_.find(answer.number());
  if (found == all_.end()) return;
  Reading& reading = found->second;
  if (answer.error() != 0) {
    out.answer(reading.done, Failure{error_of(answer.error()), answer.message()});
    all_.erase(found);
    return;
  }
  proto::Answer& so_far = reading.so_far;
  // Of a list in parts the first revision counts: a watch after it misses nothing.
  const std::uint64_t revision = so_far.revision() != 0 ? so_far.revision() : answer.revision();
  const bool is_last = !answer.more();
  so_far.MergeFrom(answer);
  so_far.set_revision(revision);
  if (!is_last) return;
  age_ = so_far.age();
  out.answer(reading.done, std::move(so_far));
  all_.erase(found);
}

void Reads::repeat(Outbox& out) {
  for (auto& [number, reading] : all_) {
    reading.so_far.Clear();
    out.send(reading.message);
  }
}

}  // namespace baton::client
