#include "algorithms/mutex/maekawa_sanders.h"

#include <algorithm>

#include "algorithms/mutex/voting_costs.h"

namespace baton {

MaekawaSanders::MaekawaSanders(NodeId self, const Setup& setup, NodeId inside)
    : self_(self), setup_(&setup) {
  if (inside == nobody) return;
  const Timestamp first{state_.clock, inside};
  if (self == inside) {
    state_.mode = Mode::held;
    state_.mine = first;
  }
  if (setup.voting->contains(inside, self)) state_.voted_for = first;
}

void MaekawaSanders::request(Out& out) {
  state_.mode = Mode::wanted;
  state_.clock = next(state_.clock);
  state_.mine = {state_.clock, self_};
  state_.votes.assign(setup_->voting->set_size(), Vote::open);
  state_.votes_granted = 0;
  state_.votes_failed = 0;
  out.multicast(self_, setup_->voting->of(self_), Request{state_.mine});
}

void MaekawaSanders::release(Out& out) {
  state_.mode = Mode::released;
  out.multicast(self_, setup_->voting->of(self_), Release{state_.mine});
  state_.mine = {};
}

void MaekawaSanders::receive(NodeId from, const Message& message, Out& out) {
  std::visit(upon{[&](const Request& request) { upon_request(request.at, out); },
                  [&](const Grant& grant) { upon_grant(from, grant, out); },
                  [&](const Failed& failed) { upon_failed(from, failed.request, out); },
                  [&](const Inquire& inquire) { upon_inquire(from, inquire.request, out); },
                  [&](const Yield& yield) { upon_yield(yield.request, out); },
                  [&](const Release& release) { upon_release(release.request, out); }},
             message);
}

void MaekawaSanders::upon_request(const Timestamp& request, Out& out) {
  state_.clock = std::max(state_.clock, request.clock);
  if (!state_.voted_for) {
    vote_for(request, out);
    return;
  }
  const bool best =
      request < *state_.voted_for && (state_.queue.empty() || request < state_.queue.front());
  if (!best) {
    out.send(request.node, Failed{request});
  } else if (state_.has_inquired) {
    // Sanders' correction: a better request has overtaken the one for which I inquired. I must tell
    // its process, or it will not yield elsewhere.
    out.send(state_.queue.front().node, Failed{state_.queue.front()});
  } else {
    inquire(out);
  }
  enqueue(request);
}

// A process that yields goes back into the queue and needs no FAILED, because it knows.
void MaekawaSanders::upon_yield(const Timestamp& request, Out& out) {
  if (state_.voted_for != request) return;
  enqueue(request);
  vote_for_the_best(out);
}

void MaekawaSanders::upon_release(const Timestamp& request, Out& out) {
  if (state_.voted_for == request) vote_for_the_best(out);
}

void MaekawaSanders::enqueue(const Timestamp& request) {
  state_.queue.insert(std::upper_bound(state_.queue.begin(), state_.queue.end(), request), request);
}

void MaekawaSanders::vote_for(const Timestamp& request, Out& out) {
  state_.voted_for = request;
  state_.has_inquired = false;
  out.send(request.node, Grant{request, state_.clock});
}

void MaekawaSanders::vote_for_the_best(Out& out) {
  if (state_.queue.empty()) {
    state_.voted_for.reset();
    state_.has_inquired = false;
    return;
  }
  const Timestamp best = state_.queue.front();
  state_.queue.erase(state_.queue.begin());
  vote_for(best, out);
}

void MaekawaSanders::inquire(Out& out) {
  state_.has_inquired = true;
  out.send(state_.voted_for->node, Inquire{*state_.voted_for});
}

void MaekawaSanders::upon_grant(NodeId voter, const Grant& grant, Out& out) {
  state_.clock = std::max(state_.clock, grant.at);
  Vote* const vote = vote_on(grant.to, voter);
  if (vote == nullptr) return;
  if (*vote == Vote::failed) --state_.votes_failed;
  *vote = Vote::granted;
  ++state_.votes_granted;
  if (state_.votes_granted == setup_->voting->set_size()) {
    state_.mode = Mode::held;
    state_.votes.clear();
    state_.votes_granted = 0;
    out.emit(Entered{});
  }
}

void MaekawaSanders::upon_failed(NodeId voter, const Timestamp& request, Out& out) {
  Vote* const vote = vote_on(request, voter);
  if (vote == nullptr || *vote != Vote::open) return;
  *vote = Vote::failed;
  ++state_.votes_failed;
  if (state_.votes_failed > 1) return;  // earlier inquirers have their answers
  const std::vector<NodeId> voters = setup_->voting->of(self_);
  for (std::size_t i = 0; i < voters.size(); ++i) {
    if (state_.votes[i] == Vote::inquired) yield(voters[i], state_.votes[i], out);
  }
}

void MaekawaSanders::simplify(NodeId, Message& message) const {
  auto* grant = std::get_if<Grant>(&message);
  if (grant != nullptr && grant->at <= state_.clock) grant->at = {0};
}

// If the process has been served, the INQUIRE crosses its RELEASE, which is answer enough.
void MaekawaSanders::upon_inquire(NodeId voter, const Timestamp& request, Out& out) {
  Vote* const vote = vote_on(request, voter);
  if (vote == nullptr || *vote != Vote::granted) return;
  *vote = Vote::inquired;
  if (state_.votes_failed > 0) yield(voter, *vote, out);
}

void MaekawaSanders::yield(NodeId voter, Vote& vote, Out& out) {
  vote = Vote::failed;
  --state_.votes_granted;
  ++state_.votes_failed;
  out.send(voter, Yield{state_.mine});
}

MaekawaSanders::Vote* MaekawaSanders::vote_on(const Timestamp& request, NodeId voter) {
  if (state_.mode != Mode::wanted || request != state_.mine) return nullptr;
  const auto place = setup_->voting->place(self_, voter);
  return place ? &state_.votes[*place] : nullptr;
}

namespace {

Expected when_everyone_asks(const Case& c) {
  const double others = static_cast<double>(c.setup.voting->set_size()) - 1;
  return Expected::between(3 * others, 6 * others);
}

}  // namespace

const Info& MaekawaSanders::info() {
  using namespace voting_costs;
  static const Info info{
      .name = "maekawa-sanders",
      .title = "Maekawa–Sanders",
      .publication = "Maekawa, ACM TOCS 3(2), 1985; Sanders, ACM TOCS 5(3), 1987",
      .idea = "ask your voting set; a voter asks its vote back for an earlier request",
      .assumes = reliable_fifo_channels,
      .promises = {Promise::safety, Promise::deadlock_freedom, Promise::starvation_freedom},
      .problem = "crash of a voter",
      .costs = {{Scenario::alone, Metric::messages, "3(K-1)", per_voter<3>},
                {Scenario::alone, Metric::enter, "2(K-1)", per_voter<2>},
                {Scenario::alone, Metric::exit, "K-1", per_voter<1>},
                {Scenario::alone, Metric::multicast, "K+1", with_multicast},
                {Scenario::alone, Metric::delay, "2", round_trip},
                {Scenario::again, Metric::messages, "3(K-1)", per_voter<3>},
                {Scenario::handover, Metric::delay, "2, or 1 without a third common voter",
                 handover},
                {Scenario::everyone, Metric::messages, "3(K-1) ... 6(K-1)", when_everyone_asks},
                {Scenario::sequential, Metric::messages, "3(K-1)", per_voter<3>}},
      .seeds = {{"Cardellini", "remedy for the deadlock", "additional messages",
                 "FAILED, INQUIRE and YIELD: at most 3(K-1) more when all ask at once"},
                {"the Chubby Slides", "client delay", "one round trip", ""},
                {"the Chubby Slides", "synchronization delay", "2",
                 "1 where the common voters are only the two processes themselves"}},
      .example = "-n 4 --requesters 2",
      .checked = {{}, {.options = "--requests 2"}},
      .traps = {{.options = "-n 4 --requests 1 --reorder",
                 .what = "without FIFO channels nothing breaks with three processes; with four, an "
                         "INQUIRE that overtakes its GRANT is lost on its receiver"}},
  };
  return info;
}

}  // namespace baton
