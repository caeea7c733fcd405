// A server until its input ends, for the programs that have only the client: serve URL
#include <baton/server.h>

#include <cstdio>

int main(int count, char** words) {
  if (count != 2) return 2;
  auto server = baton::Server::start({.listen = {words[1]}}).value();
  std::printf("ready\n");
  std::fflush(stdout);
  while (std::getchar() != EOF) {
  }
}
