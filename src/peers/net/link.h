// What there is between this member and one other: the numbering of messages in both directions,
// and the connection, if there is one.
//
// A numbering belongs to a life of each end and a generation, which reset() begins. Both ends say
// in their Hello which numbering they are in and how many messages of it they have received; from
// the two Hellos each end draws the same conclusion:
//
//   - A life that the other end does not remember begins with a fresh numbering. An end that
//     remembered another life was in a conversation that is over.
//   - Of two generations the larger one counts. The end with the smaller one has been reset.
//   - In the same numbering each end drops what the other has, and repeats the rest.
//
// An end that has never met the other has never written a message to it, so that all it has queued
// may go into whatever numbering it finds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "core/ids.h"
#include "peers/net/hello.h"
#include "peers/net/link_options.h"
#include "peers/net/link_queue.h"

namespace baton::net {

class LinkConnection;
class LinkDialer;
class Links;

class Link {
 public:
  Link(Links& links, NodeId peer);
  ~Link();

  // In order and once, as long as both ends live. At most largest_message bytes.
  void send(std::string_view bytes);
  // Now or never: forgotten if there is no connection, or it is held up. It may overtake what was
  // sent otherwise, and be overtaken.
  void send_if_connected(std::string_view bytes);
  // Forgets all that is unconfirmed, in both directions, and numbers anew.
  void reset();
  bool is_connected() const { return connection_ != nullptr; }
  // Why there is no connection, as far as is known.
  const std::string& problem() const { return problem_; }
  const LinkCounters& counters() const { return counters_; }

  // What follows is for Links and connections.
  void start();
  // At once, without a word.
  void hang_up();

  // What this end says to the other.
  Hello hello() const;
  // The other's Hello has come over a connection. Returns why it is turned away, or nothing.
  std::string meet(const std::shared_ptr<LinkConnection>& connection, const Hello& theirs);
  // Its connection, or an attempt at one, has ended.
  void lost(LinkConnection& connection, const std::string& why);

  void take(LinkConnection& from, std::string_view body);
  void write(std::string& out);
  void tick(std::size_t most_silent_ticks);
  // Confirms what it has not confirmed yet.
  void confirm();
  // True if this was not told since the last connection.
  bool is_news(const std::string& refusal);

  void count_read(std::size_t bytes) { counters_.bytes_read += bytes; }
  void count_write(std::size_t bytes);

  NodeId peer() const { return peer_; }
  bool is_given_up() const { return is_given_up_; }
  bool is_congested() const;

 private:
  enum class Change : std::uint8_t { none, restarted, reset };
  // None if their Hello cannot be: nothing has changed then.
  std::optional<Change> agree(const Hello& theirs);
  void renew();
  void forget_turn();
  void dialled(int socket);
  void give_up();

  Links& links_;
  NodeId peer_;
  std::unique_ptr<LinkDialer> dialer_;  // of the smaller number
  std::shared_ptr<LinkConnection> connection_;
  std::shared_ptr<LinkConnection> attempt_;  // has been dialled, and not answered yet

  std::optional<std::uint64_t> peer_life_;
  std::deque<std::uint64_t> past_lives_;
  std::uint64_t generation_ = 0;
  std::uint64_t received_ = 0;
  LinkQueue queue_;

  std::string unreliable_;         // as it stands in a frame
  std::size_t owed_messages_ = 0;  // that have come and are not confirmed
  std::size_t owed_bytes_ = 0;
  bool must_speak_ = false;  // a frame is due, even an empty one
  bool has_spoken_ = false;  // since the last tick
  bool is_given_up_ = false;

  std::string problem_;
  std::set<std::string> refusals_;
  LinkCounters counters_;
};

}  // namespace baton::net
