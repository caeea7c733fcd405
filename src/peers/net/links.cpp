#include "peers/net/links.h"

#include "peers/net/link_hub.h"

namespace baton::net {

Links::Links(boost::asio::io_context& io, LinkOptions options, LinkEvents& events)
    : hub_(std::make_unique<LinkHub>(io, std::move(options), events)) {}
Links::~Links() = default;

void Links::start() { hub_->start(); }
void Links::send(NodeId to, std::string_view bytes) { hub_->link(to).send(bytes); }
void Links::send_if_connected(NodeId to, std::string_view bytes) {
  hub_->link(to).send_if_connected(bytes);
}
void Links::reset(NodeId peer) { hub_->link(peer).reset(); }
bool Links::is_connected(NodeId peer) const { return hub_->link(peer).is_connected(); }
bool Links::is_congested() const { return hub_->is_congested(); }
const std::string& Links::last_problem(NodeId peer) const { return hub_->link(peer).problem(); }
const LinkCounters& Links::counters(NodeId peer) const { return hub_->link(peer).counters(); }
std::uint16_t Links::port() const { return hub_->port(); }
bool Links::stays_awake() { return hub_->stays_awake(); }

}  // namespace baton::net
