#include "service/client/outbox.h"

#include "io/frames.h"

namespace baton::client {

void Outbox::send(const proto::ClientMessage& message) { io::append_frame(frames, message); }

}  // namespace baton::client
