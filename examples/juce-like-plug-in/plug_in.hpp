/*
 * An audio plug-in that is licensed, in the form that JUCE gives plug-ins: a host creates several instances, calls
 * `processBlock` on the thread of the audio, and opens an editor on the thread of the window.
 */
#ifndef PLUG_IN_HPP
#define PLUG_IN_HPP

#include <latchkey.hpp>

#include <algorithm>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

/** One license for all instances in a process, as a juce::SharedResourcePointer holds it. */
class SharedLicense {
  public:
    explicit SharedLicense(const latchkey::Options &options) : client(options), worker(client) {}

    /** The license that other instances have already, or a new one. */
    static std::shared_ptr<SharedLicense> get(const latchkey::Options &options) {
        static std::mutex mutex;
        static std::weak_ptr<SharedLicense> shared;
        const std::lock_guard<std::mutex> lock(mutex);
        auto license = shared.lock();
        if (license == nullptr) shared = license = std::make_shared<SharedLicense>(options);
        return license;
    }

    latchkey::Client client;
    latchkey::Worker worker;
};

/** An instance of the plug-in: a gain. */
class GainPlugIn {
  public:
    explicit GainPlugIn(const latchkey::Options &options) : license(SharedLicense::get(options)) {}

    /** On the thread of the audio. Without a license the plug-in is silent; the project stays as it is. */
    void processBlock(std::vector<float> &samples) const {
        const float gain = license->client.mayRun() ? 2.0f : 0.0f;
        std::transform(samples.begin(), samples.end(), samples.begin(), [gain](float sample) { return sample * gain; });
    }

    /** On the thread of the window: the user entered a key. The editor shows the new state when `onChange` reports it.
     */
    void enterKey(const std::string &key, std::function<void(const latchkey::Error &)> done) const {
        license->worker.post([key, done = std::move(done)](latchkey::Client &client) {
            latchkey::Error error{};
            client.activate(key, &error);
            done(error);
        });
    }

    /** The line in the editor. */
    std::string statusLine() const {
        const auto state = license->client.state();
        if (state.status == LATCHKEY_LICENSED)
            return std::string("Licensed, key ending in ") + state.facts.license_key_hint;
        if (state.status == LATCHKEY_GRACE) return "Offline; works until " + latchkey::toText(state.until);
        if (state.status == LATCHKEY_UNLICENSED) return "Please enter your license key";
        return std::string("The license is ") + std::string(state.name()) + " " + state.why;
    }

  private:
    std::shared_ptr<SharedLicense> license;
};

#endif
