// The file that -o names. Whether it can be written is found out before a run begins, and nothing
// in it changes before there is something to write.
#pragma once

#include <fstream>
#include <string>

namespace baton::cli {

class OutputFile {
 public:
  // An empty path stands for no file. Throws UsageError if the file could not be written.
  explicit OutputFile(std::string path);

  explicit operator bool() const { return !path_.empty(); }

  // Replaces what the file held by what `write(std::ostream&)` writes.
  template <class Write>
  void replace(Write write) {
    std::ofstream out(path_, std::ios::binary);
    write(static_cast<std::ostream&>(out));
    out.close();
    if (!out) fail();
  }

 private:
  [[noreturn]] void fail() const;

  std::string path_;
};

}  // namespace baton::cli
