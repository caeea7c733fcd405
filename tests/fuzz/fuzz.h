// What a fuzz target is made of: one file that says what is done with an input, and which good
// inputs there are to begin with. Decoders must take any bytes: refuse them with a clear error, or
// accept them and keep their promises. Whatever else happens stops the program.
//
// The same file is linked with driver.cpp for the tests, and with libFuzzer for `make fuzz`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace baton::fuzz {

// Good inputs, which mutations begin with, besides those in tests/fuzz/corpus/.
std::vector<std::string> seeds();

// Stops the program if a promise is broken.
void demand(bool is_kept, const char* promise);

inline std::string_view text_of(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

// Takes an input apart. Behind its end there are zeros.
class Input {
 public:
  Input(const std::uint8_t* data, std::size_t size) : rest_(text_of(data, size)) {}

  bool is_over() const { return rest_.empty(); }
  std::uint8_t byte() { return static_cast<std::uint8_t>(number(1)); }
  // Big endian.
  std::uint64_t number(std::size_t bytes);
  // A length in two bytes, and so many bytes, or as many as there are.
  std::string_view piece();

 private:
  std::string_view rest_;
};

// What an Input takes apart again.
std::string as_piece(std::string_view bytes);

// A folder of its own, in memory where that can be had, that goes when it does.
class Scratch {
 public:
  Scratch();
  ~Scratch();
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  std::string file(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

void write_file(const std::string& path, std::string_view text);
std::string read_file(const std::string& path);

}  // namespace baton::fuzz
