// A program that knows nothing of Baton, with a library that does: with_plugin URL
#include <cstdio>

extern "C" bool takes_a_lock(const char* url);

int main(int count, char** words) {
  if (count != 2) return 2;
  const bool does = takes_a_lock(words[1]);
  std::printf("%s\n", does ? "works" : "does not work");
  return does ? 0 : 1;
}
