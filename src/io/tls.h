// TLS where both ends of a connection belong together, as the members of a group of peers do: each
// has a certificate of their own authority, and asks for the other's.
//
// TLS works on buffers in memory, so that a connection reads and writes its socket in the same way
// with TLS and without.
#pragma once

#include <memory>
#include <string>
#include <string_view>

typedef struct ssl_ctx_st SSL_CTX;
typedef struct ssl_st SSL;
typedef struct bio_st BIO;

namespace baton::io {

// All PEM.
struct TlsFiles {
  std::string certificate;
  std::string key;
  std::string authority;  // whose certificates are accepted
};

class TlsContext {
 public:
  // Throws std::runtime_error, which says which file is wrong and why.
  explicit TlsContext(const TlsFiles& files);
  SSL_CTX* get() const { return context_.get(); }

 private:
  struct Free {
    void operator()(SSL_CTX* context) const;
  };
  std::unique_ptr<SSL_CTX, Free> context_;
};

// One connection.
class TlsStream {
 public:
  TlsStream(const TlsContext& context, bool is_dialer);

  // Decrypts bytes from the socket and appends the result to `plain`. False if the connection is
  // over; problem() says why.
  bool take(std::string_view wire, std::string& plain);
  // Only when is_ready().
  void say(std::string_view plain);
  // Appends what is to be written to the socket.
  void drain(std::string& wire);

  // This end has checked the other's certificate and has sent its own.
  bool is_ready() const;
  const std::string& problem() const { return problem_; }

 private:
  bool fail(int outcome);

  struct Free {
    void operator()(SSL* stream) const;
  };
  std::unique_ptr<SSL, Free> stream_;
  BIO* in_;
  BIO* out_;
  std::string problem_;
};

}  // namespace baton::io
