#include "lab/view/diagram.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string_view>
#include <vector>

#include "core/text.h"
#include "lab/view/diagram_rows.h"
#include "lab/view/diagram_text.h"

namespace baton::view {

namespace {

struct Glyphs {
  // Lifelines.
  std::string_view outside, waiting, inside, enters, leaves;
  // Events.
  std::string_view ask, send, crash, recover, timer, elect, suspect, trust, pause, resume, record,
      note;
  // Arrows.
  std::string_view line, right, left, lost, across, tail_at_left, tail_at_right, tail_between;
  std::string_view ellipsis;
};

constexpr Glyphs unicode_glyphs{"│", "┆", "█", "▄", "▀",                                     //
                                "○", "●", "✗", "◆", "◔", "★", "?", "!", "▯", "◆", "▣", "◇",  //
                                "─", "▶", "◀", "✗", "┼", "├", "┤", "┴",                      //
                                "…"};
constexpr Glyphs ascii_glyphs{"|",  ":", "#", "#", "#",                                     //
                              "o",  "*", "X", "R", "t", "L", "?", "!", "Z", "R", "S", "n",  //
                              "-",  ">", "<", "x", "+", "|", "|", "|",                      //
                              "..."};

// Readable on dark and on light backgrounds, neighbours far apart.
constexpr std::array<int, 8> palette{33, 208, 35, 170, 37, 136, 99, 161};

struct Cell {
  std::string_view glyph = " ";
  NodeId colour = nobody;
  bool bold = false;
};

class Diagram {
 public:
  Diagram(const Trace& trace, const DiagramOptions& options)
      : trace_(trace),
        options_(options),
        glyphs_(options.unicode ? unicode_glyphs : ascii_glyphs),
        rows_(rows_of(trace)),
        narrator_(trace, rows_, options.unicode),
        life_(trace.size, Life::outside) {
    for (const NodeId node : rows_.inside_at_start) life_[node.value] = Life::inside;
  }

  // True if the group fits into the width; only then may the caller call text().
  bool lay_out();
  std::string text();

 private:
  enum class Life : std::uint8_t { outside, waiting, inside, down };

  std::size_t column(NodeId node) const { return node.value * pitch_; }
  std::string_view glyph_of(Life life) const;
  std::vector<Cell> lifelines() const;
  void put(std::vector<Cell>& cells, NodeId node, std::string_view glyph, bool bold = false) const;
  std::vector<Cell> picture(const Row& row);
  void draw_sending(std::vector<Cell>& cells, const Row& row) const;
  void draw_arrival(std::vector<Cell>& cells, const Row& row) const;

  void append(std::string_view text, NodeId colour, bool bold);
  void append_line(const std::string& time, const std::vector<Cell>& cells,
                   const Sentence& sentence, bool bold);
  void append_header();
  void append_wrapped(const std::string& text, bool bold = false);
  void append_legend(std::size_t first);
  bool airy() const;

  const Trace& trace_;
  DiagramOptions options_;
  const Glyphs& glyphs_;
  Rows rows_;
  Narrator narrator_;
  std::vector<Life> life_;

  std::size_t margin_ = 0;  // columns before the first lifeline
  std::size_t pitch_ = 0;   // from one lifeline to the next
  std::size_t room_ = 0;    // for a sentence
  std::string out_;
};

std::size_t columns_of(const Sentence& sentence) {
  std::size_t sum = 0;
  for (const Span& span : sentence) sum += text::columns(span.text);
  return sum;
}

bool Diagram::lay_out() {
  constexpr std::size_t closest = 3;
  constexpr std::size_t comfortable = 4;
  constexpr std::size_t widest = 8;
  constexpr std::size_t least_room = 24;
  std::size_t time_width = 4;
  if (!rows_.rows.empty()) {
    time_width = std::max(time_width, narrator_.time(rows_.rows.back().at).size());
  }
  margin_ = time_width + 3;
  std::size_t longest = least_room;
  for (const Row& row : rows_.rows) longest = std::max(longest, columns_of(narrator_.tell(row)));
  std::size_t name_width = 1;
  for (std::uint32_t i = 0; i < trace_.size; ++i) {
    name_width = std::max(name_width, text::columns(narrator_.name({i})));
  }

  const auto fits = [&](std::size_t pitch, std::size_t room) {
    return margin_ + trace_.size * pitch + room <= options_.width;
  };
  pitch_ = std::max(widest, std::min(name_width + 2, 2 * widest));
  while (pitch_ > comfortable && !fits(pitch_, longest)) --pitch_;
  while (pitch_ > closest && !fits(pitch_, least_room)) --pitch_;
  if (!fits(pitch_, least_room)) return false;
  room_ = options_.width - margin_ - trace_.size * pitch_;
  return true;
}

std::string_view Diagram::glyph_of(Life life) const {
  switch (life) {
    case Life::outside:
      return glyphs_.outside;
    case Life::waiting:
      return glyphs_.waiting;
    case Life::inside:
      return glyphs_.inside;
    case Life::down:
      return " ";
  }
  return " ";
}

void Diagram::put(std::vector<Cell>& cells, NodeId node, std::string_view glyph, bool bold) const {
  // A blank cell has no colour, so that it can be trimmed from a line's end.
  cells[column(node)] = glyph == " " ? Cell{} : Cell{glyph, node, bold};
}

std::vector<Cell> Diagram::lifelines() const {
  std::vector<Cell> cells(trace_.size * pitch_);
  for (std::uint32_t i = 0; i < trace_.size; ++i) {
    put(cells, {i}, glyph_of(life_[i]), life_[i] == Life::inside);
  }
  return cells;
}

// A dot with a stub towards each side that the message goes to.
void Diagram::draw_sending(std::vector<Cell>& cells, const Row& row) const {
  for (const NodeId from : row.nodes) {
    put(cells, from, glyphs_.send, true);
    if (row.peers.front() < from) cells[column(from) - 1] = {glyphs_.line, from, true};
    if (row.peers.back() > from) cells[column(from) + 1] = {glyphs_.line, from, true};
  }
}

// Either one sender and several receivers, or one receiver and several senders.
void Diagram::draw_arrival(std::vector<Cell>& cells, const Row& row) const {
  const NodeId first = std::min(row.nodes.front(), row.peers.front());
  const NodeId last = std::max(row.nodes.back(), row.peers.back());
  const NodeId colour = row.peers.front();
  for (std::size_t x = column(first) + 1; x < column(last); ++x) {
    if (x % pitch_ != 0) cells[x] = {glyphs_.line, colour};
  }
  for (NodeId node = first; node <= last; ++node.value) {
    const bool sends = std::binary_search(row.peers.begin(), row.peers.end(), node);
    const bool gets = std::binary_search(row.nodes.begin(), row.nodes.end(), node);
    if (gets || life_[node.value] == Life::inside) continue;
    if (life_[node.value] == Life::down) {
      if (node != first && node != last) cells[column(node)] = {glyphs_.line, colour};
    } else if (!sends) {
      put(cells, node, glyphs_.across);
    } else {
      put(cells, node,
          node == first  ? glyphs_.tail_at_left
          : node == last ? glyphs_.tail_at_right
                         : glyphs_.tail_between);
    }
  }
  const bool lost = row.kind == TraceKind::drop;
  for (const NodeId node : row.nodes) {
    if (row.peers.front() < node) {
      cells[column(node) - 1] = {lost ? glyphs_.lost : glyphs_.right, colour, true};
    }
    if (row.peers.back() > node) {
      cells[column(node) + 1] = {lost ? glyphs_.lost : glyphs_.left, colour, true};
    }
  }
}

// Returns the row's cells, and brings the lifelines to their state after the row.
std::vector<Cell> Diagram::picture(const Row& row) {
  std::vector<Cell> cells = lifelines();
  const auto mark = [&](std::string_view glyph, std::optional<Life> life = std::nullopt) {
    for (const NodeId node : row.nodes) {
      put(cells, node, glyph, true);
      if (life) life_[node.value] = *life;
    }
  };
  switch (row.kind) {
    case TraceKind::request:
      mark(glyphs_.ask, Life::waiting);
      break;
    case TraceKind::send:
      draw_sending(cells, row);
      break;
    case TraceKind::receive:
    case TraceKind::drop:
      draw_arrival(cells, row);
      break;
    case TraceKind::enter:
      mark(glyphs_.enters, Life::inside);
      break;
    case TraceKind::exit:
    case TraceKind::lose:
      mark(glyphs_.leaves, Life::outside);
      break;
    case TraceKind::elect:
      mark(glyphs_.elect, Life::outside);
      break;
    case TraceKind::timer:
      mark(glyphs_.timer);
      break;
    case TraceKind::suspect:
      mark(glyphs_.suspect);
      break;
    case TraceKind::crash:
      mark(glyphs_.crash, Life::down);
      break;
    case TraceKind::recover:
      mark(glyphs_.recover, Life::outside);
      break;
    case TraceKind::trust:
      mark(glyphs_.trust);
      break;
    case TraceKind::pause:
      mark(glyphs_.pause);
      break;
    case TraceKind::resume:
      mark(glyphs_.resume);
      break;
    case TraceKind::record:
      mark(glyphs_.record);
      break;
    case TraceKind::note:
      mark(glyphs_.note);
      break;
  }
  return cells;
}

void Diagram::append(std::string_view text, NodeId colour, bool bold) {
  if (!options_.colour || (colour == nobody && !bold)) {
    out_ += text;
    return;
  }
  out_ += "\x1b[";
  if (bold) out_ += '1';
  if (colour != nobody) {
    if (bold) out_ += ';';
    out_ += "38;5;" + std::to_string(palette[colour.value % palette.size()]);
  }
  out_ += 'm';
  out_ += text;
  out_ += "\x1b[0m";
}

void Diagram::append_line(const std::string& time, const std::vector<Cell>& cells,
                          const Sentence& sentence, bool bold) {
  const std::size_t start = out_.size();
  out_.append(margin_ - 2 - time.size(), ' ');
  out_ += time + "  ";
  // Neighbours of the same style share one escape.
  for (std::size_t i = 0; i < cells.size();) {
    const Cell& first = cells[i];
    std::string run;
    for (; i < cells.size() && cells[i].colour == first.colour && cells[i].bold == first.bold;
         ++i) {
      run += cells[i].glyph;
    }
    append(run, first.colour, first.bold);
  }
  std::size_t room = room_;
  const bool cut = columns_of(sentence) > room_;
  if (cut) room -= std::min(room, text::columns(glyphs_.ellipsis));
  for (const Span& span : sentence) {
    const std::string text = text::shortened(span.text, room, "");
    append(text, span.colour, bold);
    if (text.size() < span.text.size()) break;
    room -= text::columns(text);
  }
  if (cut) out_ += glyphs_.ellipsis;
  while (out_.size() > start && out_.back() == ' ') out_.pop_back();
  out_ += '\n';
}

void Diagram::append_header() {
  append_wrapped(text::printable(trace_.algorithm, !options_.unicode) + ", " +
                     std::to_string(trace_.size) + (trace_.size == 1 ? " process" : " processes") +
                     ", seed " + std::to_string(trace_.seed),
                 true);
  out_ += '\n';
  out_.append(margin_ - 2 - 4, ' ');
  out_ += "time  ";
  for (std::uint32_t i = 0; i < trace_.size; ++i) {
    const std::string name = text::shortened(narrator_.name({i}), pitch_ - 1, "");
    append(name, {i}, true);
    if (i + 1 < trace_.size) out_.append(pitch_ - text::columns(name), ' ');
  }
  out_ += '\n';
}

void Diagram::append_wrapped(const std::string& text, bool bold) {
  for (const std::string& line : text::wrapped(text, options_.width)) {
    append(line, nobody, bold);
    out_ += '\n';
  }
}

// Explains only the signs that the diagram contains.
void Diagram::append_legend(std::size_t first) {
  std::array<bool, trace_kinds> seen{};
  for (std::size_t i = first; i < rows_.rows.size(); ++i)
    seen[static_cast<std::size_t>(rows_.rows[i].kind)] = true;
  std::string line;
  const auto entry = [&](TraceKind kind, std::initializer_list<std::string_view> glyphs,
                         std::string_view meaning) {
    if (!seen[static_cast<std::size_t>(kind)]) return;
    std::string text;
    for (const std::string_view glyph : glyphs) text += glyph;
    text.append(" ").append(meaning);
    if (!line.empty() && text::columns(line) + 3 + text::columns(text) > options_.width) {
      out_ += line + '\n';
      line.clear();
    }
    if (!line.empty()) line += "   ";
    line += text;
  };
  const Glyphs& g = glyphs_;
  entry(TraceKind::request, {g.ask}, "asks");
  entry(TraceKind::request, {g.waiting}, "waits");
  entry(TraceKind::enter, {g.inside}, "inside");
  entry(TraceKind::send, {g.send}, "sends");
  entry(TraceKind::receive, {g.tail_at_left, g.line, g.line, g.right}, "arrives");
  entry(TraceKind::drop, {g.tail_at_left, g.line, g.line, g.lost}, "is lost");
  entry(TraceKind::elect, {g.elect}, "knows the leader");
  entry(TraceKind::timer, {g.timer}, "timer");
  entry(TraceKind::suspect, {g.suspect}, "suspects");
  entry(TraceKind::crash, {g.crash}, "crashes");
  entry(TraceKind::recover, {g.recover}, "recovers");
  entry(TraceKind::trust, {g.trust}, "trusts again");
  entry(TraceKind::pause, {g.pause}, "pauses");
  entry(TraceKind::resume, {g.resume}, "resumes");
  entry(TraceKind::record, {g.record}, "records its state");
  entry(TraceKind::note, {g.note}, "as told");
  if (!line.empty()) out_ += line + '\n';
}

// Puts a blank line between instants, unless nearly every event has its own instant.
bool Diagram::airy() const {
  std::size_t instants = 0;
  for (std::size_t i = 0; i < rows_.rows.size(); ++i) {
    if (i == 0 || rows_.rows[i].at != rows_.rows[i - 1].at) ++instants;
  }
  return 2 * rows_.rows.size() >= 3 * instants;
}

std::string Diagram::text() {
  append_header();
  const bool air = airy();
  const std::size_t all = rows_.rows.size();
  const std::size_t first = options_.max_rows == 0 ? 0 : all - std::min(options_.max_rows, all);
  if (first > 0) {
    append_wrapped(std::to_string(first) +
                   " earlier rows are not shown; --trace json has everything.");
  }
  for (std::size_t i = 0; i < all; ++i) {
    const Row& row = rows_.rows[i];
    const bool new_instant = i == 0 || i == first || row.at != rows_.rows[i - 1].at;
    if (i >= first && new_instant && (air || i == first)) append_line("", lifelines(), {}, false);
    const std::vector<Cell> cells = picture(row);  // also moves the lifelines on
    if (i < first) continue;
    const bool bold = row.kind == TraceKind::enter || row.kind == TraceKind::crash;
    Sentence sentence = narrator_.tell(row);
    if (columns_of(sentence) > room_) sentence = narrator_.tell(row, true);
    append_line(new_instant ? narrator_.time(row.at) : "", cells, sentence, bold);
  }
  append_line("", lifelines(), {}, false);
  out_ += '\n';
  if (rows_.in_flight > 0) {
    append_wrapped(std::to_string(rows_.in_flight) +
                   (rows_.in_flight == 1 ? " message is" : " messages are") +
                   " still under way at the end.");
  }
  append_legend(first);
  if (!trace_.verdict.empty()) {
    out_ += '\n';
    std::string_view rest = trace_.verdict;
    while (!rest.empty()) {
      const std::size_t end = std::min(rest.find('\n'), rest.size());
      append_wrapped(text::printable(rest.substr(0, end), !options_.unicode), true);
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
  }
  return out_;
}

}  // namespace

std::string draw(const Trace& trace, const DiagramOptions& options) {
  const auto refusal = [&] {
    std::string text;
    for (const std::string& line : text::wrapped(
             std::to_string(trace.size) + " processes need more than " +
                 std::to_string(options.width) + " columns; try --trace json or an export.",
             std::max<std::size_t>(options.width, 1))) {
      text += line + '\n';
    }
    return text;
  };
  // Checked before anything of the group's size is built.
  if (trace.size == 0 || trace.size > options.width) return refusal();
  Diagram diagram(trace, options);
  return diagram.lay_out() ? diagram.text() : refusal();
}

}  // namespace baton::view
