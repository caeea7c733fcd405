#include "peers/net/link.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "peers/net/link_connection.h"
#include "peers/net/link_dialer.h"
#include "peers/net/link_frame.h"
#include "peers/net/links.h"

namespace baton::net {

namespace {

constexpr std::size_t bytes_per_frame = 1024 * 1024;
constexpr std::size_t most_unreliable_bytes = 1024 * 1024;
constexpr std::size_t congested_bytes = 1024 * 1024;
// This end confirms at the latest after so many messages or bytes; until then the other end keeps
// them in memory.
constexpr std::size_t most_owed_messages = 1000;
constexpr std::size_t most_owed_bytes = 256 * 1024;
constexpr std::size_t most_past_lives = 64;
constexpr std::size_t most_refusals = 64;

}  // namespace

Link::Link(Links& links, NodeId peer) : links_(links), peer_(peer) {
  if (peer <= links.options().self) return;
  const LinkOptions& options = links.options();
  dialer_ = std::make_unique<LinkDialer>(
      links.io(), options.members[peer.value].address,
      LinkDialer::Times{options.first_retry, options.last_retry, options.time_to_greet},
      [this](int socket) { dialled(socket); },
      [this](const std::string& why) {
        problem_ = why;
        dialer_->dial_later();
      });
}

Link::~Link() = default;

void Link::start() {
  if (dialer_) dialer_->dial();
}

void Link::dialled(int socket) {
  const auto connection = links_.add(socket, peer_);
  attempt_ = connection;
  connection->greet(encode_hello(hello()));
  connection->start();
}

// --- Sending ------------------------------------------------------------------------------------

void Link::send(std::string_view bytes) {
  if (bytes.size() > largest_message) {
    throw std::invalid_argument("a message of " + std::to_string(bytes.size()) +
                                " bytes is too long for a link");
  }
  if (is_given_up_) return;
  queue_.append(bytes);
  ++counters_.messages_sent;
  if (queue_.unconfirmed_bytes() > links_.options().most_unconfirmed_bytes) return give_up();
  if (connection_) connection_->write_soon();
}

void Link::send_if_connected(std::string_view bytes) {
  if (!connection_ || connection_->is_blocked()) return;
  if (unreliable_.size() + bytes.size() > most_unreliable_bytes) return;
  append_message(unreliable_, bytes, Delivery::unreliable);
  ++counters_.messages_sent;
  connection_->write_soon();
}

bool Link::is_congested() const {
  return connection_ && queue_.unwritten_bytes() > congested_bytes;
}

void Link::write(std::string& out) {
  if (!queue_.has_unwritten() && unreliable_.empty() && !must_speak_) return;
  const std::size_t begin = begin_frame(out, FrameKind::messages);
  append_varint(out, received_);
  queue_.write(out, bytes_per_frame);
  out.append(unreliable_);
  unreliable_.clear();
  end_frame(out, begin);
  owed_messages_ = 0;
  owed_bytes_ = 0;
  must_speak_ = false;
  has_spoken_ = true;
}

void Link::count_write(std::size_t bytes) {
  counters_.bytes_written += bytes;
  ++counters_.writes;
}

void Link::give_up() {
  is_given_up_ = true;
  problem_ = "the other end confirmed too little";
  queue_.clear();
  hang_up();
  if (dialer_) dialer_->stop();
  links_.tell_overflow(peer_);
}

void Link::reset() {
  is_given_up_ = false;
  // An end that never met the other has written nothing, so there is no numbering to replace.
  if (peer_life_) ++generation_;
  renew();
  hang_up();
  if (dialer_ && links_.has_started()) dialer_->dial();
}

void Link::renew() {
  queue_.clear();
  received_ = 0;
}

void Link::hang_up() {
  const auto before = std::exchange(connection_, nullptr);
  // The Hello that this attempt sent may be outdated, so the attempt ends too.
  const auto attempt = std::exchange(attempt_, nullptr);
  forget_turn();
  if (before) before->close("this end has closed the connection");
  if (attempt) attempt->close("this end has closed the connection");
}

void Link::forget_turn() {
  unreliable_.clear();
  owed_messages_ = 0;
  owed_bytes_ = 0;
  must_speak_ = false;
}

// --- Receiving ----------------------------------------------------------------------------------

void Link::take(LinkConnection& from, std::string_view body) {
  MessagesReader reader(body);
  if (!reader.is_good() || !queue_.confirm(reader.confirmed())) {
    return from.close("the other end confirms messages that this end never sent");
  }
  while (const auto message = reader.next()) {
    ++counters_.messages_received;
    if (message->delivery == Delivery::reliable) {
      ++received_;
      ++owed_messages_;
      owed_bytes_ += message->bytes.size();
    }
    links_.events().received(peer_, message->bytes);
    if (connection_.get() != &from) return;
  }
  if (!reader.is_good()) return from.close("a frame is malformed");
  if (owed_messages_ > most_owed_messages || owed_bytes_ > most_owed_bytes) {
    confirm();
  } else if (owed_messages_ > 0 && !from.is_about_to_write()) {
    links_.confirm_later();
  }
}

void Link::confirm() {
  if (!connection_ || owed_messages_ == 0) return;
  must_speak_ = true;
  connection_->write_soon();
}

void Link::tick(std::size_t most_silent_ticks) {
  if (!connection_) return;
  if (connection_->count_silence() > most_silent_ticks) {
    return connection_->close("the other end has been silent for " +
                              std::to_string(links_.options().silence.count()) + " ms");
  }
  if (!std::exchange(has_spoken_, false)) {
    must_speak_ = true;
    connection_->write_soon();
  }
}

// --- Connections --------------------------------------------------------------------------------

Hello Link::hello() const {
  Hello hello = links_.own_hello();
  hello.to = links_.options().members[peer_.value].id;
  hello.has_met = peer_life_.has_value();
  hello.remembered_life = peer_life_.value_or(0);
  hello.generation = generation_;
  hello.received = received_;
  return hello;
}

std::string Link::meet(const std::shared_ptr<LinkConnection>& connection, const Hello& theirs) {
  if (is_given_up_) return "the other end confirmed too little, so this end gave up the link";
  if (std::find(past_lives_.begin(), past_lives_.end(), theirs.life) != past_lives_.end()) {
    return "another process has used the name '" + theirs.from +
           "' since: give each member its own name, and run it once";
  }
  const auto change = agree(theirs);
  if (!change) return "the other end has received other messages than this end sent";

  const auto before = std::exchange(connection_, connection);
  attempt_ = nullptr;
  connection->join(*this);
  // The other end dialled, so this end answers with its Hello.
  if (connection->dialled() == nobody) connection->greet(encode_hello(hello()));
  connection->write_soon();
  if (dialer_) dialer_->succeeded();
  ++counters_.connections;
  problem_.clear();
  refusals_.clear();
  forget_turn();
  has_spoken_ = true;

  // Each event handler may end this connection, so check before the next event.
  LinkEvents& events = links_.events();
  const auto is_current = [&] { return connection_ == connection; };
  if (before) {
    before->close("a newer connection replaced it");
    events.disconnected(peer_, "a newer connection replaced it");
  }
  if (is_current() && *change == Change::restarted) events.restarted(peer_);
  if (is_current() && *change == Change::reset) events.was_reset(peer_);
  if (is_current()) events.connected(peer_);
  return {};
}

std::optional<Link::Change> Link::agree(const Hello& theirs) {
  const bool knows_us = theirs.has_met && theirs.remembered_life == links_.options().life;
  const std::uint64_t their_generation = knows_us ? theirs.generation : 0;
  const bool is_other_life = peer_life_ && *peer_life_ != theirs.life;
  const bool is_first = !peer_life_;
  const bool is_reset = !is_first && !is_other_life && their_generation > generation_;

  if (is_first || is_other_life || is_reset) {
    // This end begins the numbering now, so the other end cannot have received any message of it.
    if (knows_us && theirs.received != 0) return std::nullopt;
    if (is_other_life) past_lives_.push_back(*peer_life_);
    if (past_lives_.size() > most_past_lives) past_lives_.pop_front();
    if (!is_first) renew();
    peer_life_ = theirs.life;
    generation_ = their_generation;
    return is_first ? Change::none : is_reset ? Change::reset : Change::restarted;
  }
  if (knows_us && their_generation == generation_) {
    if (!queue_.resume(theirs.received)) return std::nullopt;
    return Change::none;
  }
  // The other end will go over to this end's numbering. It has sent and received nothing in it yet.
  if (received_ != 0 || !queue_.resume(0)) return std::nullopt;
  return Change::none;
}

void Link::lost(LinkConnection& connection, const std::string& why) {
  const bool was_current = connection_.get() == &connection;
  if (!was_current && attempt_.get() != &connection) return;
  if (problem_.empty()) problem_ = why;
  attempt_ = nullptr;
  if (was_current) connection_ = nullptr;
  forget_turn();
  if (dialer_) dialer_->dial_later();
  if (was_current) links_.events().disconnected(peer_, why);
}

bool Link::is_news(const std::string& refusal) {
  problem_ = refusal;
  return refusals_.size() < most_refusals && refusals_.insert(refusal).second;
}

}  // namespace baton::net
