// The files of a SQLite journal, damaged anyhow: refused with a reason, or all that was appended is
// there, unchanged and in order. Whoever accepts the loss gets a part of it that is sound.
//
// An input is a list of edits: which file, at which place, and a piece that is written there; an
// empty piece cuts the file off.
#include "service/journal/sqlite.h"

#include <array>
#include <future>
#include <map>

#include "fuzz/fuzz.h"

namespace baton::fuzz {

namespace {

using journal::Position;
using Records = std::map<Position, std::string>;

constexpr std::array suffixes{"", "-wal", ".mark"};

// A journal as a crash leaves it: some of it in the database, some in the log.
struct Original {
  Original() {
    const Scratch scratch;
    journal::SqliteJournal journal(scratch.file("db"));
    const auto ignore = [](Position, std::string_view) {};
    journal.read(ignore, ignore);
    for (Position i = 1; i <= 30; ++i) append(journal, "record " + std::to_string(i));
    for (std::size_t i = 0; i < suffixes.size(); ++i) {
      files[i] = read_file(scratch.file(std::string("db") + suffixes[i]));
    }
  }

  void append(journal::Journal& journal, const std::string& record) {
    std::promise<void> done;
    journal.append(record, [&](const journal::Fault& fault) {
      demand(!fault, "a sound journal takes records");
      done.set_value();
    });
    done.get_future().wait();
    records.emplace(records.size() + 1, record);
  }

  std::array<std::string, suffixes.size()> files;
  Records records;
};

void edit(Input& input, std::array<std::string, suffixes.size()>& files) {
  while (!input.is_over()) {
    std::string& file = files[input.byte() % suffixes.size()];
    const std::size_t at = file.empty() ? 0 : input.number(3) % (file.size() + 1);
    const std::string_view piece = input.piece();
    if (piece.empty()) {
      file.resize(at);
    } else {
      file.replace(at, piece.size(), piece);
    }
  }
}

// What is read, or nothing if the journal refuses.
std::optional<Records> read(const std::string& path, bool accept_loss) {
  try {
    Records found;
    journal::SqliteJournal journal(path, {.accept_loss = accept_loss});
    journal.read(
        [](Position, std::string_view) {},
        [&](Position position, std::string_view bytes) { found.emplace(position, bytes); });
    return found;
  } catch (const journal::Unusable& refused) {
    demand(refused.what()[0] != '\0', "a refusal says why");
    return std::nullopt;
  }
}

std::string an_edit(char file, std::size_t at, std::string_view piece) {
  return std::string{file, static_cast<char>(at >> 16), static_cast<char>(at >> 8),
                     static_cast<char>(at)} +
         as_piece(piece);
}

}  // namespace

std::vector<std::string> seeds() {
  return {
      an_edit(0, 100, "x"),   an_edit(0, 24, "abcd"),      an_edit(1, 0, ""),
      an_edit(1, 5000, "zz"), an_edit(2, 30, "9"),         an_edit(2, 0, ""),
      an_edit(1, 9000, ""),   an_edit(0, 0, "not SQLite"), an_edit(0, 4096, "") + an_edit(1, 0, ""),
      an_edit(2, 11, "0002")};
}

}  // namespace baton::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace baton::fuzz;
  static const Original original;
  auto files = original.files;
  Input input(data, size);
  edit(input, files);
  const Scratch scratch;
  const std::string path = scratch.file("db");
  for (std::size_t i = 0; i < suffixes.size(); ++i) write_file(path + suffixes[i], files[i]);
  if (const auto found = read(path, false)) {
    demand(*found == original.records, "whatever is not refused is whole");
  } else if (const auto rest = read(path, true)) {
    for (const auto& [position, record] : *rest) {
      const auto at = original.records.find(position);
      demand(at != original.records.end() && at->second == record, "what is left is sound");
    }
  }
  return 0;
}
