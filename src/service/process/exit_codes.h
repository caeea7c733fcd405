// The exit codes of a command that runs another one while it holds a lock. Whatever the command
// itself exits with is passed through, so these are chosen away from what commands commonly use:
// docs/running-commands.md says what each means to a script.
#pragma once

namespace baton::process {

namespace exit_code {
inline constexpr int unavailable = 69;  // the service cannot be reached (EX_UNAVAILABLE)
// Another client holds the lock, now or until the end of the wait (EX_TEMPFAIL: try again later).
// Not 1 as with flock: most commands that ran and failed exit with 1.
inline constexpr int conflict = 75;
inline constexpr int lost = 123;    // the lock was lost; what the command had started is stopped
inline constexpr int failed = 125;  // baton itself failed
inline constexpr int not_executable = 126;
inline constexpr int not_found = 127;
}  // namespace exit_code

}  // namespace baton::process
