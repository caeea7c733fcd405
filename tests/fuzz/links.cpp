// What members of a group say to each other: any bytes are refused or understood, and what is
// understood is written again as it was.
#include "fuzz/fuzz.h"
#include "io/frames.h"
#include "peers/net/hello.h"
#include "peers/net/link_frame.h"

namespace baton {

namespace {

using namespace net;

std::string frame(FrameKind kind, std::string_view body) {
  std::string bytes;
  append_frame(bytes, kind, body);
  return bytes;
}

std::string some_messages() {
  std::string body;
  append_varint(body, 300);
  append_message(body, "request 17", Delivery::reliable);
  append_message(body, "", Delivery::reliable);
  append_message(body, "heartbeat", Delivery::unreliable);
  return body;
}

void take_hello(std::string_view body) {
  std::string problem;
  const auto hello = decode_hello(body, problem);
  fuzz::demand(hello.has_value() == problem.empty(), "a greeting that is refused has a reason");
  if (!hello) return;
  fuzz::demand(encode_hello(*hello) == body, "a greeting is read as it was written");
  const std::string why = why_not_alike(*hello, {"orchestra", "maekawa", "b", "a", 1});
  fuzz::demand(printable(why, why.size()) == why, "words have no control characters");
}

void take_refusal(std::string_view body) {
  const auto words = decode_refusal(body);
  if (!words) return;
  fuzz::demand(words->size() <= longest_refusal, "words are not too long");
  fuzz::demand(printable(*words) == *words, "words have no control characters");
}

void take_messages(std::string_view body) {
  MessagesReader reader(body);
  std::string again;
  append_varint(again, reader.confirmed());
  while (const auto message = reader.next()) {
    fuzz::demand(message->bytes.size() <= largest_message, "a message is not too long");
    append_message(again, message->bytes, message->delivery);
  }
  if (reader.is_good()) fuzz::demand(again == body, "messages are read as they were written");
}

}  // namespace

std::vector<std::string> fuzz::seeds() {
  const Hello hello{"orchestra", "maekawa", "a", "b", 18446744073709551615U, 17, true, 3, 4, 5};
  return {
      frame(FrameKind::hello, encode_hello(hello)) + frame(FrameKind::messages, some_messages()),
      frame(FrameKind::hello, encode_hello({"orchestra", "maekawa", "a", "b"})),
      frame(FrameKind::refusal, encode_refusal("'a' runs maekawa, 'b' runs lamport")),
      frame(FrameKind::messages, some_messages())};
}

}  // namespace baton

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace baton;
  io::FrameCutter cutter;
  cutter.feed(fuzz::text_of(data, size), [](std::string_view bytes) {
    if (bytes.empty()) return true;
    const std::string_view body = bytes.substr(1);
    switch (static_cast<FrameKind>(bytes.front())) {
      case FrameKind::hello:
        take_hello(body);
        break;
      case FrameKind::refusal:
        take_refusal(body);
        break;
      case FrameKind::messages:
        take_messages(body);
        break;
    }
    return true;
  });
  return 0;
}
