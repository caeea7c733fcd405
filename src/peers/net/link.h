// A link from this member to one other: it numbers the messages in both directions, and has at most
// one connection at a time. The link survives its connections.
//
// A numbering belongs to one life of each end and to one generation. A process draws a new life
// when it starts; reset() raises the generation by one. Each end states in its Hello its numbering
// and how many messages of it have arrived. Both ends compare the two Hellos by the same rules:
//
//   - If an end sees a new life of the other, it drops its queue and numbers from 0.
//   - If the generations differ, the larger one counts, and the end with the smaller one drops its
//     queue and numbers from 0.
//   - If the numbering is the same, each end drops the messages that have arrived and sends the
//     others again.
//
// An end that has never met the other has never written a message to it. So it keeps its queue, and
// sends all of it in the numbering that it finds.
//
// A worked example. a (life 7) and b (life 3) are in generation 0, and a dials b.
//
//   1. a sends messages 1 to 5. b receives 1 to 3, and its last frame that reached a confirmed 2.
//      So a still keeps 3, 4 and 5. The connection breaks.
//   2. a dials again: Hello{life 7, remembered_life 3, generation 0}. b answers with Hello{life 3,
//      remembered_life 7, generation 0, received 3}. a drops message 3 and sends 4 and 5 again. b
//      receives each message once.
//   3. b crashes and starts again as life 4. It remembers nothing. a dials and says that it
//      remembers life 3; b answers Hello{life 4, remembered_life 7, generation 0, received 0}. a
//      drops all that b has not confirmed, numbers from 0, and reports restarted(b). The owner of
//      the link decides what to send anew.
//   4. A process that still runs b's life 3 sends its Hello. a refuses it: that life is over.
//   5. a calls reset(): it drops its queue, goes to generation 1 and dials. b is in generation 0,
//      so b drops its queue too, goes to generation 1 and reports was_reset(a).
//
// Messages of send_if_connected() have no number: a sends none of them again.
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

  // The other end receives it in order and once, as long as both ends live. At most largest_message
  // bytes.
  void send(std::string_view bytes);
  // Sends it now or never: the link drops it if there is no connection, or the connection is
  // blocked. It may overtake messages of send(), and be overtaken by them.
  void send_if_connected(std::string_view bytes);
  // Drops all unconfirmed messages, in both directions, and begins a new generation.
  void reset();
  bool is_connected() const { return connection_ != nullptr; }
  // Why there is no connection, as far as is known.
  const std::string& problem() const { return problem_; }
  const LinkCounters& counters() const { return counters_; }

  // The following functions are for Links and connections.
  void start();
  // Closes the connection at once, without a message.
  void hang_up();

  // The Hello that this end sends to the other.
  Hello hello() const;
  // The other end's Hello has come over a connection. Returns why this end refuses it, or nothing.
  std::string meet(const std::shared_ptr<LinkConnection>& connection, const Hello& theirs);
  // Its connection, or an attempt at one, has ended.
  void lost(LinkConnection& connection, const std::string& why);

  void take(LinkConnection& from, std::string_view body);
  void write(std::string& out);
  void tick(std::size_t most_silent_ticks);
  // Confirms what it has not confirmed yet.
  void confirm();
  // True if this refusal has not been reported since the last connection.
  bool is_news(const std::string& refusal);

  void count_read(std::size_t bytes) { counters_.bytes_read += bytes; }
  void count_write(std::size_t bytes);

  NodeId peer() const { return peer_; }
  bool is_given_up() const { return is_given_up_; }
  bool is_congested() const;

 private:
  enum class Change : std::uint8_t { none, restarted, reset };
  // Empty if their Hello contradicts what this end knows; then nothing has changed.
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
