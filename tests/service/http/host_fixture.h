// A server with HTTP in this process, on a thread of its own.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <functional>
#include <future>
#include <memory>
#include <string>
#include <thread>

#include "service/http/http_client.h"
#include "service/http/server.h"
#include "service/server/host.h"

namespace baton::http {

class HostTest : public testing::Test {
 protected:
  void SetUp() override {
    directory = std::filesystem::temp_directory_path() /
                ("baton-http-test-" + std::to_string(::getpid()) + "-" +
                 testing::UnitTest::GetInstance()->current_test_info()->name());
    std::filesystem::remove_all(directory);
    std::filesystem::create_directories(directory);
    options.journal = "memory:";
    options.listen = {"unix:" + (directory / "socket").string()};
    http.listen = {"127.0.0.1:0"};
  }
  void TearDown() override {
    stop();
    std::filesystem::remove_all(directory);
  }

  void start() {
    std::promise<void> ready;
    options.on_ready = [&ready] { ready.set_value(); };
    options.side_server = [this](server::Host& its_host) {
      auto made = side_server(http)(its_host);
      url = made->addresses().at(0);
      return made;
    };
    host = std::make_unique<server::Host>(options);
    thread = std::thread([this] { host->run(); });
    ready.get_future().wait();
  }
  // Cleanly.
  void stop() {
    if (!thread.joinable()) return;
    host->stop();
    thread.join();
    host.reset();
  }

  Answer get(const std::string& target) { return ask(url, "GET", target); }
  Answer post(const std::string& target, const std::string& body, const std::string& header = {}) {
    return ask(url, "POST", target, body, header);
  }
  Answer put(const std::string& body) { return ask(url, "PUT", "/v1/files", body); }
  std::string open(const std::string& ttl = "60s") {
    return post("/v1/sessions", "{\"ttl\":\"" + ttl + "\"}").session();
  }
  static std::string lock_body(const std::string& session, const std::string& name,
                               const std::string& more = {}) {
    return "{\"session\":\"" + session + "\",\"name\":\"" + name + "\"" + more + "}";
  }
  Answer lock(const std::string& session, const std::string& name, const std::string& more = {}) {
    return post("/v1/lock", lock_body(session, name, more));
  }
  Answer unlock(const std::string& session, const std::string& name) {
    return post("/v1/unlock", lock_body(session, name));
  }
  Answer keep_alive(const std::string& session) {
    return post("/v1/keepalive", "{\"session\":\"" + session + "\"}");
  }
  // Asks, and does not wait for the answer.
  TestClient begin(const std::string& target, const std::string& body,
                   const std::string& header = {}) {
    TestClient client(url);
    client.send(TestClient::text_of("POST", target, body, header));
    return client;
  }
  std::uint64_t status(const std::string& what) { return get("/v1/status").number(what); }

  static bool becomes_true(const std::function<bool()>& is_so) {
    const auto deadline = std::chrono::steady_clock::now() + patience;
    while (std::chrono::steady_clock::now() < deadline) {
      if (is_so()) return true;
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    return false;
  }
  bool wait_for(const std::string& what, std::uint64_t count) {
    return becomes_true([&] { return status(what) == count; });
  }

  std::filesystem::path directory;
  server::HostOptions options;
  Options http;
  std::string url;
  std::unique_ptr<server::Host> host;
  std::thread thread;
};

}  // namespace baton::http
