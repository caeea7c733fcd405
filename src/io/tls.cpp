#include "io/tls.h"

#include <openssl/err.h>
#include <openssl/ssl.h>

#include <algorithm>
#include <array>
#include <climits>
#include <cstring>
#include <stdexcept>

namespace baton::io {

namespace {

constexpr std::size_t bytes_per_step = 16 * 1024;

// The first one of those that came of each other.
std::string what_went_wrong() {
  const unsigned long code = ::ERR_peek_error();
  ::ERR_clear_error();
  if (ERR_SYSTEM_ERROR(code)) return std::strerror(ERR_GET_REASON(code));
  const char* words = ::ERR_reason_error_string(code);
  return words != nullptr ? words : "unknown error";
}

[[noreturn]] void cannot_use(const std::string& what, const std::string& file) {
  throw std::runtime_error("the " + what + " " + file + " cannot be used: " + what_went_wrong());
}

}  // namespace

void TlsContext::Free::operator()(SSL_CTX* context) const { ::SSL_CTX_free(context); }
void TlsStream::Free::operator()(SSL* stream) const { ::SSL_free(stream); }

TlsContext::TlsContext(const TlsFiles& files) : context_(::SSL_CTX_new(::TLS_method())) {
  ::ERR_clear_error();
  SSL_CTX* context = context_.get();
  if (context == nullptr) throw std::runtime_error("TLS: " + what_went_wrong());
  ::SSL_CTX_set_min_proto_version(context, TLS1_3_VERSION);
  // Connections last; there is nothing to be gained by remembering their keys.
  ::SSL_CTX_set_num_tickets(context, 0);
  ::SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
  ::SSL_CTX_set_mode(context, SSL_MODE_RELEASE_BUFFERS);
  if (::SSL_CTX_use_certificate_chain_file(context, files.certificate.c_str()) != 1) {
    cannot_use("certificate", files.certificate);
  }
  if (::SSL_CTX_use_PrivateKey_file(context, files.key.c_str(), SSL_FILETYPE_PEM) != 1) {
    cannot_use("key", files.key);
  }
  if (::SSL_CTX_load_verify_locations(context, files.authority.c_str(), nullptr) != 1) {
    cannot_use("authority's certificate", files.authority);
  }
  ::SSL_CTX_set_verify(context, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, nullptr);
}

TlsStream::TlsStream(const TlsContext& context, bool is_dialer)
    : stream_(::SSL_new(context.get())),
      in_(::BIO_new(::BIO_s_mem())),
      out_(::BIO_new(::BIO_s_mem())) {
  if (!stream_ || in_ == nullptr || out_ == nullptr) throw std::bad_alloc();
  ::SSL_set_bio(stream_.get(), in_, out_);
  if (is_dialer) {
    ::SSL_set_connect_state(stream_.get());
    ::SSL_do_handshake(stream_.get());
  } else {
    ::SSL_set_accept_state(stream_.get());
  }
}

bool TlsStream::is_ready() const { return ::SSL_is_init_finished(stream_.get()) == 1; }

bool TlsStream::take(std::string_view wire, std::string& plain) {
  ::ERR_clear_error();
  while (!wire.empty()) {
    const std::size_t portion = std::min<std::size_t>(wire.size(), INT_MAX);
    ::BIO_write(in_, wire.data(), static_cast<int>(portion));
    wire.remove_prefix(portion);
  }
  if (!is_ready()) {
    const int outcome = ::SSL_do_handshake(stream_.get());
    if (outcome != 1) return fail(outcome);
  }
  std::array<char, bytes_per_step> step;
  while (true) {
    const int count = ::SSL_read(stream_.get(), step.data(), static_cast<int>(step.size()));
    if (count <= 0) return fail(count);
    plain.append(step.data(), static_cast<std::size_t>(count));
  }
}

// True if there is only nothing more for now.
bool TlsStream::fail(int outcome) {
  const int error = ::SSL_get_error(stream_.get(), outcome);
  if (error == SSL_ERROR_WANT_READ) return true;
  if (error == SSL_ERROR_ZERO_RETURN) {
    problem_ = "the other end has said goodbye";
    return false;
  }
  const long verified = ::SSL_get_verify_result(stream_.get());
  problem_ = "TLS: " + what_went_wrong();
  if (verified != X509_V_OK) {
    problem_ += std::string(": its certificate is not accepted: ") +
                ::X509_verify_cert_error_string(verified);
  }
  return false;
}

void TlsStream::say(std::string_view plain) {
  ::ERR_clear_error();
  while (!plain.empty()) {
    const int portion = static_cast<int>(std::min<std::size_t>(plain.size(), INT_MAX));
    const int count = ::SSL_write(stream_.get(), plain.data(), portion);
    if (count <= 0) return;  // the next take() says why
    plain.remove_prefix(static_cast<std::size_t>(count));
  }
}

void TlsStream::drain(std::string& wire) {
  const std::size_t more = ::BIO_ctrl_pending(out_);
  if (more == 0) return;
  const std::size_t before = wire.size();
  wire.resize(before + more);
  ::BIO_read(out_, wire.data() + before, static_cast<int>(more));
}

}  // namespace baton::io
