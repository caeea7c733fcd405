// A lock with one mistake, chosen by a macro; without one it is right. consumer_test.sh looks at
// what the compiler says.
#include <baton/lab/lab.h>

#include <map>
#include <string>
#include <utility>
#include <variant>

class BrokenLock {
 public:
  struct Ask {
#ifdef POINTER_IN_MESSAGE
    const char* text = nullptr;
#endif
#ifdef MAP_IN_MESSAGE
    std::map<int, int> numbers;
#endif
  };
#ifdef MESSAGE_IS_NO_VARIANT
  using Message = Ask;
#elif !defined(NO_MESSAGE)
  using Message = std::variant<Ask>;
#endif
#ifdef OTHER_EVENT
  struct Event {};
#elif !defined(NO_EVENT)
  using Event = baton::Entered;
#endif
  using Out = baton::Outbox<std::variant<Ask>, baton::Entered>;

#ifdef STATE_IS_NO_AGGREGATE
  class State {
   public:
    State() {}

   private:
    bool is_inside_ = false;
  };
#else
  struct State {
    bool is_inside = false;
#ifdef FLOATING_POINT_IN_STATE
    double pause = 0;
#endif
  };
#endif

#ifdef NO_INSIDE
  BrokenLock(baton::NodeId, const baton::Setup&) {}
#elif defined(NO_SETUP)
  explicit BrokenLock(baton::NodeId) {}
#else
  BrokenLock(baton::NodeId, const baton::Setup&, baton::NodeId = baton::nobody) {}
#endif
#ifdef NOT_COPYABLE
  BrokenLock(const BrokenLock&) = delete;
  BrokenLock& operator=(const BrokenLock&) = delete;
#endif

  void request(Out& out) { out.emit(baton::Entered{}); }
#ifdef RELEASE_WITHOUT_OUT
  void release() {}
#elif defined(RELEASE_IS_PRIVATE)
 private:
  void release(Out&) {}

 public:
#elif !defined(NO_RELEASE)
  void release(Out&) {}
#endif
#ifdef RECEIVE_TAKES_OTHER_MESSAGE
  void receive(baton::NodeId, const std::string&, Out&) {}
#else
  void receive(baton::NodeId, const std::variant<Ask>&, Out&) {}
#endif
#ifdef EXPIRE_WITHOUT_TIMER
  void expire(Out&) {}
#endif

#ifdef STATE_NOT_CONST
  const State& state() { return state_; }
#else
  const State& state() const { return state_; }
#endif
#ifdef INFO_BY_VALUE
  static baton::Info info() { return {.name = "broken-lock"}; }
#elif !defined(NO_INFO)
  static const baton::Info& info() {
    static const baton::Info info{.name = "broken-lock"};
    return info;
  }
#endif

 private:
  State state_;
};

int main(int argc, char** argv) {
  return baton::lab::algorithm<BrokenLock>().command_line(argc, argv);
}
