// An authority of one's own and a certificate of it, made by openssl in a folder: NAME.pem, and
// NAME-member.pem with NAME-member.key.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <string>

namespace baton::test {

inline void make_certificates(const std::filesystem::path& folder, const std::string& name) {
  const auto run = [&](const std::string& command) {
    const std::string line = "cd " + folder.string() + " && openssl " + command + " 2>openssl.log";
    if (std::system(line.c_str()) != 0) throw std::runtime_error("openssl " + command);
  };
  const std::string a_key = "-newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes ";
  run("req -x509 " + a_key + "-days 2 -subj /CN=" + name + " -keyout " + name + ".key -out " +
      name + ".pem");
  run("req " + a_key + "-subj /CN=member -keyout " + name + "-member.key -out " + name + ".csr");
  run("x509 -req -days 2 -in " + name + ".csr -CA " + name + ".pem -CAkey " + name +
      ".key -CAcreateserial -out " + name + "-member.pem");
}

}  // namespace baton::test
