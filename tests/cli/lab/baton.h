// Runs the real program as a shell would, and keeps what it said.
#pragma once

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

namespace baton::test {

inline std::string contents(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// A folder for one test, removed afterwards.
class Folder {
 public:
  Folder() {
    std::string name = (std::filesystem::temp_directory_path() / "baton-test-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary folder");
    path_ = name;
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  std::filesystem::path operator/(const std::string& name) const { return path_ / name; }
  bool empty() const { return std::filesystem::is_empty(path_); }

 private:
  std::filesystem::path path_;
};

struct Outcome {
  int code = -1;  // as a shell counts: 128 and the signal's number if one ended it
  std::string out;
  std::string err;
};

// The program that is tested.
inline std::string& program() {
  static std::string path = BATON_PROGRAM;
  return path;
}

// A command line of the shell, in which $BATON is the program.
inline Outcome shell(const std::string& line) {
  setenv("BATON", program().c_str(), 1);
  // What the tests' own surroundings say of the terminal is not to matter.
  unsetenv("COLUMNS");
  unsetenv("NO_COLOR");
  const Folder folder;
  const auto out = folder / "out";
  const auto err = folder / "err";
  const std::string whole =
      "{ " + line + "\n} >" + out.string() + " 2>" + err.string() + " </dev/null";
  const int status = std::system(whole.c_str());
  const int code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return {code, contents(out), contents(err)};
}

inline Outcome baton(const std::string& arguments) { return shell("$BATON " + arguments); }

inline bool has(const std::string& text, const std::string& part) {
  return text.find(part) != text.npos;
}

inline std::size_t lines(const std::string& text) {
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

inline bool is_seven_bit(const std::string& text) {
  return std::none_of(text.begin(), text.end(),
                      [](char c) { return (static_cast<unsigned char>(c) & 0x80U) != 0; });
}

// Wrong usage, in every respect: exit code 2, one line on standard error, nothing done.
inline void expect_refused(const std::string& arguments, const std::string& because) {
  const Outcome outcome = baton(arguments);
  EXPECT_EQ(outcome.code, 2) << arguments;
  EXPECT_EQ(outcome.out, "") << arguments;
  EXPECT_EQ(lines(outcome.err), 1U) << arguments << "\n" << outcome.err;
  EXPECT_TRUE(has(outcome.err, because)) << arguments << "\n" << outcome.err;
  EXPECT_TRUE(has(outcome.err, "--help")) << arguments << "\n" << outcome.err;
}

}  // namespace baton::test
