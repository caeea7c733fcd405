#include "baton/asio.h"

#include "service/client/access.h"

namespace baton {
inline namespace v1 {

boost::asio::any_io_executor executor_of(Client& client) {
  return detail::Access::core(client).context().get_executor();
}

}  // namespace v1
}  // namespace baton
