#include "service/http/fields.h"

#include <boost/json.hpp>
#include <charconv>
#include <cmath>

#include "core/duration.h"
#include "service/http/refused.h"
#include "service/http/text.h"

namespace baton::http {

namespace {

namespace json = boost::json;

std::string quoted(const std::string& name) { return "'" + name + "'"; }

json::object parse(const std::string& body) {
  if (body.empty()) throw Refused("the body is empty: it must be a JSON object");
  json::error_code error;
  json::value value = json::parse(body, error);
  if (error) throw Refused("the body is not JSON: " + error.message());
  if (!value.is_object()) throw Refused("the body must be a JSON object");
  return std::move(value.as_object());
}

service::Duration seconds(const std::string& name, double count) {
  constexpr double ten_years = 10.0 * 365 * 24 * 3600;
  if (!(count >= 0 && count <= ten_years)) throw Refused(quoted(name) + " is out of bounds");
  return {std::llround(count * 1e6)};
}

}  // namespace

Fields::Fields(const Request& request)
    : is_query_(request.method == "GET" || request.method == "DELETE") {
  if (!is_query_) {
    object_ = parse(request.body);
    return;
  }
  for (const auto& [name, value] : request.query) {
    if (object_.contains(name)) throw Refused(quoted(name) + " is given twice");
    object_[name] = value;
  }
}

const json::value* Fields::find(const std::string& name) {
  asked_.insert(name);
  const auto at = object_.find(name);
  return at == object_.end() || at->value().is_null() ? nullptr : &at->value();
}

std::optional<std::string> Fields::text(const std::string& name) {
  const json::value* value = find(name);
  if (value == nullptr) return std::nullopt;
  if (!value->is_string()) throw Refused(quoted(name) + " must be a text");
  return std::string(value->as_string());
}

std::string Fields::required_text(const std::string& name) {
  auto value = text(name);
  if (!value) throw Refused(quoted(name) + " is missing");
  return *value;
}

bool Fields::flag(const std::string& name) {
  const json::value* value = find(name);
  if (value == nullptr) return false;
  if (value->is_bool()) return value->as_bool();
  if (is_query_ && value->as_string() == "true") return true;
  if (is_query_ && value->as_string() == "false") return false;
  throw Refused(quoted(name) + " must be true or false");
}

std::optional<std::uint64_t> Fields::number(const std::string& name, std::uint64_t most) {
  const json::value* value = find(name);
  if (value == nullptr) return std::nullopt;
  std::uint64_t number = 0;
  bool is_number = false;
  if (value->is_int64() && value->as_int64() >= 0) {
    number = static_cast<std::uint64_t>(value->as_int64());
    is_number = true;
  } else if (value->is_uint64()) {
    number = value->as_uint64();
    is_number = true;
  } else if (is_query_) {
    const auto& digits = value->as_string();
    const auto [end, error] = std::from_chars(digits.begin(), digits.end(), number);
    is_number = !digits.empty() && error == std::errc() && end == digits.end();
  }
  if (!is_number) throw Refused(quoted(name) + " must be a whole number");
  if (number > most) {
    throw Refused(quoted(name) + " is at most " + std::to_string(most));
  }
  return number;
}

std::optional<service::Duration> Fields::duration(const std::string& name) {
  const json::value* value = find(name);
  if (value == nullptr) return std::nullopt;
  if (value->is_number()) return seconds(name, value->to_number<double>());
  const auto parsed =
      value->is_string() ? parse_duration(std::string(value->as_string())) : std::nullopt;
  if (!parsed) {
    throw Refused(quoted(name) + " must be a length of time such as \"500ms\", \"30s\" or \"1h\"");
  }
  return service::Duration{parsed->count()};
}

std::optional<std::string> Fields::bytes(const std::string& name) {
  auto plain = text(name);
  const auto coded = text(name + "_base64");
  if (plain && coded)
    throw Refused("give either " + quoted(name) + " or " + quoted(name + "_base64"));
  if (!coded) return plain;
  auto decoded = base64_decoded(*coded);
  if (!decoded) throw Refused(quoted(name + "_base64") + " is not base64");
  return decoded;
}

std::vector<std::string> Fields::names() {
  const auto one = text("name");
  const json::value* several = find("names");
  if (one && several != nullptr) throw Refused("give either 'name' or 'names', not both");
  if (one) return {*one};
  if (several == nullptr) throw Refused("'names' is missing");
  if (!several->is_array()) throw Refused("'names' must be a list of texts");
  std::vector<std::string> result;
  for (const json::value& name : several->as_array()) {
    if (!name.is_string()) throw Refused("'names' must be a list of texts");
    result.emplace_back(name.as_string());
  }
  return result;
}

void Fields::done() const {
  for (const auto& entry : object_) {
    if (!asked_.contains(std::string(entry.key()))) {
      throw Refused("there is no field " + quoted(std::string(entry.key())) + " here");
    }
  }
}

}  // namespace baton::http
