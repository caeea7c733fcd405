// The application of elections: it calls elections and believes the result.
#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "lab/check/application_of.h"
#include "lab/check/rewrite.h"

namespace baton::check {

namespace {

class ElectionApplication {
 public:
  struct Local {
    NodeId leader = nobody;
    Epoch epoch{};
    std::uint32_t elections_left = 0;
  };
  struct Global {
    bool two_in_an_epoch = false;
    std::vector<Elected> elected;  // where there are epochs: the leader of each
  };
  struct Effect {
    bool elects = false;
    std::vector<Elected> elected;
  };
  struct Observation {
    NodeId leader = nobody;
    bool may_request = false;

    friend bool operator==(const Observation&, const Observation&) = default;
  };

  enum Properties : std::size_t { one_per_epoch, somebody_leads };
  // The bits of what must come to an end.
  enum Pending : std::uint32_t { differ = 1, wrong = 2, unaware = 4 };

  ElectionApplication(const Info& info, const Traits& traits, const Bounds& bounds)
      : info_(&info), starts_(traits.starts), bounds_(&bounds) {}

  std::vector<Property> properties() const {
    return {{"one leader per epoch"}, {"somebody leads", Property::Kind::sometimes}};
  }
  std::string describe(std::size_t) const { return "two leaders have the same epoch"; }
  std::vector<Aim> aims(Promises demands) const {
    // A run that ends because its time is over has not come to an end by itself.
    if (bounds_->time.limit != 0) return {};
    const Promises judged = info_->promises | demands;
    std::vector<Aim> aims;
    if (judged.has(Promise::one_leader)) {
      aims.push_back({"one leader", Promise::one_leader, differ, Aim::Kind::rest,
                      "processes go on taking different ones for the leader"});
    }
    if (judged.has(Promise::right_leader)) {
      aims.push_back({"the right leader", Promise::right_leader, wrong, Aim::Kind::rest,
                      "somebody goes on taking the wrong one for the leader"});
    }
    if (judged.has(Promise::everyone_learns)) {
      aims.push_back({"everyone learns", Promise::everyone_learns, unaware, Aim::Kind::rest,
                      "somebody never learns who leads"});
    }
    return aims;
  }
  bool is_symmetric() const { return bounds_->requesters == 0; }

  Local first(NodeId node) const {
    Local local;
    local.elections_left = !bounds_->asks(node)     ? 0
                           : bounds_->requests == 0 ? 1
                                                    : bounds_->requests;
    return local;
  }
  Observation observation(const Local& local, bool is_up, bool) const {
    return {local.leader, is_up && local.elections_left > 0};
  }
  bool may_request(const Observation& observation) const { return observation.may_request; }
  bool may_release(const Observation&) const { return false; }

  void request(NodeId, Local& local) const {
    if (bounds_->requests != 0) --local.elections_left;
  }
  void release(Local&) const {}
  void told(NodeId, Local& local, const Told& told, Effect& effect) const {
    const Elected& elected = std::get<Elected>(told);
    local.leader = elected.leader;
    local.epoch = elected.epoch;
    effect.elects = elected.leader != nobody;
    if (elected.epoch != Epoch{}) effect.elected.push_back(elected);
  }
  void hear(Local&, std::uint32_t) const {}
  std::uint32_t tag(const Local&, bool) const { return 0; }
  void forget(Local&, NodeId) const {}
  void crashed(Local& local) const {
    local.leader = nobody;
    local.epoch = {};
  }
  void rename(Local& local, const Renaming& renaming) const {
    check::rename(local.leader, renaming);
  }

  bool enters(const Effect& effect) const { return effect.elects; }
  bool changes_global(const Effect& effect) const { return !effect.elected.empty(); }
  void apply(Global& global, const Effect& effect) const {
    for (const Elected& elected : effect.elected) {
      bool known = false;
      for (const Elected& other : global.elected) {
        if (other.epoch != elected.epoch) continue;
        known = true;
        global.two_in_an_epoch = global.two_in_an_epoch || other.leader != elected.leader;
      }
      if (!known) global.elected.push_back(elected);
    }
  }

  template <class View>
  PropertySet judge(const View& view) const {
    PropertySet found = 0;
    if (view.global().two_in_an_epoch) found |= PropertySet{1} << one_per_epoch;
    for (std::uint32_t i = 0; i < view.size(); ++i) {
      if (view.is_up(i) && view.observation(i).leader != nobody) {
        found |= PropertySet{1} << somebody_leads;
      }
    }
    return found;
  }

  template <class View>
  std::uint32_t pending(const View& view) const {
    if (!is_due(view)) return 0;
    NodeId leader = nobody;
    std::uint32_t found = 0;
    for (std::uint32_t i = 0; i < view.size(); ++i) {
      if (!view.is_up(i)) continue;
      const NodeId believed = view.observation(i).leader;
      if (believed == nobody) {
        found |= unaware;
      } else if (leader != nobody && believed != leader) {
        found |= differ;
      } else {
        leader = believed;
      }
      if (believed != nobody && !is_right(view, believed)) found |= wrong;
    }
    return found;
  }

 private:
  // True if there shall be a leader: always, or since somebody called an election.
  template <class View>
  bool is_due(const View& view) const {
    if (starts_ || bounds_->requests == 0) return true;
    for (std::uint32_t i = 0; i < view.size(); ++i) {
      const Observation& observation = view.observation(i);
      if (!view.is_up(i)) continue;
      if (observation.leader != nobody || (bounds_->asks({i}) && !observation.may_request))
        return true;
    }
    return false;
  }
  template <class View>
  bool is_right(const View& view, NodeId leader) const {
    if (!view.is_up(leader.value)) return false;
    const Setup& setup = bounds_->setup;
    for (std::uint32_t i = 0; i < view.size(); ++i) {
      if (!view.is_up(i) || NodeId{i} == leader) continue;
      switch (info_->choice) {
        case Choice::highest_identity:
          if (setup.identity({i}) > setup.identity(leader)) return false;
          break;
        case Choice::smallest:
          if (i < leader.value) return false;
          break;
        case Choice::best_capacity:
          if (std::pair(setup.capacity({i}), setup.identity({i})) >
              std::pair(setup.capacity(leader), setup.identity(leader))) {
            return false;
          }
          break;
        case Choice::anyone:
        case Choice::several:
          break;
      }
    }
    return true;
  }

  const Info* info_;
  bool starts_;
  const Bounds* bounds_;
};

}  // namespace

std::unique_ptr<Application> election_application(const Info& info, const Traits& traits,
                                                  const Bounds& bounds) {
  return std::make_unique<ApplicationOf<ElectionApplication>>(info, traits, bounds);
}

}  // namespace baton::check
