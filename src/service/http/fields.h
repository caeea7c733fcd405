// The fields of a request: the JSON object in its body, or the parameters of its query.
//
// The API reads each field by name. done() refuses the request if it has a field that the API did
// not read. All errors are Refused, and name the field.
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
