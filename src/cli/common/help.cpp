#include "cli/common/help.h"

#include <algorithm>

#include "cli/common/terminal.h"
#include "core/text.h"

namespace baton::cli {

namespace {

constexpr std::size_t margin = 2;
// A longer term has a line of its own.
constexpr std::size_t longest_term = 26;

std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> lines;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    lines.emplace_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return lines;
}

std::string paragraphs(std::string_view text, std::size_t width) {
  std::string all;
  std::string paragraph;
  const auto finish = [&] {
    if (!paragraph.empty()) all += filled(paragraph, width) + "\n";
    paragraph.clear();
  };
  for (const std::string& line : lines_of(text)) {
    const bool stays = line.empty() || line.front() == ' ';
    if (stays) {
      finish();
      all += line + "\n";
    } else {
      paragraph += (paragraph.empty() ? "" : " ") + line;
    }
  }
  finish();
  return all;
}

// "Usage: " and what follows; a line that is too long goes on below its beginning.
std::string usage(const std::vector<std::string>& forms, std::size_t width) {
  const std::string heading = "Usage: ";
  std::string all;
  for (const std::string& form : forms) {
    const std::string lead = all.empty() ? heading : std::string(heading.size(), ' ');
    all += lead + filled(form, width - lead.size(), margin) + "\n";
  }
  return all;
}

std::size_t term_width(const std::vector<HelpSection>& sections) {
  std::size_t widest = 0;
  for (const HelpSection& section : sections) {
    for (const HelpEntry& entry : section.entries) {
      const std::size_t width = text::columns(entry.term);
      if (width <= longest_term) widest = std::max(widest, width);
    }
  }
  return widest;
}

std::string entry_text(const HelpEntry& entry, std::size_t column, std::size_t width) {
  std::string all = std::string(margin, ' ') + entry.term;
  const std::size_t used = text::columns(all);
  if (entry.text.empty()) return all + "\n";
  const bool has_room = used + margin <= column;
  all += has_room ? std::string(column - used, ' ') : "\n" + std::string(column, ' ');
  // The first line begins where the others do.
  const std::size_t room = width - std::min(width, column);
  std::string indented;
  for (const std::string& line : text::wrapped(entry.text, room)) {
    indented += (indented.empty() ? "" : "\n" + std::string(column, ' ')) + line;
  }
  return all + indented + "\n";
}

// In the form of the shell, so that what is copied from the terminal can be run.
std::string example(const std::string& line, std::size_t width) {
  const std::vector<std::string> parts = text::wrapped(line, width - 2 * margin - 2);
  if (text::columns(line) + margin <= width) return std::string(margin, ' ') + line + "\n";
  std::string all;
  for (const std::string& part : parts) {
    all += std::string(all.empty() ? margin : 2 * margin, ' ') + part +
           (&part == &parts.back() ? "\n" : " \\\n");
  }
  return all;
}

}  // namespace

std::string text_of(const HelpPage& page, std::size_t width) {
  std::string all = paragraphs(page.summary, width) + "\n" + usage(page.usage, width);
  if (!page.text.empty()) all += "\n" + paragraphs(page.text, width);
  const std::size_t column = margin + term_width(page.sections) + margin;
  for (const HelpSection& section : page.sections) {
    all += "\n" + section.heading + ":\n";
    for (const HelpEntry& entry : section.entries) all += entry_text(entry, column, width);
  }
  if (!page.examples.empty()) {
    all += page.examples.size() > 1 ? "\nExamples:\n" : "\nExample:\n";
    for (const std::string& line : page.examples) all += example(line, width);
  }
  if (!page.epilogue.empty()) all += "\n" + paragraphs(page.epilogue, width);
  return all;
}

}  // namespace baton::cli
