// Stands between two ends of a link, and breaks what it carries: cuts connections at any byte, or
// falls silent without closing them.
#pragma once

#include <array>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/write.hpp>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <set>

namespace baton::net {

class LinkProxy {
 public:
  using Tcp = boost::asio::ip::tcp;

  explicit LinkProxy(boost::asio::io_context& io)
      : io_(io), acceptor_(io, {boost::asio::ip::address_v4::loopback(), 0}) {
    accept();
  }

  std::uint16_t port() const { return acceptor_.local_endpoint().port(); }
  void lead_to(std::uint16_t port) { target_ = port; }
  // Asked at each new connection: after how many bytes, of both directions, it is cut.
  void cut_after(std::function<std::size_t()> bytes) { bytes_before_cut_ = std::move(bytes); }
  void never_cut() { bytes_before_cut_ = nullptr; }
  std::size_t cuts() const { return cuts_; }
  std::size_t connections() const { return connections_; }

  void cut_all() {
    const auto pairs = pairs_;
    for (const auto& pair : pairs) close(pair);
  }
  // The connections that stand carry nothing any more; new ones do.
  void freeze() {
    for (const auto& pair : pairs_) pair->is_frozen = true;
  }

 private:
  struct Pair {
    Pair(Tcp::socket one, boost::asio::io_context& io) : near(std::move(one)), far(io) {}
    Tcp::socket near;
    Tcp::socket far;
    std::array<char, 4096> outward;
    std::array<char, 4096> inward;
    std::size_t left = SIZE_MAX;
    bool is_frozen = false;
  };
  using PairPtr = std::shared_ptr<Pair>;

  void accept() {
    acceptor_.async_accept([this](const boost::system::error_code& error, Tcp::socket socket) {
      if (error) return;
      connect(std::make_shared<Pair>(std::move(socket), io_));
      accept();
    });
  }
  void connect(const PairPtr& pair) {
    pairs_.insert(pair);
    ++connections_;
    if (bytes_before_cut_) pair->left = bytes_before_cut_();
    pair->far.async_connect({boost::asio::ip::address_v4::loopback(), target_},
                            [this, pair](const boost::system::error_code& error) {
                              if (error) return close(pair);
                              carry(pair, pair->near, pair->far, pair->outward);
                              carry(pair, pair->far, pair->near, pair->inward);
                            });
  }
  void carry(const PairPtr& pair, Tcp::socket& from, Tcp::socket& to,
             std::array<char, 4096>& bytes) {
    from.async_read_some(
        boost::asio::buffer(bytes), [this, pair, &from, &to, &bytes](
                                        const boost::system::error_code& error, std::size_t count) {
          if (pair->is_frozen) return;
          if (error) return close(pair);
          const std::size_t portion = std::min(count, pair->left);
          pair->left -= pair->left == SIZE_MAX ? 0 : portion;
          boost::asio::async_write(to, boost::asio::buffer(bytes.data(), portion),
                                   [this, pair, &from, &to, &bytes](
                                       const boost::system::error_code& failed, std::size_t) {
                                     if (failed) return close(pair);
                                     if (pair->left > 0) return carry(pair, from, to, bytes);
                                     cuts_ += pairs_.contains(pair) ? 1 : 0;
                                     close(pair);
                                   });
        });
  }
  void close(const PairPtr& pair) {
    pairs_.erase(pair);
    boost::system::error_code ignored;
    pair->near.close(ignored);
    pair->far.close(ignored);
  }

  boost::asio::io_context& io_;
  Tcp::acceptor acceptor_;
  std::uint16_t target_ = 0;
  std::function<std::size_t()> bytes_before_cut_;
  std::set<PairPtr> pairs_;
  std::size_t cuts_ = 0;
  std::size_t connections_ = 0;
};

}  // namespace baton::net
