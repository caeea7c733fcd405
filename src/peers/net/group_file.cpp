#include "peers/net/group_file.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <set>
#include <utility>

#include "core/duration.h"
#include "peers/net/catalog.h"

namespace baton::net {

namespace {

constexpr std::size_t longest_word = 64;

std::string_view trimmed(std::string_view text) {
  const auto is_space = [](char c) { return c == ' ' || c == '\t' || c == '\r'; };
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  return text;
}

class Parser {
 public:
  Parser(std::string_view text, const std::string& source) : text_(text), source_(source) {}

  GroupFile parse() {
    while (!text_.empty()) {
      ++line_;
      const std::size_t end = std::min(text_.find('\n'), text_.size());
      take(text_.substr(0, end));
      text_.remove_prefix(std::min(end + 1, text_.size()));
    }
    line_ = 0;
    if (group_.members.empty()) fail("it has no members: member ID = HOST:PORT");
    const int tls = !tls_.certificate.empty() + !tls_.key.empty() + !tls_.authority.empty();
    if (tls != 0 && tls != 3) fail("TLS takes all three of certificate, key and authority");
    if (tls == 3) group_.tls = tls_;
    return std::move(group_);
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw GroupFileError(source_ + (line_ > 0 ? ", line " + std::to_string(line_) : "") + ": " +
                         what);
  }

  void take(std::string_view line) {
    // As some editors begin a file.
    if (line_ == 1 && line.starts_with("\xEF\xBB\xBF")) line.remove_prefix(3);
    line = trimmed(line.substr(0, line.find('#')));
    if (line.empty()) return;
    const std::size_t equals = line.find('=');
    if (equals == line.npos) fail("expected NAME = VALUE");
    const std::string_view name = trimmed(line.substr(0, equals));
    const std::string value(trimmed(line.substr(equals + 1)));
    if (value.empty()) fail("there is nothing after the =");
    if (name.starts_with("member ") || name.starts_with("member\t")) {
      return member(std::string(trimmed(name.substr(7))), value);
    }
    setting(std::string(name), value);
  }

  void setting(const std::string& name, const std::string& value) {
    if (name == "member") fail("whose address is it? member ID = HOST:PORT");
    if (!known_.insert(name).second) fail("`" + name + "` was set before");
    if (name == "group") {
      group_.group = word(value);
    } else if (name == "algorithm") {
      group_.algorithm = value;
    } else if (name == "election") {
      group_.election = value;
    } else if (name == "heartbeat") {
      const auto length = parse_duration(value);
      if (!length || *length < std::chrono::milliseconds(5) || *length > std::chrono::seconds(60)) {
        fail("heartbeat is a time from 5ms to 60s, such as 100ms");
      }
      group_.heartbeat = std::chrono::duration_cast<std::chrono::milliseconds>(*length);
    } else if (name == "patience") {
      group_.patience = count(name, value);
    } else if (name == "lease") {
      group_.lease = count(name, value);
    } else if (name == "certificate") {
      tls_.certificate = path(value);
    } else if (name == "key") {
      tls_.key = path(value);
    } else if (name == "authority") {
      tls_.authority = path(value);
    } else {
      fail(
          "there is no setting `" + name +
          "`: group, algorithm, election, member ID, heartbeat, patience, lease, certificate, key, "
          "authority");
    }
  }

  void member(const std::string& id, const std::string& address) {
    word(id);
    if (group_.find(id) != nobody) fail("there are two members `" + id + "`");
    const auto found = io::parse_host_port(address);
    if (!found || found->host.empty() || found->port == 0) {
      fail("`" + address + "` is no HOST:PORT");
    }
    const auto place = [](const io::HostPort& one) {
      return std::pair(one.host == "localhost" ? "127.0.0.1" : one.host, one.port);
    };
    for (const LinkMember& other : group_.members) {
      if (place(other.address) == place(*found)) {
        fail("members `" + other.id + "` and `" + id + "` have the same address");
      }
    }
    if (group_.members.size() == most_members) {
      fail("a group has at most " + std::to_string(most_members) + " members");
    }
    group_.members.push_back({id, *found});
  }

  std::string word(const std::string& text) const {
    const bool is_plain = std::all_of(text.begin(), text.end(), [](char c) {
      return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
             c == '-' || c == '_' || c == '.';
    });
    if (text.empty() || text.size() > longest_word || !is_plain) {
      fail("`" + text + "` is no name: up to 64 letters, digits, - _ .");
    }
    return text;
  }

  std::uint32_t count(const std::string& name, const std::string& value) const {
    std::uint32_t number = 0;
    const char* const behind = value.data() + value.size();
    const auto [end, error] = std::from_chars(value.data(), behind, number);
    if (error != std::errc() || end != behind || number < 2 || number > 1000) {
      fail(name + " is a number of heartbeats from 2 to 1000");
    }
    return number;
  }

  std::string path(const std::string& value) const {
    const std::size_t slash = source_.rfind('/');
    if (value.starts_with('/') || slash == source_.npos) return value;
    return source_.substr(0, slash + 1) + value;
  }

  std::string_view text_;
  const std::string& source_;
  int line_ = 0;
  std::set<std::string> known_;
  GroupFile group_;
  io::TlsFiles tls_;
};

const AnyClass& known(const std::string& name, Kind kind, const char* wanted) {
  const AnyClass* found = net::find(name);
  if (found == nullptr) {
    throw GroupFileError("`" + name + "` cannot run between processes: " + why_not_runnable(name) +
                         ". `baton peer --algorithms` lists those that can");
  }
  if (found->info().kind != kind) throw GroupFileError(name + " is no " + wanted);
  if (const std::string objection = objection_to(*found); !objection.empty()) {
    throw GroupFileError(objection);
  }
  return *found;
}

}  // namespace

NodeId GroupFile::find(std::string_view id) const {
  for (std::uint32_t i = 0; i < members.size(); ++i) {
    if (members[i].id == id) return {i};
  }
  return nobody;
}

std::string GroupFile::dialect() const {
  std::string words = algorithm + ", elections by " + election + ", heartbeats of " +
                      std::to_string(heartbeat.count()) + " ms, patience " +
                      std::to_string(patience) + ", lease " + std::to_string(lease) + ", members";
  for (const LinkMember& member : members) words += " " + member.id;
  return words;
}

GroupFile parse_group(std::string_view text, const std::string& source) {
  return Parser(text, source).parse();
}

GroupFile read_group(const std::string& path) {
  if (std::filesystem::is_directory(path)) {
    throw GroupFileError("cannot read the group file " + path + ": it is a folder");
  }
  std::ifstream file(path);
  if (!file) throw GroupFileError("cannot read the group file " + path);
  const std::string text(std::istreambuf_iterator<char>(file), {});
  return parse_group(text, path);
}

Trace trace_of(const GroupFile& group) {
  Trace trace;
  trace.algorithm = group.algorithm;
  trace.size = static_cast<std::uint32_t>(group.members.size());
  bool are_numbers = true;
  for (std::uint32_t i = 0; i < trace.size; ++i) {
    trace.names.push_back(group.members[i].id);
    are_numbers = are_numbers && trace.names.back() == std::to_string(i);
  }
  if (are_numbers) trace.names.clear();
  return trace;
}

void check_algorithms(const GroupFile& group) {
  known(group.algorithm, Kind::mutual_exclusion, "lock");
  known(group.election, Kind::election, "election");
}

}  // namespace baton::net
