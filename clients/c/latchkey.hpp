/*
 * The client of Latchkey for C++17: owns a client of latchkey.h, and gives its values the types of C++. Works with
 * exceptions and RTTI off: functions return a Result, and nothing throws but the containers that run out of memory.
 */
#ifndef LATCHKEY_HPP
#define LATCHKEY_HPP

#include "latchkey.h"

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <cstdio>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <variant>
#include <vector>

namespace latchkey {

using Consumption = latchkey_consumption;
using Error = latchkey_error;
using Facts = latchkey_facts;
using Problem = latchkey_problem;
using Release = latchkey_release;
using Result = latchkey_result;
using Status = latchkey_status;
using Use = latchkey_use;
using TimePoint = std::chrono::system_clock::time_point;
/** The value of a feature: a right, a number or a text. */
using FeatureValue = std::variant<bool, std::int64_t, std::string>;

/** A time of the client; nothing for LATCHKEY_NONE. */
inline std::optional<TimePoint> toTime(std::int64_t milliseconds) noexcept {
    if (milliseconds == LATCHKEY_NONE) return std::nullopt;
    return TimePoint(std::chrono::duration_cast<TimePoint::duration>(std::chrono::milliseconds(milliseconds)));
}

/** ISO 8601 in UTC of a time of the client; empty for LATCHKEY_NONE. */
inline std::string toText(std::int64_t milliseconds) {
    char text[LATCHKEY_TIME_SIZE];
    if (milliseconds == LATCHKEY_NONE) return {};
    const int length = latchkey_format_time(milliseconds, text);
    return std::string(text, static_cast<std::size_t>(length));
}

/** The state of the license on this machine; every field of latchkey_state, and its texts and times. */
struct State : latchkey_state {
    std::string_view name() const noexcept { return latchkey_status_name(status); }
    std::string_view problemName() const noexcept { return latchkey_problem_name(problem); }
    std::optional<TimePoint> untilTime() const noexcept { return toTime(until); }
    std::optional<TimePoint> sinceTime() const noexcept { return toTime(since); }
};

/** The options of a client, see latchkey_options. Empty texts and zero times have their defaults. */
struct Options {
    std::vector<std::string> servers;
    std::string productId;
    /** Those that `list-signing-keys --as c` prints. Their texts must outlive the constructor of the client. */
    std::vector<latchkey_public_key> publicKeys;
    std::string issuer;
    std::vector<std::string> stolenKeys;
    latchkey_transport transport{};
    std::string directory;
    latchkey_store store{};
    std::string fingerprint;
    std::string hostname;
    std::string user;
    std::string buildDate;
    std::string version;
    std::chrono::milliseconds heartbeat{0};
    std::chrono::milliseconds requestTimeout{0};
    Release release = LATCHKEY_RELEASE_SMALL_POOLS;
    bool asksBeforeActivating = false;
    std::chrono::milliseconds grace{0};
    std::chrono::milliseconds floatingGrace{0};
    int offlineUses = 0;
    /** Called by the thread that works, after every change of the state. May only read the client. */
    std::function<void(const State &)> onChange;
    /** Called for a stored use that the service refused, with the code of the refusal. May only read the client. */
    std::function<void(const Use &, std::string_view)> onUseRefused;
    std::function<void(std::string_view)> onLog;
    latchkey_clock clock{};
    latchkey_verifier verifier{};
};

/**
 * A license of an app. Without options, with wrong ones, or after a move from it, it is false and unlicensed, the app
 * may not run, and every operation returns the error of its creation.
 */
class Client {
  public:
    Client() noexcept {
        creation.result = LATCHKEY_ERROR_OPTION;
        creation.limit = creation.retry_after_ms = creation.resets_at = LATCHKEY_NONE;
        std::snprintf(creation.message, sizeof creation.message, "the client has no options");
    }

    explicit Client(const Options &options, Error *error = nullptr) : Client() {
        listeners = std::make_unique<Listeners>(Listeners{options.onChange, options.onUseRefused, options.onLog});
        std::vector<const char *> servers, stolen;
        for (const auto &server : options.servers) servers.push_back(server.c_str());
        for (const auto &id : options.stolenKeys) stolen.push_back(id.c_str());
        latchkey_options given{};
        given.servers = servers.data();
        given.server_count = servers.size();
        given.product_id = options.productId.c_str();
        given.public_keys = options.publicKeys.data();
        given.public_key_count = options.publicKeys.size();
        given.issuer = orNull(options.issuer);
        given.stolen_keys = stolen.data();
        given.stolen_key_count = stolen.size();
        given.transport = options.transport;
        given.directory = orNull(options.directory);
        given.store = options.store;
        given.fingerprint = orNull(options.fingerprint);
        given.hostname = orNull(options.hostname);
        given.user = orNull(options.user);
        given.build_date = orNull(options.buildDate);
        given.version = orNull(options.version);
        given.heartbeat_ms = options.heartbeat.count();
        given.request_timeout_ms = options.requestTimeout.count();
        given.release = options.release;
        given.asks_before_activating = options.asksBeforeActivating;
        given.grace_ms = options.grace.count();
        given.grace_floating_ms = options.floatingGrace.count();
        given.offline_uses = options.offlineUses;
        given.clock = options.clock;
        given.verifier = options.verifier;
        given.context = listeners.get();
        given.on_change = [](void *context, const latchkey_state *state) {
            const auto &onChange = static_cast<Listeners *>(context)->onChange;
            if (onChange) onChange(State{*state});
        };
        given.on_use_refused = [](void *context, const latchkey_use *use, const char *code) {
            const auto &onUseRefused = static_cast<Listeners *>(context)->onUseRefused;
            if (onUseRefused) onUseRefused(*use, code);
        };
        given.on_log = [](void *context, const char *text) {
            const auto &onLog = static_cast<Listeners *>(context)->onLog;
            if (onLog) onLog(text);
        };
        Error found;
        handle.reset(latchkey_create(&given, &found));
        if (error != nullptr) *error = found;
        if (!handle) creation = found;
    }

    explicit operator bool() const noexcept { return handle != nullptr; }

    /* These wait for files and calls. */
    Result start(Error *error = nullptr) noexcept {
        return handle ? latchkey_start(handle.get(), error) : noClient(error);
    }
    std::chrono::milliseconds work() noexcept {
        return handle ? std::chrono::milliseconds(latchkey_work(handle.get())) : std::chrono::seconds(2);
    }
    Result activate(const std::string &licenseKey, Error *error = nullptr) noexcept {
        return handle ? latchkey_activate(handle.get(), licenseKey.c_str(), error) : noClient(error);
    }
    /** Takes a slot again with the stored key. */
    Result activateAgain(Error *error = nullptr) noexcept {
        return handle ? latchkey_activate(handle.get(), nullptr, error) : noClient(error);
    }
    /** Takes the trial of this machine, without a key; empty texts are left out. Does nothing while the app may run. */
    Result startTrial(const std::string &variant = {}, const std::string &email = {}, Error *error = nullptr) noexcept {
        return handle ? latchkey_start_trial(handle.get(), orNull(variant), orNull(email), error) : noClient(error);
    }
    /** Counts a use, or stores it; nothing for an error. An empty `requestId` lets the client draw one. */
    std::optional<Consumption> consume(const std::string &meter, std::int64_t units = 1,
                                       const std::string &requestId = {}, Error *error = nullptr) noexcept {
        const Use use{meter.c_str(), units, orNull(requestId)};
        Consumption became;
        const Result result = handle ? latchkey_consume(handle.get(), &use, &became, error) : noClient(error);
        if (result != LATCHKEY_OK) return std::nullopt;
        return became;
    }
    Result check(Error *error = nullptr) noexcept {
        return handle ? latchkey_check(handle.get(), error) : noClient(error);
    }
    Result deactivate(Error *error = nullptr) noexcept {
        return handle ? latchkey_deactivate(handle.get(), error) : noClient(error);
    }
    Result importFile(const std::string &text, Error *error = nullptr) noexcept {
        return handle ? latchkey_import_file(handle.get(), text.c_str(), error) : noClient(error);
    }
    std::optional<std::string> exportRequest(const std::string &licenseKey, Error *error = nullptr) {
        if (!handle) (void)noClient(error);
        char *text = handle ? latchkey_export_request(handle.get(), licenseKey.c_str(), error) : nullptr;
        if (text == nullptr) return std::nullopt;
        std::string request(text);
        latchkey_free_text(handle.get(), text);
        return request;
    }
    void close() noexcept {
        if (handle) latchkey_close(handle.get());
    }

    /* These never wait. */
    State state() const noexcept {
        State state{};
        state.until = state.since = LATCHKEY_NONE;
        if (handle) latchkey_get_state(handle.get(), &state);
        return state;
    }
    bool mayRun() const noexcept { return handle && latchkey_may_run(handle.get()); }
    /** The value of a feature of the license; nothing if the license has none, or if the app may not run. */
    std::optional<FeatureValue> feature(const std::string &name) const {
        latchkey_feature_value value;
        std::optional<FeatureValue> found;
        if (!handle || !latchkey_feature(handle.get(), name.c_str(), &value)) return found;
        if (value.kind == LATCHKEY_FEATURE_FLAG)
            found.emplace(value.flag);
        else if (value.kind == LATCHKEY_FEATURE_NUMBER)
            found.emplace(value.number);
        else
            found.emplace(std::string(value.text));
        return found;
    }
    /** Whether the license has a feature that is on: true, a number other than 0, or a text. */
    bool has(const std::string &name) const {
        latchkey_feature_value value;
        if (!handle || !latchkey_feature(handle.get(), name.c_str(), &value)) return false;
        if (value.kind == LATCHKEY_FEATURE_FLAG) return value.flag;
        return value.kind == LATCHKEY_FEATURE_TEXT || value.number != 0;
    }

  private:
    struct Listeners {
        std::function<void(const State &)> onChange;
        std::function<void(const Use &, std::string_view)> onUseRefused;
        std::function<void(std::string_view)> onLog;
    };
    struct Deleter {
        void operator()(latchkey_client *client) const noexcept { latchkey_destroy(client); }
    };

    static const char *orNull(const std::string &text) noexcept { return text.empty() ? nullptr : text.c_str(); }

    Result noClient(Error *error) const noexcept {
        if (error != nullptr) *error = creation;
        return creation.result;
    }

    /** Returned by every operation without a handle. */
    Error creation{};
    std::unique_ptr<Listeners> listeners;
    std::unique_ptr<latchkey_client, Deleter> handle;
};

/** A thread that starts a client, works for it, and closes it at its end, for apps without a thread for this. */
class Worker {
  public:
    /** `client` must outlive the worker. */
    explicit Worker(Client &client) : thread([this, &client] { run(client); }) {}

    ~Worker() {
        {
            const std::lock_guard<std::mutex> lock(mutex);
            isEnding = true;
        }
        wakes.notify_one();
        thread.join();
    }

    Worker(const Worker &) = delete;
    Worker &operator=(const Worker &) = delete;

    /** Runs a task with the client on the worker's thread, such as an activation. */
    void post(std::function<void(Client &)> task) {
        {
            const std::lock_guard<std::mutex> lock(mutex);
            tasks.push_back(std::move(task));
        }
        wakes.notify_one();
    }

  private:
    void run(Client &client) {
        client.start();
        for (;;) {
            const auto pause = client.work();
            std::unique_lock<std::mutex> lock(mutex);
            wakes.wait_for(lock, pause, [this] { return isEnding || !tasks.empty(); });
            if (tasks.empty() && isEnding) break;
            if (tasks.empty()) continue;
            const auto task = std::move(tasks.front());
            tasks.pop_front();
            lock.unlock();
            task(client);
        }
        client.close();
    }

    std::mutex mutex;
    std::condition_variable wakes;
    std::deque<std::function<void(Client &)>> tasks;
    bool isEnding = false;
    /** The last member, so that the thread begins after the others are there. */
    std::thread thread;
};

} // namespace latchkey

#endif
