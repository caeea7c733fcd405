// A pidfd: a process that cannot be mistaken for a later one of the same id.
#pragma once

#include <sys/types.h>

#include <chrono>

#include "io/descriptor.h"

namespace baton::process {

// The kernel must be 5.3 or newer. (glibc 2.36 declares the system calls without C linkage.)
class Handle {
 public:
  Handle() = default;
  explicit Handle(pid_t process);

  bool send(int signal) const;
  // Whether the process has ended, reaped or not.
  bool has_ended() const { return wait_for_end(std::chrono::milliseconds(0)); }
  bool wait_for_end(std::chrono::milliseconds patience) const;
  // Readable when it has ended.
  int descriptor() const { return descriptor_.get(); }
  explicit operator bool() const { return static_cast<bool>(descriptor_); }
  void close() { descriptor_.close(); }

 private:
  io::Descriptor descriptor_;
};

}  // namespace baton::process
