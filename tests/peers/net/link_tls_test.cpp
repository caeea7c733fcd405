// Links over TLS: who has a certificate of the group's authority is let in, and nobody else.
#include <filesystem>

#include "peers/net/link_fixture.h"
#include "support/certificates.h"

namespace baton::net {
namespace {

namespace fs = std::filesystem;
using Texts = std::vector<std::string>;

class LinkTls : public LinkTest {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / ("baton-link-tls-" + std::to_string(::getpid()));
    fs::remove_all(folder_);
    fs::create_directories(folder_);
    test::make_certificates(folder_, "ours");
    test::make_certificates(folder_, "theirs");
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::string file(const std::string& name) const { return (folder_ / name).string(); }
  io::TlsFiles certified_by(const std::string& authority) const {
    return {file(authority + "-member.pem"), file(authority + "-member.key"), file("ours.pem")};
  }
  LinkOptions with_tls(NodeId self, const std::string& authority = "ours") const {
    LinkOptions with = options(self);
    with.tls = certified_by(authority);
    return with;
  }

 private:
  fs::path folder_;
};

TEST_F(LinkTls, CarriesWhatIsSent) {
  begin(two, with_tls(b));
  begin(one, with_tls(a));
  const std::string large(largest_message, 'x');
  for (int i = 0; i < 100; ++i) {
    one.links->link(b).send(std::to_string(i));
    two.links->link(a).send(std::to_string(i));
  }
  one.links->link(b).send(large);
  two.links->link(a).send(large);
  ASSERT_TRUE(wait_until([&] { return two.got(a).size() == 101 && one.got(b).size() == 101; }));
  for (std::size_t i = 0; i < 100; ++i) {
    EXPECT_EQ(two.got(a)[i], std::to_string(i));
    EXPECT_EQ(one.got(b)[i], std::to_string(i));
  }
  EXPECT_EQ(two.got(a)[100], large);
  EXPECT_EQ(one.got(b)[100], large);
}

TEST_F(LinkTls, NothingCanBeReadOnTheWay) {
  begin(two, with_tls(b));
  RawPeer peer(ports[1]);
  peer.greet(hello_of_a());
  ASSERT_TRUE(wait_until([&] { return peer.is_over(); }));
  EXPECT_EQ(peer.refusal(), "this group uses TLS, and the connection came without");
  EXPECT_FALSE(two.links->link(a).is_connected());
}

TEST_F(LinkTls, SurvivesBrokenConnections) {
  begin(two, with_tls(b));
  proxy.lead_to(ports[1]);
  LinkOptions with = with_tls(a);
  with.members[1].address.port = proxy.port();
  std::size_t limit = 0;
  proxy.cut_after([&] { return limit += 97; });
  begin(one, with);
  std::size_t sent = 0;
  ASSERT_TRUE(wait_until([&] {
    if (sent < two.got(a).size() + 50) one.links->link(b).send(std::to_string(sent++));
    return proxy.cuts() >= 60;
  }));
  proxy.never_cut();
  proxy.cut_all();
  ASSERT_TRUE(wait_until([&] { return two.got(a).size() >= sent; }));
  ASSERT_EQ(two.got(a).size(), sent);
  for (std::size_t i = 0; i < sent; ++i) ASSERT_EQ(two.got(a)[i], std::to_string(i));
}

TEST_F(LinkTls, ADialerOfAnotherAuthorityIsTurnedAway) {
  begin(two, with_tls(b));
  begin(one, with_tls(a, "theirs"));
  ASSERT_TRUE(wait_until(
      [&] { return one.events.count("refused") > 0 && two.events.count("refused") > 0; }));
  EXPECT_NE(two.events.told[0].find("its certificate is not accepted"), std::string::npos)
      << two.events.told[0];
  EXPECT_NE(one.events.told[0].find("refused b: TLS: "), std::string::npos) << one.events.told[0];
  settle();
  EXPECT_EQ(two.events.count("connected"), 0);
  EXPECT_EQ(one.events.count("connected"), 0);
}

TEST_F(LinkTls, OneOfAnotherAuthorityThatAnswersIsTurnedAway) {
  begin(two, with_tls(b, "theirs"));
  begin(one, with_tls(a));
  ASSERT_TRUE(wait_until(
      [&] { return one.events.count("refused") > 0 && two.events.count("refused") > 0; }));
  EXPECT_NE(one.events.told[0].find("its certificate is not accepted"), std::string::npos)
      << one.events.told[0];
  settle();
  EXPECT_EQ(one.events.count("connected") + two.events.count("connected"), 0);
}

TEST_F(LinkTls, OneWithoutTlsIsTold) {
  begin(two, with_tls(b));
  begin(one, options(a));
  ASSERT_TRUE(wait_until([&] { return one.events.count("refused") > 0; }));
  EXPECT_EQ(one.events.told,
            Texts{"refused b: it says: this group uses TLS, and the connection came without"});
  EXPECT_EQ(two.events.told,
            Texts{"refused ?: this group uses TLS, and the connection came without (from "
                  "127.0.0.1)"});
}

TEST_F(LinkTls, OneWithTlsAmongThoseWithoutIsTold) {
  begin(two, options(b));
  begin(one, with_tls(a));
  ASSERT_TRUE(wait_until([&] { return one.events.count("refused") > 0; }));
  EXPECT_EQ(
      one.events.told,
      Texts{"refused b: it says: the connection came with TLS, but this group does not use TLS"});
}

TEST_F(LinkTls, AnAnswerWithoutTlsIsNoAnswer) {
  // One that waits for b's calls, and greets it without TLS.
  boost::asio::ip::tcp::acceptor acceptor(io, {boost::asio::ip::address_v4::loopback(), 0});
  LinkOptions with = with_tls(b);
  with.members[2].address.port = acceptor.local_endpoint().port();
  begin(two, with);
  boost::asio::ip::tcp::socket socket(io);
  bool is_accepted = false;
  acceptor.async_accept(socket, [&](const boost::system::error_code&) { is_accepted = true; });
  ASSERT_TRUE(wait_until([&] { return is_accepted; }));
  Hello hello = hello_of_a();
  hello.from = "c";
  std::string bytes;
  const std::size_t begin = begin_frame(bytes, FrameKind::hello);
  bytes += encode_hello(hello);
  end_frame(bytes, begin);
  boost::asio::write(socket, boost::asio::buffer(bytes));
  ASSERT_TRUE(wait_until([&] { return two.events.count("refused") > 0; }));
  EXPECT_EQ(two.events.told, Texts{"refused c: this group uses TLS, and the answer came without"});
}

TEST_F(LinkTls, SaysWhichFileIsWrong) {
  LinkOptions with = with_tls(a);
  with.tls->key = file("theirs-member.key");
  try {
    Links links(io, with, one.events);
    FAIL() << "a key of another certificate";
  } catch (const std::runtime_error& error) {
    EXPECT_EQ(std::string(error.what()).find("the key " + with.tls->key + " cannot be used: "), 0U)
        << error.what();
  }
  with.tls = certified_by("ours");
  with.tls->authority = file("nothing.pem");
  try {
    Links links(io, with, one.events);
    FAIL() << "no authority";
  } catch (const std::runtime_error& error) {
    EXPECT_NE(std::string(error.what()).find("No such file"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace baton::net
