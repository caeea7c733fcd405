// What --help prints, laid out for a terminal.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace baton::cli {

// What is explained, and the explanation.
struct HelpEntry {
  std::string term;
  std::string text;
};

struct HelpSection {
  std::string heading;
  std::vector<HelpEntry> entries;
};

// Texts are paragraphs: an empty line ends one, and other line ends count as blanks. Lines that begin
// with a blank stay as they are.
struct HelpPage {
  std::string summary;
  std::vector<std::string> usage;  // one or several ways to write the command
  std::string text;
  std::vector<HelpSection> sections;
  std::vector<std::string> examples;  // command lines
  std::string epilogue;
};

std::string text_of(const HelpPage& page, std::size_t width);

}  // namespace baton::cli
