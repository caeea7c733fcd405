// What no lock service on this machine can go below, to compare Baton's latency with.
//
//   lock_floors echo [--tcp] [--seconds S] [--bytes B]
//   lock_floors append|overwrite [--seconds S] [--bytes B] FOLDER
//
// echo: a message of B bytes goes to another process over a Unix socket (or TCP on loopback) and
// comes back; the two processes are pinned to two cores (to one, if there is only one). append: B
// bytes are written to the end of a file in FOLDER and synced (fdatasync), as a journal without
// batches does. overwrite: the same within a file that is already as long as it needs to be, so
// that only data and not the file's length goes to the disk; a journal that recycles its file comes
// close to that.
//
// Prints one JSON line in the shape of the lock benchmarks: pairs_per_s counts round trips or
// synced writes.
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sched.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "lock_load.h"

namespace {

using peers::Clock;

[[noreturn]] void fail(const char* what) {
  peers::fail(fmt::format("lock_floors: {}: {}", what, std::strerror(errno)));
}

// Pins the caller to the number-th of the cores it may use.
void pin(int number) {
  cpu_set_t allowed;
  if (sched_getaffinity(0, sizeof allowed, &allowed) != 0) fail("sched_getaffinity");
  number %= CPU_COUNT(&allowed);
  for (int core = 0; core < CPU_SETSIZE; ++core) {
    if (!CPU_ISSET(core, &allowed) || number-- != 0) continue;
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(core, &one);
    if (sched_setaffinity(0, sizeof one, &one) != 0) fail("sched_setaffinity");
    return;
  }
}

// False at the end of the stream.
bool read_all(int socket, std::vector<char>& message) {
  for (std::size_t have = 0; have < message.size();) {
    const auto got = read(socket, message.data() + have, message.size() - have);
    if (got == 0) return false;
    if (got < 0 && errno != EINTR) fail("read");
    if (got > 0) have += static_cast<std::size_t>(got);
  }
  return true;
}

void write_all(int file, const std::vector<char>& message) {
  for (std::size_t done = 0; done < message.size();) {
    const auto put = write(file, message.data() + done, message.size() - done);
    if (put < 0 && errno != EINTR) fail("write");
    if (put > 0) done += static_cast<std::size_t>(put);
  }
}

template <class Step>
peers::Figures repeat(const peers::LoadOptions& options, const Step& step) {
  const peers::Window window(options);
  peers::Figures figures;
  for (auto begin = Clock::now(); !window.over(begin);) {
    step();
    const auto end = Clock::now();
    if (window.counts(end)) figures.count(end - begin);
    begin = end;
  }
  return figures;
}

// Two ends of one connection over TCP on loopback, which send at once.
void connect_tcp(int (&sockets)[2]) {
  sockaddr_in name{};
  name.sin_family = AF_INET;
  name.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t length = sizeof name;
  auto* address = reinterpret_cast<sockaddr*>(&name);
  const int listener = socket(AF_INET, SOCK_STREAM, 0);
  if (bind(listener, address, length) != 0 || listen(listener, 1) != 0) fail("listen");
  if (getsockname(listener, address, &length) != 0) fail("getsockname");
  sockets[0] = socket(AF_INET, SOCK_STREAM, 0);
  if (connect(sockets[0], address, length) != 0) fail("connect");
  sockets[1] = accept(listener, nullptr, nullptr);
  if (sockets[1] < 0) fail("accept");
  close(listener);
  const int yes = 1;
  for (const int end : sockets) setsockopt(end, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
}

peers::Figures echo(const peers::LoadOptions& options, std::size_t bytes, bool tcp) {
  int sockets[2];
  if (tcp) {
    connect_tcp(sockets);
  } else if (socketpair(AF_UNIX, SOCK_STREAM, 0, sockets) != 0) {
    fail("socketpair");
  }
  std::vector<char> message(bytes, 'b');
  const pid_t other = fork();
  if (other < 0) fail("fork");
  if (other == 0) {
    close(sockets[0]);
    pin(1);
    while (read_all(sockets[1], message)) write_all(sockets[1], message);
    _exit(0);
  }
  close(sockets[1]);
  pin(0);
  auto figures = repeat(options, [&] {
    write_all(sockets[0], message);
    if (!read_all(sockets[0], message)) fail("the other process ended");
  });
  close(sockets[0]);
  int status = 0;
  if (waitpid(other, &status, 0) != other || status != 0) fail("the other process failed");
  return figures;
}

// A file without a name, which is gone with its process.
int open_scratch(const std::string& folder) {
  const int file = open(folder.c_str(), O_RDWR | O_TMPFILE | O_CLOEXEC, 0600);
  if (file >= 0) return file;
  std::string name = folder + "/lock_floors.XXXXXX";
  const int named = mkstemp(name.data());
  if (named < 0) fail(folder.c_str());
  unlink(name.c_str());
  return named;
}

peers::Figures append(const peers::LoadOptions& options, std::size_t bytes) {
  const int file = open_scratch(options.endpoint);
  const std::vector<char> record(bytes, 'b');
  return repeat(options, [&] {
    write_all(file, record);
    if (fdatasync(file) != 0) fail("fdatasync");
  });
}

peers::Figures overwrite(const peers::LoadOptions& options, std::size_t bytes) {
  constexpr std::size_t records = 1000;
  const int file = open_scratch(options.endpoint);
  const std::vector<char> record(bytes, 'b');
  for (std::size_t i = 0; i < records; ++i) write_all(file, record);
  if (fsync(file) != 0) fail("fsync");
  std::size_t next = records;
  return repeat(options, [&] {
    if (next++ == records) {
      if (lseek(file, 0, SEEK_SET) != 0) fail("lseek");
      next = 1;
    }
    write_all(file, record);
    if (fdatasync(file) != 0) fail("fdatasync");
  });
}

}  // namespace

int main(int argc, char** argv) {
  peers::LoadOptions options;
  options.endpoint = ".";
  options.warmup_s = 0.2;
  std::string floor;
  std::size_t bytes = 64;
  bool tcp = false;
  baton::cli::Command app("lock_floors", "Measures what no lock service can go below.");
  app.add_option("FLOOR", floor, "echo, append or overwrite")
      .required()
      .one_of({"echo", "append", "overwrite"});
  app.add_option("FOLDER", options.endpoint, "where the file is written");
  app.add_option("--seconds", options.seconds, "how long to measure").between(0.01, 3600.0);
  app.add_option("--warmup", options.warmup_s, "seconds before that, which do not count")
      .between(0.0, 3600.0);
  app.add_option("--bytes", bytes, "of a message or a record").between(1, 1 << 20);
  app.add_flag("--tcp", tcp, "an echo over loopback instead of a Unix socket");
  peers::parse(app, argc, argv);

  auto figures = floor == "echo"     ? echo(options, bytes, tcp)
                 : floor == "append" ? append(options, bytes)
                                     : overwrite(options, bytes);
  figures.print(floor, options.seconds);
}
