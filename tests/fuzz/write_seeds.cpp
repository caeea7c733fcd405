// For libFuzzer: writes the seeds into the folder BATON_FUZZ_SEEDS, if that is set, and ends.
#include <cstdlib>
#include <filesystem>
#include <string>

#include "fuzz/fuzz.h"

extern "C" int LLVMFuzzerInitialize(int*, char***) {
  const char* folder = std::getenv("BATON_FUZZ_SEEDS");
  if (folder == nullptr) return 0;
  std::filesystem::create_directories(folder);
  std::size_t number = 0;
  for (const std::string& seed : baton::fuzz::seeds()) {
    baton::fuzz::write_file(folder + ("/seed-" + std::to_string(++number)), seed);
  }
  std::exit(0);
}
