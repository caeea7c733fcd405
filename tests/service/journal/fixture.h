// What the tests of journals share: a scratch directory, and appends that are waited for.
#pragma once

#include <gtest/gtest.h>
#include <stdlib.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <future>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "service/journal/journal.h"
#include "service/journal/sqlite.h"

namespace baton::journal {

// In memory where that can be had: syncs cost nothing there, and what they are for shows only when
// the power fails.
class Scratch {
 public:
  Scratch() {
    const bool has_memory = access("/dev/shm", W_OK) == 0;
    const auto parent = has_memory ? "/dev/shm" : std::filesystem::temp_directory_path();
    std::string name = (parent / "baton-journal-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("no scratch directory");
    path_ = name;
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  ~Scratch() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

inline std::string content(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

inline void write_file(const std::filesystem::path& path, const std::string& text) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << text;
}

// What a journal has kept.
struct Kept {
  std::optional<std::pair<Position, std::string>> snapshot;
  std::map<Position, std::string> records;
  Position last = 0;

  friend bool operator==(const Kept&, const Kept&) = default;
};

inline Kept read_all(Journal& journal) {
  Kept kept;
  kept.last = journal.read(
      [&](Position position, std::string_view bytes) {
        EXPECT_FALSE(kept.snapshot);
        EXPECT_TRUE(kept.records.empty());
        kept.snapshot = {position, std::string(bytes)};
      },
      [&](Position position, std::string_view bytes) {
        EXPECT_TRUE(kept.records.empty() || kept.records.rbegin()->first < position);
        kept.records.emplace(position, bytes);
      });
  return kept;
}

inline Fault wait_for(std::future<Fault> fault) {
  if (fault.wait_for(std::chrono::seconds(60)) != std::future_status::ready) {
    return {Fault::Kind::failed, "not within a minute"};
  }
  return fault.get();
}

inline std::pair<Journal::Done, std::future<Fault>> promised() {
  auto promise = std::make_shared<std::promise<Fault>>();
  std::future<Fault> future = promise->get_future();
  return {[promise](const Fault& fault) { promise->set_value(fault); }, std::move(future)};
}

inline Fault append(Journal& journal, const std::string& record) {
  auto [done, fault] = promised();
  journal.append(record, done);
  return wait_for(std::move(fault));
}

inline Fault snapshot(Journal& journal, Position position, const std::string& state) {
  auto [done, fault] = promised();
  journal.snapshot(position, state, done);
  return wait_for(std::move(fault));
}

inline void append_many(Journal& journal, Position first, Position last) {
  for (Position i = first; i <= last; ++i) {
    const Fault fault = append(journal, "record " + std::to_string(i));
    ASSERT_FALSE(fault) << fault.what;
  }
}

}  // namespace baton::journal
