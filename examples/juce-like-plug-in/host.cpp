/*
 * A host with two instances of the plug-in. It reads a command a line: `key KEY`, `play`, `quit`.
 *
 *   host SERVER PRODUCT [DIRECTORY]
 */
#include "plug_in.hpp"

#include <latchkey_curl.h>

#include <future>
#include <iostream>

int main(int count, char **arguments) {
    if (count < 3) return std::cerr << "host SERVER PRODUCT [DIRECTORY]\n", 2;
    latchkey::Options options;
    options.servers = {arguments[1]};
    options.productId = arguments[2];
    if (count > 3) options.directory = arguments[3];
    options.transport = latchkey_curl_transport(nullptr);
    options.release = LATCHKEY_RELEASE_ALWAYS;
    const GainPlugIn left(options), right(options);
    for (std::string line; std::getline(std::cin, line) && line != "quit";) {
        if (line.rfind("key ", 0) == 0) {
            std::promise<latchkey::Error> entered;
            left.enterKey(line.substr(4), [&entered](const latchkey::Error &error) { entered.set_value(error); });
            const auto error = entered.get_future().get();
            if (error.result != LATCHKEY_OK) std::cout << "not accepted: " << error.code << error.message << '\n';
        }
        std::vector<float> samples{0.25f, 0.5f};
        right.processBlock(samples);
        std::cout << samples[0] << ' ' << samples[1] << " | " << right.statusLine() << std::endl;
    }
}
