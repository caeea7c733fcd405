// Frames of the client protocol: four bytes of length, big endian, then one message.
#pragma once

#include <string>

#include "io/frame_cutter.h"

namespace google::protobuf {
class MessageLite;
}

namespace baton::server {

using loop::frame_header;
using loop::FrameCutter;
// What a client that reclaims some ten thousand locks at once needs; all else is far smaller.
using loop::largest_frame;

void append_frame(std::string& out, const google::protobuf::MessageLite& message);

}  // namespace baton::server
