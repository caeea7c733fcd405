// What a journal gives back, whatever it is: refused with a reason, or a state that a server can
// lead on from.
//
// An input is a list of pieces: a snapshot, if it is not empty, and records.
#include "fuzz/conversation.h"
#include "service/state/versions.h"

namespace baton::fuzz {

namespace {

std::string say(const proto::ClientMessage& message) { return message.SerializeAsString(); }

void talk(Conversation& conversation) {
  proto::ClientMessage message;
  message.mutable_hello()->set_protocol(service::protocol_version);
  conversation.receive(0, say(message));
  auto& request = *message.mutable_request();
  request.set_request(1);
  request.mutable_open_session()->set_nonce("nonce");
  request.mutable_open_session()->set_ttl(10'000'000);
  conversation.receive(0, say(message));
  request.set_request(2);
  for (const char* name : {"a", "b"}) request.mutable_acquire()->add_names(name);
  conversation.receive(0, say(message));
}

// Which pieces a store would be an input of.
std::string input_of(const journal::MemoryStore& store) {
  std::string input = as_piece(store.snapshot ? store.snapshot->bytes : "");
  for (const auto& record : store.records) input += as_piece(record.bytes);
  return input;
}

}  // namespace

std::vector<std::string> seeds() {
  std::vector<std::string> all;
  const auto store = std::make_shared<journal::MemoryStore>();
  Conversation conversation(store);
  for (int i = 0; i < 4; ++i) {
    talk(conversation);
    all.push_back(input_of(*store));
    conversation.pass(6'000'000);
    conversation.replace(0);
    if (i % 2 == 0) conversation.crash();
    if (i == 1) conversation.stop();
    all.push_back(input_of(*store));
  }
  return all;
}

}  // namespace baton::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace baton;
  fuzz::Input input(data, size);
  const auto store = std::make_shared<journal::MemoryStore>();
  if (const std::string_view snapshot = input.piece(); !snapshot.empty()) {
    store->snapshot = {++store->last, std::string(snapshot)};
  }
  while (!input.is_over() && store->records.size() < 100) {
    store->records.push_back({++store->last, std::string(input.piece())});
  }
  std::optional<fuzz::Conversation> conversation;
  try {
    conversation.emplace(store);
  } catch (const journal::Unusable&) {
    return 0;
  }
  fuzz::talk(*conversation);
  conversation->pass(5'000'000);
  conversation->check();
  conversation->pass(20'000'000);
  conversation->check();
  return 0;
}
