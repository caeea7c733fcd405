#include "service/etcd/watching.h"

#include <algorithm>
#include <utility>

#include "service/etcd/convert.h"
#include "service/etcd/outcome.h"

namespace baton::etcd {

namespace {

using std::chrono::milliseconds;

constexpr milliseconds first_pause{10};
constexpr milliseconds longest_pause{500};

}  // namespace

Watching::Watching(Connection& connection, KeyRange keys, Revision from,
                   std::function<void(Changes)> told)
    : connection_(connection),
      keys_(std::move(keys)),
      next_(from),
      told_(std::move(told)),
      pause_(first_pause) {
  is_long = true;
}

void Watching::send(Endpoint& where) {
  // A member that has lost the others ends the watch instead of staying silent.
  context->AddMetadata("hasleader", "true");
  gathered_.clear();
  canceled_.clear();
  state_ = State::starting;
  stream_ = where.watch->PrepareAsyncWatch(context.get(), connection_.queue());
  stream_->StartCall(tag());
}

void Watching::arrived(bool ok) {
  if (state_ == State::finishing) return finished();
  if (!ok || is_over_ || connection_.is_closing()) return finish();
  if (state_ == State::starting) {
    state_ = State::writing;
    return stream_->Write(watch_request(keys_, next_), tag());
  }
  if (state_ == State::reading) handle(response_);
  if (is_over_ || !canceled_.empty()) return finish();
  state_ = State::reading;
  stream_->Read(&response_, tag());
}

void Watching::handle(pb::WatchResponse& response) {
  if (response.compact_revision() != 0) {
    return end({Outcome::Kind::compacted, "etcd has forgotten what was before revision " +
                                              std::to_string(response.compact_revision())});
  }
  if (response.canceled()) {
    canceled_ = response.cancel_reason().empty() ? "etcd has ended it" : response.cancel_reason();
    return;
  }
  pause_ = first_pause;
  token_was_renewed = false;
  if (response.created()) {
    // The watch that begins "now" begins after this revision, also if it is cut at once.
    if (next_ == 0) next_ = response.header().revision() + 1;
    return;
  }
  gather(response);
}

void Watching::gather(pb::WatchResponse& response) {
  for (mvccpb::Event& event : *response.mutable_events()) {
    if (event.kv().mod_revision() < next_) continue;
    gathered_.push_back(from_etcd(std::move(event)));
  }
  if (response.events_size() > 0) return tell_complete(!response.fragment());
  // Without events it says how far the watch has come. One with events does not: its header has the
  // store's revision, and more may follow before that one.
  const Revision revision = response.header().revision();
  if (revision < next_) return;
  next_ = revision + 1;
  told_({{}, {}, revision});
}

// A large answer comes in pieces, and one revision may be in two of them.
void Watching::tell_complete(bool is_last_complete) {
  auto end = gathered_.end();
  if (!is_last_complete && !gathered_.empty()) {
    const Revision last = gathered_.back().item.mod_revision;
    end = std::find_if(gathered_.begin(), end,
                       [&](const Event& event) { return event.item.mod_revision == last; });
  }
  if (end == gathered_.begin()) return;
  Changes changes;
  changes.events.assign(std::make_move_iterator(gathered_.begin()), std::make_move_iterator(end));
  gathered_.erase(gathered_.begin(), end);
  changes.revision = changes.events.back().item.mod_revision;
  next_ = changes.revision + 1;
  told_(std::move(changes));
}

void Watching::end(const Outcome& outcome) {
  if (std::exchange(is_over_, true)) return;
  told_({outcome, {}, next_ == 0 ? 0 : next_ - 1});
}

void Watching::stop() {
  is_over_ = true;
  if (is_waiting) return connection_.drop(*this);
  cancel();
}

void Watching::give_up(const Outcome& outcome) {
  end(outcome);
  connection_.drop(*this);
}

void Watching::finish() {
  state_ = State::finishing;
  cancel();
  stream_->Finish(&status_, tag());
}

void Watching::finished() {
  if (is_over_) return connection_.drop(*this);
  const std::string& error = canceled_.empty() ? status_.error_message() : canceled_;
  if (connection_.renews_token(*this, error)) return;
  const Outcome outcome = outcome_of(status_.error_code(), error);
  if (!canceled_.empty() || outcome.kind == Outcome::Kind::refused) {
    end({Outcome::Kind::refused, error});
    return connection_.drop(*this);
  }
  connection_.failed(endpoint);
  not_before = Clock::now() + pause_;
  pause_ = std::min(pause_ * 2, longest_pause);
  connection_.wait(*this);
}

}  // namespace baton::etcd
