// Ways to let a conversation run that several tests share.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <utility>
#include <vector>

#include "support/conversation.h"

namespace baton::test {

struct Schedule {
  std::uint32_t seed = 0;
  std::uint32_t rounds = 3;  // how often each process enters
  bool fifo = true;
  bool duplicates = false;
};

// Plays at random and calls observe() after every step. Stops when nothing can happen any more and
// tells whether everybody got all its turns.
template <class P, class Observe>
bool play(Conversation<P>& talk, std::uint32_t size, const Schedule& schedule, Observe observe) {
  std::mt19937 random(schedule.seed);
  std::vector<std::uint32_t> left(size, schedule.rounds);
  const auto has = [](const std::vector<std::uint32_t>& nodes, std::uint32_t node) {
    return std::find(nodes.begin(), nodes.end(), node) != nodes.end();
  };
  for (std::uint32_t step = 0; step < 100'000; ++step) {
    std::vector<std::pair<std::uint32_t, std::uint32_t>> busy;
    for (std::uint32_t from = 0; from < size; ++from) {
      for (std::uint32_t to = 0; to < size; ++to) {
        if (talk.in_flight(from, to) > 0) busy.emplace_back(from, to);
      }
    }
    std::size_t turns_left = 0;
    for (std::uint32_t node = 0; node < size; ++node) {
      if (!has(talk.waiting(), node)) turns_left += left[node];
    }
    if (busy.empty() && talk.inside().empty() && turns_left == 0) return talk.waiting().empty();

    const auto node = static_cast<std::uint32_t>(random() % size);
    const bool idle = !has(talk.inside(), node) && !has(talk.waiting(), node);
    if (idle && left[node] > 0) {
      --left[node];
      talk.request(node);
    } else if (has(talk.inside(), node) && random() % 4 == 0) {
      talk.release(node);
    } else if (!busy.empty()) {
      const auto [from, to] = busy[random() % busy.size()];
      if (schedule.duplicates && random() % 4 == 0) talk.duplicate(from, to);
      talk.deliver(from, to, schedule.fifo ? 0 : random() % talk.in_flight(from, to));
    }
    observe();
  }
  return false;
}

// Lets one unit of time pass in a world where every hop takes one: what is under way arrives.
template <class P>
void pass_message_time(Conversation<P>& talk, std::uint32_t size) {
  std::vector<std::size_t> arriving;
  for (std::uint32_t from = 0; from < size; ++from) {
    for (std::uint32_t to = 0; to < size; ++to) arriving.push_back(talk.in_flight(from, to));
  }
  for (std::uint32_t channel = 0; channel < size * size; ++channel) {
    while (arriving[channel]-- > 0) talk.deliver(channel / size, channel % size);
  }
}

// How much time passes until someone is inside.
template <class P>
std::uint32_t message_times_until_entry(Conversation<P>& talk, std::uint32_t size) {
  std::uint32_t elapsed = 0;
  for (; talk.inside().empty() && elapsed < 1000; ++elapsed) pass_message_time(talk, size);
  return elapsed;
}

// The messages that one undisturbed entry and exit take.
template <class P>
std::size_t messages_of_one_entry(Conversation<P>& talk, std::uint32_t node) {
  const std::size_t before = talk.messages_sent();
  talk.request(node);
  talk.deliver_all();
  talk.release(node);
  talk.deliver_all();
  return talk.messages_sent() - before;
}

}  // namespace baton::test
