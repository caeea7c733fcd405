// A group whose members know each other by certificates.
#include <gtest/gtest.h>

#include <fstream>

#include "peers/member/band.h"
#include "support/certificates.h"

namespace baton::test {
namespace {

class Certified : public testing::Test {
 protected:
  Certified() : band({.starts = false}) {
    make_certificates(band.file(""), "ours");
    make_certificates(band.file(""), "theirs");
    for (std::size_t i = 0; i < band.size(); ++i) plain.push_back(contents(band.group_file(i)));
  }

  // Paths are relative to the group's file.
  void certify(std::size_t member, const std::string& by) {
    std::ofstream(band.group_file(member))
        << plain[member] << "certificate = " << by << "-member.pem\nkey = " << by
        << "-member.key\nauthority = ours.pem\n";
  }
  Outcome lock(std::size_t member) const {
    return baton("lock --url " + band.url(member) + " --wait 30s till -- true");
  }

  Band band;
  std::vector<std::string> plain;
};

TEST_F(Certified, MembersShareTheirLocks) {
  for (std::size_t i = 0; i < band.size(); ++i) certify(i, "ours");
  for (std::size_t i = 0; i < band.size(); ++i) band.start(i);
  band.wait_until_all_work();
  for (std::size_t i = 0; i < band.size(); ++i) EXPECT_EQ(lock(i).code, 0) << band.logs();
  band.kill(0);
  EXPECT_EQ(lock(1).code, 0) << band.logs();
  band.start(0);
  band.wait_until_all_work();
}

TEST_F(Certified, OthersAreTurnedAwayAndBothSidesSayWhy) {
  certify(0, "ours");
  certify(1, "theirs");
  for (const std::size_t member : {0, 1, 2}) band.start(member);
  EXPECT_TRUE(band.will_say(0, "its certificate is not accepted")) << band.log(0);
  EXPECT_TRUE(band.will_say(0, "TLS, but this group does not use TLS")) << band.log(0);
  EXPECT_TRUE(band.will_say(1, "TLS")) << band.log(1);
  EXPECT_TRUE(band.will_say(2, "the connection came with TLS")) << band.log(2);
  const auto status = band.status(0);
  ASSERT_TRUE(status);
  EXPECT_TRUE(has(status->trouble, "only 1 of 3 members can be reached")) << status->trouble;
}

TEST_F(Certified, AFileThatIsMissingIsNamed) {
  std::ofstream(band.group_file(0)) << plain[0] << "certificate = ours-member.pem\n";
  expect_refused(band.command(0), "certificate, key and authority");
  std::ofstream(band.group_file(0))
      << plain[0] << "certificate = none.pem\nkey = ours-member.key\nauthority = ours.pem\n";
  const Outcome outcome = baton(band.command(0));
  EXPECT_EQ(outcome.code, 2) << outcome.err;
  EXPECT_TRUE(has(outcome.err, "none.pem")) << outcome.err;
}

}  // namespace
}  // namespace baton::test
