// What a request says, field by field: the JSON object in its body, or the parameters of its query.
//
// Each field is asked for by name; what was never asked for is unknown, and refused by done(). All
// complaints are Refused, and name the field.
#pragma once

#include <boost/json/object.hpp>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "service/http/exchange.h"
#include "service/state/command.h"

namespace baton::http {

class Fields {
 public:
  // The body; the query, if the method has no body.
  explicit Fields(const Request& request);

  bool has(const std::string& name) const { return object_.contains(name); }
  std::optional<std::string> text(const std::string& name);
  std::string required_text(const std::string& name);
  bool flag(const std::string& name);
  std::optional<std::uint64_t> number(const std::string& name, std::uint64_t most = UINT64_MAX);
  // "30s", or a number of seconds.
  std::optional<service::Duration> duration(const std::string& name);
  // A value that may be any bytes: NAME, or NAME_base64.
  std::optional<std::string> bytes(const std::string& name);
  // "names":["a","b"], or "name":"a".
  std::vector<std::string> names();

  void done() const;

 private:
  const boost::json::value* find(const std::string& name);

  boost::json::object object_;
  std::set<std::string> asked_;
  bool is_query_ = false;
};

}  // namespace baton::http
