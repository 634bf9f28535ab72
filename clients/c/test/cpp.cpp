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
    std::string refusedUse, logged;
    options.stolenKeys = {"stolen"};
    options.offlineUses = 1;
    options.onUseRefused = [&refusedUse](const latchkey::Use &use, std::string_view code) {
        refusedUse = std::string(use.meter) + " " + std::string(code);
    };
    options.onLog = [&logged](std::string_view text) { logged = text; };
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
    world.refusal = "";
    CHECK(client.consume("exports", 2)->is_queued);
    world.refusal = nullptr;
    world.refused_use = "\"units\":2";
    world.fails_to_write = true;
    service_pass(&world, 3000);
    CHECK(client.check() == LATCHKEY_OK && client.activateAgain() == LATCHKEY_OK);
    CHECK(refusedUse == "exports meter_limit" && logged.find("No space left") != std::string::npos);
    world.refused_use = nullptr;
    world.fails_to_write = false;
    const auto state = client.state();
    CHECK(state.status == LATCHKEY_LICENSED && state.untilTime().has_value() && !state.sinceTime().has_value());
    CHECK(latchkey::toText(state.until).size() == 24 && latchkey::toText(LATCHKEY_NONE).empty());
    CHECK(std::get<std::string>(*client.feature("edition")) == "Studio");
    CHECK(std::get<std::int64_t>(*client.feature("seats")) == 5 && client.has("export") && !client.has("missing"));
    CHECK(std::get<bool>(*client.feature("export")) && client.has("seats") && client.has("edition"));
    CHECK(client.exportRequest("AAAAA-BBBBB")->rfind("-----BEGIN LATCHKEY REQUEST-----", 0) == 0);
    CHECK(client.importFile("nothing", &error) == LATCHKEY_ERROR_FILE && error.file_problem == LATCHKEY_FILE_FORMAT);
    latchkey::Client moved = std::move(client);
    CHECK(!client && moved.mayRun());
    CHECK(moved.deactivate() == LATCHKEY_OK);
    moved.close();
}

/** An app that is set up wrongly says so, and does not crash. */
void testNoClient() {
    latchkey::Error error;
    latchkey::Client wrong(latchkey::Options{}, &error);
    CHECK(!wrong && error.result == LATCHKEY_ERROR_OPTION);
    const std::string mistake = error.message;
    CHECK(mistake.rfind("servers", 0) == 0);
    latchkey::Client none;
    for (auto *client : {&wrong, &none}) {
        const std::string expected = client == &wrong ? mistake : "the client has no options";
        for (const auto &operation : std::vector<std::function<latchkey::Result(latchkey::Error *)>>{
                 [client](auto *found) { return client->start(found); },
                 [client](auto *found) { return client->activate("AAAAA-BBBBB", found); },
                 [client](auto *found) { return client->activateAgain(found); },
                 [client](auto *found) { return client->startTrial({}, {}, found); },
                 [client](auto *found) { return client->check(found); },
                 [client](auto *found) { return client->deactivate(found); },
                 [client](auto *found) { return client->importFile("nothing", found); },
             }) {
            latchkey::Error found;
            CHECK(operation(&found) == LATCHKEY_ERROR_OPTION && found.message == expected);
            CHECK(operation(nullptr) == LATCHKEY_ERROR_OPTION);
        }
        latchkey::Error counted, exported;
        CHECK(!client->consume("exports", 1, {}, &counted) && counted.message == expected);
        CHECK(!client->exportRequest("AAAAA-BBBBB", &exported) && exported.message == expected);
        CHECK(client->work() == std::chrono::seconds(2) && !client->mayRun() && !client->has("export"));
        CHECK(client->state().status == LATCHKEY_UNLICENSED && !client->state().untilTime());
        CHECK(!client->feature("export"));
        client->close();
        latchkey::Worker worker(*client);
    }
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
    testNoClient();
    testWorker();
    (void)std::puts("C++ uses the client");
    return 0;
}
