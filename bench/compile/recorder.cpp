// Runs a compiler and notes what it cost: recorder COMMAND…, as CMAKE_CXX_COMPILER_LAUNCHER.
// Appends to the file that BATON_BENCH_RECORD names one line: CPU seconds, the largest memory of
// one of its processes in KiB, and what was compiled. bench/build compiles and uses it.
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

int main(int count, char** words) {
  if (count < 2) return 2;
  const pid_t child = fork();
  if (child == 0) {
    execvp(words[1], words + 1);
    std::perror(words[1]);
    _exit(127);
  }
  int status = 0;
  rusage used{};
  if (child < 0 || wait4(child, &status, 0, &used) != child) return 125;
  const char* output = "";
  for (int i = 1; i + 1 < count; ++i) {
    if (std::strcmp(words[i], "-o") == 0) output = words[i + 1];
  }
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
  };
  char line[4096];
  const int size =
      std::snprintf(line, sizeof line, "%.3f %ld %s\n",
                    seconds(used.ru_utime) + seconds(used.ru_stime), used.ru_maxrss, output);
  // One write, so that lines of compilers that run at the same time do not mix.
  if (const char* path = std::getenv("BATON_BENCH_RECORD"); path != nullptr) {
    const int file = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    if (file < 0 || write(file, line, static_cast<size_t>(size)) != size) return 125;
    close(file);
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
