#include "service/server/log.h"

#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/ansicolor_sink.h>
#include <spdlog/sinks/stdout_sinks.h>

#include <boost/json/serialize.hpp>
#include <boost/json/string.hpp>
#include <utility>

namespace baton::server {

namespace {

// The message as a JSON string, quotes and all.
class JsonMessage final : public spdlog::custom_flag_formatter {
 public:
  void format(const spdlog::details::log_msg& message, const std::tm&,
              spdlog::memory_buf_t& out) override {
    const std::string text = boost::json::serialize(
        boost::json::string(std::string_view(message.payload.data(), message.payload.size())));
    out.append(text.data(), text.data() + text.size());
  }
  std::unique_ptr<custom_flag_formatter> clone() const override {
    return std::make_unique<JsonMessage>();
  }
};

}  // namespace

std::shared_ptr<spdlog::logger> make_log(bool as_json, const std::string& level) {
  auto sink = std::make_shared<spdlog::sinks::stderr_sink_mt>();
  auto log = std::make_shared<spdlog::logger>("baton", sink);
  auto formatter = std::make_unique<spdlog::pattern_formatter>();
  if (as_json) {
    formatter->add_flag<JsonMessage>('*').set_pattern(
        R"({"time":"%Y-%m-%dT%H:%M:%S.%f%z","level":"%l","message":%*})");
  } else {
    formatter->set_pattern("%Y-%m-%d %H:%M:%S.%e %l: %v");
  }
  log->set_formatter(std::move(formatter));
  log->set_level(spdlog::level::from_str(level));
  log->flush_on(spdlog::level::trace);
  return log;
}

}  // namespace baton::server
