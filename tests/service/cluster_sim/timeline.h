// Virtual time, shared with the model of etcd: whatever is due next happens next.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "support/model_etcd.h"

namespace baton::cluster_sim {

class Timeline {
 public:
  explicit Timeline(etcd::ModelEtcd& etcd) : etcd_(etcd) {}

  std::int64_t now_us() const { return etcd_.now_us(); }

  void at(std::int64_t time_us, std::function<void()> what) {
    entries_.push_back({std::max(time_us, now_us()), ++order_, std::move(what)});
    std::push_heap(entries_.begin(), entries_.end(), is_later);
  }
  void in(std::int64_t us, std::function<void()> what) { at(now_us() + us, std::move(what)); }

  // The next thing that happens, if something does until then.
  void step(std::int64_t until_us) {
    std::int64_t next_us = until_us;
    if (!entries_.empty()) next_us = std::min(next_us, entries_.front().time_us);
    if (const auto of_etcd = etcd_.next_us()) next_us = std::min(next_us, *of_etcd);
    etcd_.advance(next_us - now_us());
    if (entries_.empty() || entries_.front().time_us > now_us()) return;
    std::pop_heap(entries_.begin(), entries_.end(), is_later);
    const std::function<void()> what = std::move(entries_.back().what);
    entries_.pop_back();
    what();
  }

 private:
  struct Entry {
    std::int64_t time_us = 0;
    std::uint64_t order = 0;
    std::function<void()> what;
  };
  static bool is_later(const Entry& a, const Entry& b) {
    return std::pair(a.time_us, a.order) > std::pair(b.time_us, b.order);
  }

  etcd::ModelEtcd& etcd_;
  std::uint64_t order_ = 0;
  std::vector<Entry> entries_;  // a heap
};

}  // namespace baton::cluster_sim
