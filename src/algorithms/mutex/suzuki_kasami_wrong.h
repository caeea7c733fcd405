// Suzuki–Kasami that serves the last of the token's queue.
//
// Idea: a process that leaves gives the token to the process that joined the queue last. It is safe
// and someone always gets in, but a process at the front of the queue starves as long as two others
// take turns behind it.
#pragma once

#include "algorithms/mutex/suzuki_kasami.h"

namespace baton {

class WrongSuzukiKasamiLastFirst : public SuzukiKasami {
 public:
  using SuzukiKasami::SuzukiKasami;

  void release(Out& out);

  static const Info& info();
};

}  // namespace baton
