// Watches of files and observers of elections.
#include <mutex>
#include <utility>

#include "baton/client.h"
#include "service/client/access.h"
#include "service/client/convert.h"

namespace baton {
inline namespace v1 {

using client::Core;
using client::only_error;
using client::told;
using client::wait_for;
using detail::Access;
using detail::Watching;

namespace detail {

// Stands behind a Watch. `number` is the core's; an observer has several, one after another.
struct Watching {
  std::weak_ptr<Core> core;
  std::mutex mutex;
  std::uint64_t number = 0;
  std::atomic<bool> is_stopped{false};

  void stop() {
    std::uint64_t last = 0;
    {
      const std::lock_guard lock(mutex);
      is_stopped = true;
      last = std::exchange(number, 0);
    }
    const auto strong = core.lock();
    if (strong && last != 0) strong->unwatch(last);
  }

  // Goes on with a new watch, unless it has been stopped.
  void go_on(client::WatchRequest request) {
    const auto strong = core.lock();
    if (!strong) return;
    const std::lock_guard lock(mutex);
    if (!is_stopped) number = strong->watch(std::move(request));
  }
};

}  // namespace detail

Watch& Watch::operator=(Watch&& other) noexcept {
  Watch before(std::exchange(watching_, std::exchange(other.watching_, nullptr)));
  return *this;
}

Watch::~Watch() {
  if (watching_) watching_->stop();
}

// --- Files --------------------------------------------------------------------------------------

Result<Watch> Client::watch(std::string prefix, std::function<void(const FileChange&)> callback,
                            WatchOptions options) {
  Core& core = Access::core(*this);
  if (!options.after) {
    auto now = status();
    if (!now) return now.failure();
    options.after = now->revision;
  }
  auto watching = std::make_shared<Watching>();
  watching->core = core.weak_from_this();
  watching->go_on({.space = proto::LOCK,
                   .prefix = std::move(prefix),
                   .after = *options.after,
                   .changed =
                       [watching, callback = std::move(callback)](const proto::Change& change) {
                         if (!watching->is_stopped) callback(client::file_change_of(change));
                       },
                   .ended =
                       [watching, ended = std::move(options.on_end)](const Failure& why) {
                         if (!watching->is_stopped && ended) ended(why);
                       }});
  return Access::watch(std::move(watching));
}

// --- Elections ----------------------------------------------------------------------------------

namespace {

void read_leader(Core& core, const std::string& name,
                 std::function<void(Result<proto::Answer>)> done) {
  proto::Read read;
  read.mutable_locks()->set_space(proto::ELECTION);
  read.mutable_locks()->set_name(name);
  core.read(std::move(read), std::move(done));
}

std::optional<Leader> leader_of(const proto::Answer& answer) {
  if (answer.locks_size() == 0 || answer.locks(0).holders_size() == 0) return std::nullopt;
  const proto::Holder& holder = answer.locks(0).holders(0);
  return Leader{holder.value(), holder.fence(), holder.session()};
}

// Tells of every change of one election.
class Observer : public std::enable_shared_from_this<Observer> {
 public:
  Observer(std::string name, std::shared_ptr<Watching> watching,
           std::function<void(const LeaderChange&)> callback,
           std::function<void(const Failure&)> ended)
      : name_(std::move(name)),
        watching_(std::move(watching)),
        callback_(std::move(callback)),
        ended_(std::move(ended)) {}

  // Reads who leads, tells it, and watches from there. On the client's own thread.
  void begin(const Result<proto::Answer>& answer) {
    if (!answer) return end(answer.failure());
    tell_of(leader_of(*answer), answer->revision());
    watching_->go_on(
        {.space = proto::ELECTION,
         .prefix = name_,
         .after = answer->revision(),
         .changed = [self =
                         shared_from_this()](const proto::Change& change) { self->upon(change); },
         .ended = [self = shared_from_this()](const Failure& why) { self->begin_again(why); }});
  }

 private:
  void tell(LeaderChange::Kind kind, std::uint64_t revision, const Leader& leader) {
    if (kind == LeaderChange::Kind::resigned)
      last_.reset();
    else
      last_ = leader;
    if (!watching_->is_stopped) callback_({kind, revision, leader});
  }

  // What is known only as it is now: the difference to what was last told.
  void tell_of(const std::optional<Leader>& leader, std::uint64_t revision) {
    using Kind = LeaderChange::Kind;
    if (!leader) {
      if (last_) tell(Kind::resigned, revision, Leader(*last_));
    } else if (!last_ || last_->term != leader->term) {
      tell(Kind::elected, revision, *leader);
    } else if (last_->value != leader->value) {
      tell(Kind::proclaimed, revision, *leader);
    }
  }

  void upon(const proto::Change& change) {
    using Kind = LeaderChange::Kind;
    const Leader leader{change.value(), change.fence(), change.session()};
    // A prefix is a prefix: other elections may begin alike.
    if (change.key() != name_) return;
    if (change.kind() == proto::Change::ELECT)
      tell(Kind::elected, change.revision(), leader);
    else if (change.kind() == proto::Change::PROCLAIM)
      tell(Kind::proclaimed, change.revision(), leader);
    else if (change.kind() == proto::Change::RESIGN)
      tell(Kind::resigned, change.revision(), leader);
  }

  void begin_again(const Failure& why) {
    const auto core = watching_->core.lock();
    if (why.error != Error::compacted || !core || watching_->is_stopped) return end(why);
    read_leader(*core, name_, [self = shared_from_this()](const Result<proto::Answer>& answer) {
      self->begin(answer);
    });
  }

  void end(const Failure& why) {
    if (!watching_->is_stopped && ended_) ended_(why);
  }

  std::string name_;
  std::shared_ptr<Watching> watching_;
  std::function<void(const LeaderChange&)> callback_;
  std::function<void(const Failure&)> ended_;
  std::optional<Leader> last_;
};

}  // namespace

Result<Watch> Election::observe(std::function<void(const LeaderChange&)> callback,
                                std::function<void(const Failure&)> on_end) {
  Core& core = Access::core(*this);
  auto watching = std::make_shared<Watching>();
  watching->core = core.weak_from_this();
  auto observer =
      std::make_shared<Observer>(name_, watching, std::move(callback), std::move(on_end));
  Result<void> begun = wait_for<void>(core, [&](auto done) {
    read_leader(core, name_, [observer, done](const Result<proto::Answer>& answer) {
      if (!answer) return done(answer.failure());
      observer->begin(answer);
      done({});
    });
  });
  if (!begun) return begun.failure();
  return Access::watch(std::move(watching));
}

void Election::async_leader(Callback<std::optional<Leader>> done) {
  read_leader(Access::core(*this), name_, told(std::move(done), leader_of));
}

Result<std::optional<Leader>> Election::leader() {
  return wait_for<std::optional<Leader>, &Election::async_leader>(*this);
}

void Election::async_campaign(std::string value, CampaignOptions options,
                              Callback<Leadership> done) {
  Access::core(*this).acquire(
      client::acquire_of(name_, std::move(value), options), std::move(options.give_up),
      told(std::move(done),
           [](const auto& hold) { return Access::leadership(Access::lock(hold)); }));
}

Result<Leadership> Election::campaign(std::string value, CampaignOptions options) {
  if (!options.owner) options.owner = Owner::of_this_thread();
  return wait_for<Leadership, &Election::async_campaign>(*this, std::move(value),
                                                         std::move(options));
}

void Leadership::async_proclaim(std::string value, Callback<void> done) {
  const auto& hold = Access::hold(lock_);
  if (!hold) return done(Failure{Error::not_held, "this object leads nothing"});
  proto::Request request;
  request.mutable_proclaim()->set_name(hold->names.front());
  request.mutable_proclaim()->set_owner(hold->asked.owner());
  request.mutable_proclaim()->set_value(std::move(value));
  hold->core->change_mode(hold, std::move(request), only_error(std::move(done)));
}

Result<void> Leadership::proclaim(std::string value) {
  const auto& hold = Access::hold(lock_);
  if (!hold) return Failure{Error::not_held, "this object leads nothing"};
  return wait_for<void>(*hold->core,
                        [&](auto done) { async_proclaim(std::move(value), std::move(done)); });
}

Election Client::election(std::string name) { return Election(core_, std::move(name)); }

}  // namespace v1
}  // namespace baton
