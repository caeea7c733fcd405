#include "peers/net/links.h"

#include <algorithm>
#include <boost/asio/post.hpp>
#include <utility>

#include "peers/net/link_connection.h"

namespace baton::net {

namespace {

namespace asio = boost::asio;
using boost::system::error_code;
using std::chrono::milliseconds;

constexpr std::size_t bytes_per_read = 256 * 1024;
constexpr std::size_t most_strangers = 64;  // that came by themselves
constexpr std::size_t most_refusals_of_strangers = 64;
constexpr milliseconds between_confirmations{25};
constexpr int ticks_per_silence = 4;
constexpr milliseconds shortest_tick{10};
constexpr milliseconds longest_tick{1000};

}  // namespace

Links::Links(asio::io_context& io, LinkOptions options, LinkEvents& events)
    : io_(io),
      options_(std::move(options)),
      events_(events),
      poller_(io),
      ticker_(io),
      confirmer_(io),
      buffer_(bytes_per_read),
      shortest_silence_(options_.silence) {
  check_options();
  poller_.on_served([this] { end_turn(); });
  if (options_.tls) tls_.emplace(*options_.tls);
  for (std::uint32_t i = 0; i < options_.members.size(); ++i) {
    links_.push_back(NodeId{i} == options_.self ? nullptr
                                                : std::make_unique<Link>(*this, NodeId{i}));
  }
  listener_.emplace(io_, io::Address{options_.members[options_.self.value].address, {}});
}

Links::~Links() {
  is_over_ = true;
  // Connections tell when they are closed, but there is nobody left to be told.
  for (const auto& link : links_) {
    if (link) link->hang_up();
  }
  for (const auto& stranger : std::exchange(strangers_, {})) stranger->close("");
}

void Links::check_options() const {
  const auto demand = [](bool is_so, const char* what) {
    if (!is_so) throw std::invalid_argument(what);
  };
  demand(options_.self.value < options_.members.size(), "this member is not one of the group");
  demand(options_.group.size() <= longest_name, "the group's name is too long");
  demand(options_.dialect.size() <= longest_dialect, "the dialect is too long");
  std::set<std::string> ids;
  for (const LinkMember& member : options_.members) {
    demand(!member.id.empty() && member.id.size() <= longest_name,
           "a member's name is empty or too long");
    demand(ids.insert(member.id).second, "two members have the same name");
  }
}

Link& Links::link(NodeId peer) const {
  if (peer.value >= links_.size() || !links_[peer.value]) {
    throw std::invalid_argument("there is no link to process " + std::to_string(peer.value));
  }
  return *links_[peer.value];
}

bool Links::is_congested() const {
  return std::any_of(links_.begin(), links_.end(),
                     [](const auto& link) { return link && link->is_congested(); });
}

NodeId Links::find(const std::string& id) const {
  for (std::uint32_t i = 0; i < options_.members.size(); ++i) {
    if (options_.members[i].id == id) return {i};
  }
  return nobody;
}

Hello Links::own_hello() const {
  Hello hello;
  hello.group = options_.group;
  hello.dialect = options_.dialect;
  hello.from = options_.members[options_.self.value].id;
  hello.life = options_.life;
  hello.silence_ms = static_cast<std::uint64_t>(options_.silence.count());
  return hello;
}

// --- Connections --------------------------------------------------------------------------------

void Links::start() {
  has_started_ = true;
  poller_.start();
  listener_->accept([this](io::Listener::Socket socket) {
    add(socket.release(), nobody)->start();
    limit_strangers();
  });
  for (const auto& link : links_) {
    if (link) link->start();
  }
  tick();
}

std::shared_ptr<LinkConnection> Links::add(int socket, NodeId dialled) {
  auto connection = std::make_shared<LinkConnection>(*this, socket, dialled);
  strangers_.push_back(connection);
  return connection;
}

// Closes the oldest connection without a Hello. A member sends its Hello at once, so it is rarely
// the oldest.
void Links::limit_strangers() {
  const auto came = [](const auto& one) { return one->dialled() == nobody; };
  const auto count = std::count_if(strangers_.begin(), strangers_.end(), came);
  if (static_cast<std::size_t>(count) <= most_strangers) return;
  const auto oldest = *std::find_if(strangers_.begin(), strangers_.end(), came);
  oldest->close("too many connections have not sent a Hello");
}

std::string Links::objection(const LinkConnection& connection, const Hello& theirs) const {
  const std::string why = why_not_alike(theirs, own_hello());
  if (!why.empty()) return why;
  const std::string from = "'" + printable(theirs.from, longest_name) + "'";
  if (connection.dialled() != nobody) {
    const std::string& id = options_.members[connection.dialled().value].id;
    if (theirs.from == id) return {};
    return from + " answers at the address of '" + id + "': compare the addresses of the group";
  }
  const NodeId who = find(theirs.from);
  if (who == nobody) return from + " is not a member of the group '" + options_.group + "'";
  if (who < options_.self) return {};
  return from + " is after '" + options_.members[options_.self.value].id +
         "' in the group, and should wait for that member to connect";
}

void Links::meet(LinkConnection& connection, const Hello& theirs) {
  const auto stranger = connection.shared_from_this();
  NodeId who = connection.dialled();
  if (who == nobody && theirs.group == options_.group) who = find(theirs.from);
  if (who == options_.self) who = nobody;
  std::string why = objection(connection, theirs);
  if (why.empty()) {
    std::erase(strangers_, stranger);
    why = links_[who.value]->meet(stranger, theirs);
    if (why.empty()) {
      return heed_silence(milliseconds(std::min<std::uint64_t>(theirs.silence_ms, 1'000'000)));
    }
    strangers_.push_back(stranger);
  }
  refuse(connection, why, who);
}

void Links::refuse(LinkConnection& connection, const std::string& why, NodeId who) {
  tell_refused(connection, why, who);
  connection.refuse(why);
}

void Links::tell_refused(LinkConnection& connection, const std::string& why, NodeId who) {
  if (who == nobody) who = connection.dialled();
  if (who == nobody && connection.link() != nullptr) who = connection.link()->peer();
  if (who != nobody) {
    if (links_[who.value]->is_news(why)) events_.refused(who, why);
    return;
  }
  const std::string whence = why + " (from " + connection.address() + ")";
  if (refusals_.size() >= most_refusals_of_strangers || !refusals_.insert(whence).second) return;
  events_.refused(nobody, whence);
}

void Links::closed(LinkConnection& connection, const std::string& why) {
  if (is_over_) return;
  const auto self = connection.shared_from_this();
  std::erase(strangers_, self);
  if (connection.link() != nullptr) return connection.link()->lost(connection, why);
  if (connection.dialled() != nobody) link(connection.dialled()).lost(connection, why);
}

// --- Turns and ticks ----------------------------------------------------------------------------

void Links::write_soon(std::shared_ptr<LinkConnection> connection) {
  dirty_.push_back(std::move(connection));
  turn();
}

void Links::tell_overflow(NodeId peer) {
  overflowed_.push_back(peer);
  turn();
}

// While the poller handles arrived messages, it ends the turn itself when all are handled.
// Otherwise this posts the end of the turn.
void Links::turn() {
  if (poller_.is_serving() || std::exchange(is_turn_posted_, true)) return;
  asio::post(io_, calls_.wrap([this] {
    is_turn_posted_ = false;
    end_turn();
  }));
}

void Links::end_turn() {
  const auto dirty = std::exchange(dirty_, {});
  for (const auto& connection : dirty) connection->flush();
  for (const NodeId peer : std::exchange(overflowed_, {})) {
    if (link(peer).is_given_up()) events_.overflowed(peer);
  }
}

void Links::confirm_later() {
  if (std::exchange(is_confirmation_due_, true)) return;
  confirmer_.expires_after(between_confirmations);
  confirmer_.async_wait(calls_.wrap([this](const error_code&) {
    is_confirmation_due_ = false;
    for (const auto& link : links_) {
      if (link) link->confirm();
    }
  }));
}

// Another member gives up after its own time of silence, so this end must send often enough for the
// shortest of them.
void Links::heed_silence(milliseconds silence) {
  if (silence >= shortest_silence_) return;
  shortest_silence_ = silence;
  tick();
}

void Links::tick() {
  const milliseconds pause =
      std::clamp(shortest_silence_ / ticks_per_silence, shortest_tick, longest_tick);
  ticker_.expires_after(pause);
  ticker_.async_wait(calls_.wrap([this, pause](const error_code& cancelled) {
    if (cancelled) return;
    const auto now = std::chrono::steady_clock::now();
    const auto strangers = strangers_;
    for (const auto& stranger : strangers) {
      if (stranger->is_overdue(now)) stranger->close("it sent no Hello in time");
    }
    for (const auto& link : links_) {
      if (link) link->tick(static_cast<std::size_t>(options_.silence / pause));
    }
    tick();
  }));
}

}  // namespace baton::net
