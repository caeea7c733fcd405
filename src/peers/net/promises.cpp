#include "peers/net/promises.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <string_view>

#include "core/decode.h"
#include "core/fnv.h"
#include "io/descriptor.h"

namespace baton::net {

namespace {

constexpr std::string_view heading = "baton peer 1\n";

class InMemory final : public Promises {
 public:
  const Membership::Durable& kept() const override { return kept_; }
  void keep(const Membership::Durable& durable) override { kept_ = durable; }
  void leave() override {}
  bool was_cut_short() const override { return false; }

 private:
  Membership::Durable kept_;
};

// The file has two copies, written in turn: a crash can damage only the copy that is being written.
// The first copy is written before the member promises anything.
class InFile final : public Promises {
 public:
  InFile(std::string path, std::uint32_t group_size, std::string whose)
      : path_(std::move(path)), whose_(std::move(whose)) {
    file_ = io::Descriptor(::open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
    if (!file_) fail("cannot open it");
    if (::flock(file_.get(), LOCK_EX | LOCK_NB) != 0) {
      throw PromisesError(path_ + ": another process runs this member");
    }
    struct stat status {};
    if (::fstat(file_.get(), &status) != 0) fail("cannot look at it");
    bool found = false;
    for (std::size_t slot = 0; slot < 2; ++slot) found = read(slot, group_size) || found;
    was_cut_short_ = kept_.incarnation != Incarnation{} && !has_left_;
    if (found && found_of_ == whose_) return;
    if (found) {
      throw PromisesError(path_ + ": these are the promises of " + found_of_ + ", not of " +
                          whose_ +
                          ". Members cannot be added or removed: stop all of them, and begin "
                          "another group, with another name and other folders");
    }
    if (is_beginning(static_cast<std::size_t>(status.st_size))) {
      write();
      sync_folder();
    } else {
      throw PromisesError(path_ +
                          ": these are no promises of a member, or they are damaged. A member must "
                          "not forget what it promised: stop all members, and begin another group, "
                          "with another name and other folders");
    }
  }

  const Membership::Durable& kept() const override { return kept_; }

  void keep(const Membership::Durable& durable) override {
    kept_ = durable;
    has_left_ = false;
    ++turn_;
    write();
  }
  void leave() override {
    has_left_ = true;
    ++turn_;
    write();
  }
  bool was_cut_short() const override { return was_cut_short_; }

 private:
  static constexpr std::size_t slot_size = 64 * 1024;

  [[noreturn]] void fail(const char* what) const {
    throw PromisesError(path_ + ": " + what + ": " + std::strerror(errno));
  }

  std::string copy() const {
    std::string body;
    reflect::encode(turn_, body);
    reflect::encode(whose_, body);
    reflect::encode(kept_, body);
    reflect::encode(has_left_, body);
    std::string bytes(heading);
    reflect::encode(fnv1a(body), bytes);
    reflect::encode(static_cast<std::uint64_t>(body.size()), bytes);
    bytes += body;
    if (bytes.size() > slot_size)
      throw PromisesError(path_ + ": the promises do not fit into the file");
    bytes.resize(slot_size);
    return bytes;
  }

  void write() const {
    const std::string bytes = copy();
    const auto at = static_cast<off_t>((turn_ % 2) * slot_size);
    if (::pwrite(file_.get(), bytes.data(), bytes.size(), at) !=
        static_cast<ssize_t>(bytes.size())) {
      fail("cannot write it");
    }
    if (::fdatasync(file_.get()) != 0) fail("cannot make it durable");
  }

  // Syncs the folder too: if a crash lost the new file, the member would break its promises.
  void sync_folder() const {
    const std::size_t slash = path_.rfind('/');
    const std::string folder = slash == path_.npos ? "." : path_.substr(0, slash + 1);
    const io::Descriptor opened(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!opened || ::fsync(opened.get()) != 0) fail("cannot make its folder durable");
  }

  // Only part of the very first copy reached the disk. The member had promised nothing yet, so it
  // may begin with a new file.
  bool is_beginning(std::size_t size) const {
    const std::string first = copy();
    if (size > first.size()) return false;
    std::string bytes(size, '\0');
    if (::pread(file_.get(), bytes.data(), size, 0) != static_cast<ssize_t>(size)) return false;
    for (std::size_t i = 0; i < size; ++i) {
      if (bytes[i] != '\0' && bytes[i] != first[i]) return false;
    }
    return true;
  }

  // The newer of the two counts.
  bool read(std::size_t slot, std::uint32_t group_size) {
    std::string bytes(slot_size, '\0');
    const ssize_t count =
        ::pread(file_.get(), bytes.data(), bytes.size(), static_cast<off_t>(slot * slot_size));
    if (count < static_cast<ssize_t>(heading.size()) || !bytes.starts_with(heading)) return false;
    reflect::Reader from(std::string_view(bytes).substr(heading.size()), group_size);
    const std::uint64_t sum = from.number();
    const std::size_t size = from.count();
    if (!from.ok()) return false;
    const std::string_view body = from.rest().substr(0, size);
    if (fnv1a(body) != sum) return false;
    reflect::Reader inside(body, group_size);
    const std::uint64_t turn = inside.number();
    std::string whose;
    if (!reflect::decode(inside, whose)) return false;
    found_of_ = whose;
    // Of a group of another size the rest cannot be read.
    if (whose != whose_) return true;
    Membership::Durable durable;
    bool has_left = false;
    if (!reflect::decode(inside, durable) || !reflect::decode(inside, has_left)) return false;
    if (!inside.rest().empty()) return false;
    if (turn < turn_) return true;
    turn_ = turn;
    kept_ = std::move(durable);
    has_left_ = has_left;
    return true;
  }

  std::string path_;
  std::string whose_;
  std::string found_of_;
  io::Descriptor file_;
  std::uint64_t turn_ = 0;
  Membership::Durable kept_;
  bool has_left_ = false;
  bool was_cut_short_ = false;
};

}  // namespace

std::unique_ptr<Promises> Promises::open(const std::string& path, std::uint32_t group_size,
                                         const std::string& whose) {
  if (path.empty()) return std::make_unique<InMemory>();
  return std::make_unique<InFile>(path, group_size, whose);
}

}  // namespace baton::net
