// The file that -o or --svg names. Whether it can be written is found out before a run begins; what
// it holds changes at once and entirely, or not at all.
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
    const std::string written = begin();
    std::ofstream out(written, std::ios::binary);
    write(static_cast<std::ostream&>(out));
    out.close();
    if (!out) fail(written);
    finish(written);
  }

 private:
  // The file to write in the meantime, beside the one meant; that one itself where it is no
  // ordinary file, as /dev/stdout, or where none may be beside it.
  std::string begin() const;
  void finish(const std::string& written) const;
  [[noreturn]] void fail(const std::string& written) const;

  std::string path_;
};

}  // namespace baton::cli
