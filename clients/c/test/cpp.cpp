// The header for C++, without exceptions and without RTTI.
#include "../latchkey.hpp"

#include "service.h"

#include <atomic>
#include <cstring>
#include <future>

namespace {

latchkey::Options optionsOf(service &world) {
    const latchkey_options given = service_options(&world);
    latchkey::Options options;
    options.servers = {"https://licenses.example.com"};
    options.productId = "paint";
    options.fingerprint = "9d2f7c51e8a04b36";
    options.transport = given.transport;
    options.store = given.store;
    options.clock = given.clock;
    return options;
}

void testClient() {
    service world = service_begin();
    auto options = optionsOf(world);
    std::vector<std::string> seen;
    options.onChange = [&seen](const latchkey::State &state) { seen.emplace_back(state.name()); };
    latchkey::Client client(options);
    CHECK(client);
    CHECK(client.start() == LATCHKEY_OK && !client.mayRun());
    latchkey::Error error;
    world.refusal = "wrong_product";
    CHECK(client.activate("AAAAA-BBBBB", &error) == LATCHKEY_ERROR_REFUSED &&
          std::string(error.code) == "wrong_product");
    world.refusal = nullptr;
    CHECK(client.activate("AAAAA-BBBBB") == LATCHKEY_OK && client.mayRun());
    CHECK(seen == std::vector<std::string>{"licensed"});
    const auto counted = client.consume("exports", 3);
    CHECK(counted && counted->remaining == 6 && !client.consume("exports", -1, {}, &error));
    CHECK(client.startTrial("indie") == LATCHKEY_OK);
    const auto state = client.state();
    CHECK(state.status == LATCHKEY_LICENSED && state.untilTime().has_value() && !state.sinceTime().has_value());
    CHECK(latchkey::toText(state.until).size() == 24 && latchkey::toText(LATCHKEY_NONE).empty());
    CHECK(std::get<std::string>(*client.feature("edition")) == "Studio");
    CHECK(std::get<std::int64_t>(*client.feature("seats")) == 5 && client.has("export") && !client.has("missing"));
    CHECK(client.exportRequest("AAAAA-BBBBB")->rfind("-----BEGIN LATCHKEY REQUEST-----", 0) == 0);
    CHECK(client.importFile("nothing", &error) == LATCHKEY_ERROR_FILE && error.file_problem == LATCHKEY_FILE_FORMAT);
    latchkey::Client moved = std::move(client);
    CHECK(!client && moved.mayRun());
    CHECK(moved.deactivate() == LATCHKEY_OK);
    moved.close();
    latchkey::Client wrong(latchkey::Options{}, &error);
    CHECK(!wrong && error.result == LATCHKEY_ERROR_OPTION);
}

void testWorker() {
    service world = service_begin();
    latchkey::Client client(optionsOf(world));
    std::promise<latchkey::Result> activated;
    {
        latchkey::Worker worker(client);
        worker.post([&activated](latchkey::Client &own) { activated.set_value(own.activate("AAAAA-BBBBB")); });
        CHECK(activated.get_future().get() == LATCHKEY_OK);
        CHECK(client.mayRun());
    }
    CHECK(client.mayRun() && world.stored != nullptr);
    free(world.stored);
}

} // namespace

int main() {
    testClient();
    testWorker();
    (void)std::puts("C++ uses the client");
    return 0;
}
