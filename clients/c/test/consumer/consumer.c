/* A program that uses the installed client. */
#include <latchkey.h>
#include <latchkey_curl.h>

int main(void) {
    static const char *const servers[] = {"https://licenses.example.com"};
    latchkey_options options = {0};
    options.servers = servers;
    options.server_count = 1;
    options.product_id = "paint";
    options.directory = "/nowhere";
    options.transport = latchkey_curl_transport(NULL);
    latchkey_client *client = latchkey_create(&options, NULL);
    const bool is_created = client != NULL && !latchkey_may_run(client);
    latchkey_destroy(client);
    return is_created ? 0 : 1;
}
