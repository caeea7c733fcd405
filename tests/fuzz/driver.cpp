// Runs a fuzz target without libFuzzer: all inputs that it is given, its seeds, and mutations of
// both, always the same ones.
//
//   fuzz_TARGET [--mutations N] [FILE | FOLDER]...
//
// An input that stops the program is left in the file crash-TARGET in the working directory; the
// program repeats it when it is given that file and --mutations 0.
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <random>
#include <string>
#include <vector>

#include "fuzz/fuzz.h"

// Sanitizers end the program in their own way; this is called before.
extern "C" __attribute__((weak)) void __sanitizer_set_death_callback(void (*callback)());

namespace {

namespace fs = std::filesystem;

constexpr std::size_t longest_input = 4096;

std::string crash_file;
std::string present;  // input

void save_input() {
  const int file = open(crash_file.c_str(), O_CREAT | O_WRONLY | O_TRUNC, 0600);
  (void)!write(file, present.data(), present.size());
  close(file);
  for (const char* text :
       {"\nthe input is in ", crash_file.c_str(), "; give it to this program to repeat it\n"}) {
    (void)!write(STDERR_FILENO, text, std::strlen(text));
  }
}

void on_signal(int number) {
  save_input();
  signal(number, SIG_DFL);
  raise(number);
}

void run(std::string input) {
  present = std::move(input);
  // A copy of its own size: reading past the end is then seen by a sanitizer.
  const std::vector<std::uint8_t> bytes(present.begin(), present.end());
  LLVMFuzzerTestOneInput(bytes.data(), bytes.size());
}

class Mutator {
 public:
  explicit Mutator(const std::vector<std::string>& pool) : pool_(pool) {}

  std::string next() {
    std::string input = pool_[below(pool_.size())];
    for (std::size_t times = 1 + below(6); times > 0; --times) change(input);
    input.resize(std::min(input.size(), longest_input));
    return input;
  }

 private:
  std::size_t below(std::size_t limit) { return random_() % limit; }
  std::size_t place(const std::string& input) { return below(input.size() + 1); }
  std::string part(const std::string& input) {
    const std::size_t from = place(input);
    return input.substr(from, 1 + below(16));
  }
  char odd_byte() {
    constexpr char odd[] = {0, 1, 0x7F, -128, -1, '0', '9', '-', '.', ':', '\n', '"', '=', '{'};
    return below(2) == 0 ? static_cast<char>(below(256)) : odd[below(sizeof odd)];
  }

  void change(std::string& input) {
    switch (below(8)) {
      case 0:
        if (!input.empty()) input[below(input.size())] ^= static_cast<char>(1 << below(8));
        break;
      case 1:
      case 2:
        if (!input.empty()) input[below(input.size())] = odd_byte();
        break;
      case 3:
        input.insert(place(input), 1, odd_byte());
        break;
      case 4:
        input.erase(place(input), 1 + below(8));
        break;
      case 5:
        input.insert(place(input), part(input));
        break;
      case 6:
        input.insert(place(input), part(pool_[below(pool_.size())]));
        break;
      default:  // the beginning of this and the end of another
        const std::string& other = pool_[below(pool_.size())];
        input.resize(place(input));
        input += other.substr(place(other));
    }
  }

  const std::vector<std::string>& pool_;
  std::mt19937_64 random_{1};
};

void add_files(const fs::path& path, std::vector<std::string>& pool) {
  if (!fs::is_directory(path)) return pool.push_back(baton::fuzz::read_file(path));
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(path)) files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  for (const fs::path& file : files) pool.push_back(baton::fuzz::read_file(file));
}

}  // namespace

int main(int argc, char** argv) {
  crash_file = "crash-" + fs::path(argv[0]).filename().string().substr(std::strlen("fuzz_"));
  for (const int number : {SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL}) signal(number, on_signal);
  if (__sanitizer_set_death_callback != nullptr) __sanitizer_set_death_callback(save_input);

  std::vector<std::string> pool = baton::fuzz::seeds();
  long mutations = 1000;
  for (int i = 1; i < argc; ++i) {
    if (std::strcmp(argv[i], "--mutations") == 0 && i + 1 < argc) {
      mutations = std::atol(argv[++i]);
    } else if (fs::exists(argv[i])) {
      add_files(argv[i], pool);
    } else {
      std::fprintf(stderr, "there is no %s\n", argv[i]);
      return 2;
    }
  }
  run("");
  for (const std::string& input : pool) run(input);
  pool.emplace_back();
  Mutator mutator(pool);
  for (long i = 0; i < mutations; ++i) run(mutator.next());
  std::printf("%zu inputs and %ld mutations of them\n", pool.size(), mutations);
  return 0;
}
