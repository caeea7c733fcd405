#include "io/poller.h"

#include <sys/epoll.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <system_error>

namespace baton::io {

namespace {

constexpr std::size_t most_at_once = 256;

int new_epoll() {
  const int descriptor = ::epoll_create1(EPOLL_CLOEXEC);
  if (descriptor < 0) throw std::system_error(errno, std::generic_category(), "epoll");
  return descriptor;
}

}  // namespace

Poller::Poller(boost::asio::io_context& io) : epoll_(io, new_epoll()) {}

bool Poller::watch(int descriptor, Watched& watched, bool reads, bool writes) {
  const std::uint32_t before = watched.events_;
  epoll_event event{};
  event.events = (reads ? EPOLLIN : 0U) | (writes ? EPOLLOUT : 0U);
  event.data.ptr = &watched;
  if (event.events == before) return true;
  watched.events_ = event.events;
  if (event.events != 0) {
    const int how = before == 0 ? EPOLL_CTL_ADD : EPOLL_CTL_MOD;
    return ::epoll_ctl(epoll_.native_handle(), how, descriptor, &event) == 0;
  }
  // Drops events of this descriptor that were found but not reported yet.
  std::for_each(ready_, ready_ + ready_count_, [&](epoll_event& one) {
    if (one.data.ptr == &watched) one.data.ptr = nullptr;
  });
  return ::epoll_ctl(epoll_.native_handle(), EPOLL_CTL_DEL, descriptor, nullptr) == 0;
}

void Poller::start() { wait(); }

void Poller::wait() {
  epoll_.async_wait(boost::asio::posix::descriptor_base::wait_read,
                    calls_.wrap([this](const boost::system::error_code& error) {
                      if (error) return;
                      serve();
                      wait();
                    }));
}

void Poller::serve() {
  std::array<epoll_event, most_at_once> ready;
  const int count =
      ::epoll_wait(epoll_.native_handle(), ready.data(), static_cast<int>(ready.size()), 0);
  if (count <= 0) return;
  if (count == 1)
    busy_poll_.heard_one(ready[0].data.ptr);
  else
    busy_poll_.heard_several();
  ready_ = ready.data();
  ready_count_ = static_cast<std::size_t>(count);
  for (std::size_t i = 0; i < ready_count_; ++i) {
    const std::uint32_t events = ready[i].events;
    if (ready[i].data.ptr == nullptr) continue;
    // A peer that is gone is noticed by reading.
    static_cast<Watched*>(ready[i].data.ptr)
        ->ready((events & ~static_cast<std::uint32_t>(EPOLLOUT)) != 0, (events & EPOLLOUT) != 0);
  }
  ready_count_ = 0;
  if (on_served_) on_served_();
}

}  // namespace baton::io
