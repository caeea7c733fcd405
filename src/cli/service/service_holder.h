// A lock or a leadership of the service, as a supervised run holds it (service/process/holder.h).
//
// The client lives in the keeper. Waiting is done by a thread of its own. A second one starts the
// user's local server anew, should it die: the lease is long enough for that.
#pragma once

#include <condition_variable>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>

#include "cli/service/connection.h"
#include "cli/service/hold_options.h"
#include "io/descriptor.h"
#include "service/process/holder.h"

namespace baton::cli {

class ServiceHolder final : public process::Holder {
 public:
  ServiceHolder(const HoldOptions& options, Reach reach);

  void begin() override;
  int descriptor() const override { return any_news_.get(); }
  State state() override;
  process::Environment environment() override;
  std::string message() override;
  int failure_code() override;
  std::optional<std::chrono::nanoseconds> stop_by() override;
  void release() override;
  void stopped() override;

 private:
  ClientOptions client_options() const;
  void take();
  Result<void> take_lock();
  Result<void> take_lead();
  void fail(const Failure& failure);
  void fail(const std::string& what, int code);
  void lose(const Failure& failure);
  void become(State state);
  std::string whose_it_is();
  void tell_time_to_end();
  void tell_trouble();
  void revive_when_needed(std::stop_token stop);

  const HoldOptions& options_;
  Reach reach_;
  std::uint32_t front_;  // the process that the user sees

  io::Descriptor any_news_;  // an epoll of the next two
  io::Descriptor news_;
  io::Descriptor timer_;  // the lease goes on, and with it stop_by()

  std::mutex mutex_;
  std::condition_variable_any changed_;
  State state_ = State::waiting;
  std::string message_;
  int failure_code_ = process::exit_code::failed;
  bool is_in_jeopardy_ = false;
  std::optional<Client> client_;
  Lock lock_;
  std::optional<std::chrono::nanoseconds> stop_by_;
  std::stop_source give_up_;
  std::thread taker_;
  std::jthread reviver_;
};

}  // namespace baton::cli
