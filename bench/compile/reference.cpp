// What bench/build compiles to tell how fast a machine is: a file that uses much of the standard
// library, and nothing else. It never changes, or figures could not be compared.
#include <algorithm>
#include <any>
#include <chrono>
#include <functional>
#include <future>
#include <iomanip>
#include <iostream>
#include <map>
#include <memory>
#include <numeric>
#include <optional>
#include <random>
#include <ranges>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

namespace {

template <int N>
struct Event {
  int number = N;
  std::string text = std::to_string(N);

  friend auto operator<=>(const Event&, const Event&) = default;
};

template <class Numbers>
struct VariantOf;
template <int... N>
struct VariantOf<std::integer_sequence<int, N...>> {
  using Type = std::variant<Event<N>...>;
};

constexpr int kinds = 8;
using AnyEvent = VariantOf<std::make_integer_sequence<int, kinds>>::Type;

std::string name_of(const AnyEvent& event) {
  return std::visit([](const auto& one) { return one.text + std::to_string(one.number); }, event);
}

bool are_ordered(const AnyEvent& one, const AnyEvent& other) {
  return std::visit(
      [](const auto& a, const auto& b) {
        return std::tie(a.number, a.text) < std::tie(b.number, b.text);
      },
      one, other);
}

template <int N>
std::string tables() {
  std::map<std::string, std::vector<Event<N>>> by_name;
  std::unordered_map<int, std::set<std::string>> by_number;
  std::multimap<Event<N>, std::function<int(int)>> calls;
  for (int i = 0; i < N; ++i) {
    Event<N> event{i, std::string(static_cast<std::size_t>(i), 'x')};
    by_number[i % 7].insert(event.text);
    calls.emplace(event, [i](int value) { return value + i; });
    by_name[event.text].push_back(std::move(event));
  }
  std::ostringstream out;
  for (const auto& [name, events] : by_name) {
    auto large = events | std::views::filter([](const auto& one) { return one.number > 3; }) |
                 std::views::transform([](const auto& one) { return one.number * 2; });
    for (const int number : large) out << std::setw(8) << name << number << '\n';
  }
  for (const auto& [event, call] : calls) out << call(event.number);
  std::vector<std::pair<int, std::string>> all;
  for (const auto& [number, texts] : by_number) {
    for (const auto& text : texts) all.emplace_back(number, text);
  }
  std::ranges::stable_sort(all, std::greater<>());
  std::ranges::partial_sort(all, all.begin() + static_cast<std::ptrdiff_t>(all.size() / 2));
  return out.str() + std::accumulate(all.begin(), all.end(), std::string(),
                                     [](std::string sum, const auto& one) {
                                       return std::move(sum) + one.second;
                                     });
}

template <int... N>
std::string all_tables(std::integer_sequence<int, N...>) {
  return (tables<N + 1>() + ...);
}

std::vector<std::string> words(const std::string& text) {
  static const std::regex word("([a-z]+)([0-9]*)", std::regex::icase);
  return {std::sregex_token_iterator(text.begin(), text.end(), word, 1), {}};
}

}  // namespace

int main() {
  std::mt19937_64 random(7);
  std::vector<AnyEvent> events{Event<1>{}, Event<2>{}, Event<7>{}};
  std::shuffle(events.begin(), events.end(), random);
  std::sort(events.begin(), events.end(), are_ordered);
  auto later = std::async(std::launch::deferred, [&] { return name_of(events.front()); });
  std::any kept = later.get();
  const std::string text =
      std::any_cast<std::string>(kept) + all_tables(std::make_integer_sequence<int, 3>());
  for (const std::string& word : words(text)) std::cout << std::quoted(word) << '\n';
}
