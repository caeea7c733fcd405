// Debian's gRPC and what it rests on are built without the thread sanitizer, which therefore does
// not see how they synchronise. What is reported from within them says nothing.
#if defined(__SANITIZE_THREAD__)

extern "C" const char* __tsan_default_suppressions();
extern "C" const char* __tsan_default_suppressions() {
  return "race:libgrpc\n"
         "race:libgpr\n"
         "race:libabsl_\n"
         "race:libprotobuf\n"
         "race:libcrypto\n"
         "race:libssl\n"
         "mutex:libabsl_\n"
         "deadlock:libabsl_\n";
}

#endif
