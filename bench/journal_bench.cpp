// Appends to the SQLite journal beside what the disk allows: a write at the end of a file of the
// same size, and a sync. Both are measured in turns, since disks have moods. `floor_us` and
// `append_us` are medians, `ratio` is one by the other.
//
// Where: in TMPDIR, which should be a real disk.
#include <benchmark/benchmark.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <future>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "service/journal/sqlite.h"

namespace baton::journal {
namespace {

constexpr std::size_t command_bytes = 80;

class Directory {
 public:
  explicit Directory(const std::filesystem::path& parent = std::filesystem::temp_directory_path()) {
    std::string name = parent / "baton-bench-XXXXXX";
    if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("no scratch directory");
    path_ = name;
  }
  Directory(const Directory&) = delete;
  Directory& operator=(const Directory&) = delete;
  ~Directory() { std::filesystem::remove_all(path_); }
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

class SyncedFile {
 public:
  explicit SyncedFile(const std::filesystem::path& path)
      : number_(::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600)) {}
  SyncedFile(const SyncedFile&) = delete;
  SyncedFile& operator=(const SyncedFile&) = delete;
  ~SyncedFile() { ::close(number_); }

  void append(const std::string& record) {
    const bool is_written = write(number_, record.data(), record.size()) > 0;
    if (!is_written || fdatasync(number_) != 0) throw std::runtime_error("the disk fails");
  }

 private:
  int number_;
};

void append(Journal& journal, const std::string& record) {
  std::promise<bool> done;
  journal.append(record, [&](const Fault& fault) { done.set_value(!fault); });
  if (!done.get_future().get()) throw std::runtime_error("the journal fails");
}

void read_nothing(Journal& journal) {
  const auto ignore = [](Position, std::string_view) {};
  journal.read(ignore, ignore);
}

template <class Work>
double microseconds(const Work& work) {
  const auto before = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - before)
      .count();
}

double median(std::vector<double>& values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

// One record at a time, as the server does. The argument is the commands in a record.
void JournalAppend(benchmark::State& state) {
  const Directory directory;
  const std::string record(command_bytes * static_cast<std::size_t>(state.range(0)), 'c');
  SyncedFile file(directory.path() / "floor");
  SqliteJournal journal(directory.path() / "journal.db");
  read_nothing(journal);
  std::vector<double> floors;
  std::vector<double> appends;
  for (auto _ : state) {
    floors.push_back(microseconds([&] { file.append(record); }));
    appends.push_back(microseconds([&] { append(journal, record); }));
    state.SetIterationTime(appends.back() / 1e6);
  }
  state.counters["append_us"] = median(appends);
  state.counters["floor_us"] = median(floors);
  state.counters["ratio"] = median(appends) / median(floors);
  state.counters["appends"] =
      benchmark::Counter(static_cast<double>(state.iterations()), benchmark::Counter::kIsRate);
}
BENCHMARK(JournalAppend)
    ->Arg(1)
    ->Arg(16)
    ->Iterations(2000)
    ->UseManualTime()
    ->Unit(benchmark::kMicrosecond);

// A million commands in 30,000 records. In memory, where they are written quickly: they would be
// read from the page cache anyway.
void JournalRead(benchmark::State& state) {
  const Directory directory("/dev/shm");
  const auto path = directory.path() / "journal.db";
  constexpr int records = 30'000;
  {
    SqliteJournal journal(path);
    read_nothing(journal);
    const std::string record(command_bytes * 33, 'c');
    for (int i = 0; i < records; ++i) journal.append(record, [](const Fault&) {});
    journal.close();
  }
  for (auto _ : state) {
    SqliteJournal journal(path);
    std::size_t bytes = 0;
    const auto count = [&](Position, std::string_view record) { bytes += record.size(); };
    journal.read(count, count);
    benchmark::DoNotOptimize(bytes);
    journal.close();
  }
}
BENCHMARK(JournalRead)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace baton::journal
