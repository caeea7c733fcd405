// ZooKeeper's client protocol, as much of it as locks need (zookeeper.jute in its sources).
//
// Client and server exchange frames: four bytes of length, big endian, then the body. The first
// exchange opens the session. From then on a request is a header (xid, operation) and its fields; a
// reply is a header (xid, zxid, error) and, without an error, its fields. A session's requests may
// follow each other without waiting: the server executes them in their order and replies in it. Two
// replies carry no xid of the client's: a watch's event and the answer to a ping.
//
// Fields: integers are big endian; a string or a buffer is its length (4 bytes) and its bytes, -1
// for none; a list is its length and its elements.
#pragma once

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

namespace zookeeper {

enum class Operation : std::int32_t {
  create = 1,
  remove = 2,
  get_data = 4,
  set_data = 5,
  get_children = 8,
  ping = 11,
  transaction = 14,
  close = -11,
};

enum class Error : std::int32_t { none = 0, no_node = -101, node_exists = -110 };

enum class Event : std::int32_t { node_deleted = 2, data_changed = 3 };

enum class Kind : std::int32_t { persistent = 0, ephemeral_sequential = 3 };

inline constexpr std::int32_t event_xid = -1;
inline constexpr std::int32_t ping_xid = -2;

// Bytes that are no fields of this protocol.
struct Malformed : std::runtime_error {
  Malformed() : std::runtime_error("its answer ends in the middle of a field") {}
};

class Writer {
 public:
  Writer() : bytes_(4, '\0') {}

  Writer& int32(std::int32_t value) { return big_endian(static_cast<std::uint32_t>(value), 4); }
  Writer& int64(std::int64_t value) { return big_endian(static_cast<std::uint64_t>(value), 8); }
  Writer& boolean(bool value) { return big_endian(value ? 1 : 0, 1); }
  Writer& string(std::string_view text) {
    int32(static_cast<std::int32_t>(text.size()));
    bytes_ += text;
    return *this;
  }

  // The frame, with its length before it.
  std::string frame() {
    const std::size_t length = bytes_.size() - 4;
    for (std::size_t i = 0; i < 4; ++i) bytes_[i] = static_cast<char>(length >> (24 - 8 * i));
    return std::move(bytes_);
  }

 private:
  Writer& big_endian(std::uint64_t value, int size) {
    for (int shift = 8 * (size - 1); shift >= 0; shift -= 8) {
      bytes_ += static_cast<char>(value >> shift);
    }
    return *this;
  }

  std::string bytes_;
};

class Reader {
 public:
  explicit Reader(std::string_view frame) : rest_(frame) {}

  std::int32_t int32() { return static_cast<std::int32_t>(big_endian(4)); }
  std::int64_t int64() { return static_cast<std::int64_t>(big_endian(8)); }
  std::string_view string() {
    const std::int32_t length = int32();
    return length <= 0 ? std::string_view() : take(static_cast<std::size_t>(length));
  }

 private:
  std::string_view take(std::size_t size) {
    if (rest_.size() < size) throw Malformed();
    const std::string_view taken = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return taken;
  }

  std::uint64_t big_endian(std::size_t size) {
    std::uint64_t value = 0;
    for (const char byte : take(size)) value = value << 8 | static_cast<unsigned char>(byte);
    return value;
  }

  std::string_view rest_;
};

inline std::string connect(std::int32_t timeout_ms) {
  const std::string no_password(16, '\0');
  return Writer()
      .int32(0)  // the protocol's version
      .int64(0)  // the last zxid seen
      .int32(timeout_ms)
      .int64(0)  // a new session
      .string(no_password)
      .boolean(false)  // not read-only
      .frame();
}

// What the server says to it: how long the session lives without a word; 0 if it has refused.
inline std::int32_t granted_timeout_ms(std::string_view frame) {
  Reader fields(frame);
  fields.int32();
  return fields.int32();
}

inline Writer request(std::int32_t xid, Operation operation) {
  Writer writer;
  writer.int32(xid).int32(static_cast<std::int32_t>(operation));
  return writer;
}

inline std::string create(std::int32_t xid, std::string_view path, Kind kind) {
  constexpr std::int32_t all_permissions = 31;
  return request(xid, Operation::create)
      .string(path)
      .int32(-1)  // no data
      .int32(1)   // entries of its access control list
      .int32(all_permissions)
      .string("world")
      .string("anyone")
      .int32(static_cast<std::int32_t>(kind))
      .frame();
}

inline constexpr std::int32_t any_version = -1;

inline std::string remove(std::int32_t xid, std::string_view path) {
  return request(xid, Operation::remove).string(path).int32(any_version).frame();
}

// Both or neither. Who watches the node is told of the first.
inline std::string change_and_remove(std::int32_t xid, std::string_view path) {
  const auto part = [](Writer& writer, std::int32_t operation, bool is_last) {
    writer.int32(operation).boolean(is_last).int32(-1);
  };
  Writer writer = request(xid, Operation::transaction);
  part(writer, static_cast<std::int32_t>(Operation::set_data), false);
  writer.string(path).int32(-1).int32(any_version);  // no data
  part(writer, static_cast<std::int32_t>(Operation::remove), false);
  writer.string(path).int32(any_version);
  part(writer, -1, true);
  return writer.frame();
}

inline std::string get_data(std::int32_t xid, std::string_view path, bool watch) {
  return request(xid, Operation::get_data).string(path).boolean(watch).frame();
}

inline std::string get_children(std::int32_t xid, std::string_view path) {
  return request(xid, Operation::get_children).string(path).boolean(false).frame();
}

inline std::string ping() { return request(ping_xid, Operation::ping).frame(); }

inline std::string close(std::int32_t xid) { return request(xid, Operation::close).frame(); }

struct ReplyHeader {
  explicit ReplyHeader(Reader& fields) : xid(fields.int32()) {
    fields.int64();
    error = static_cast<Error>(fields.int32());
  }

  std::int32_t xid;
  Error error;
};

// Whether a transaction was. One that was not has no error in its header: its results are errors.
inline bool is_carried_out(Reader& results) {
  constexpr std::int32_t error = -1;
  return results.int32() != error;
}

}  // namespace zookeeper
