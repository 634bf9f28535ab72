/* Sends the client's requests by libcurl. Call `curl_global_init` once at the start of the program. */
#ifndef LATCHKEY_CURL_H
#define LATCHKEY_CURL_H

#include "latchkey.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Optional settings. Fields with NULL have the defaults of libcurl, such as the proxy of the environment. */
typedef struct latchkey_curl {
    /** PEM of a certificate authority to trust beside those in the system's folder. */
    const char *ca_file;
    /** `sha256//` and the base64 of the hash of the server's public key, several joined by `;`. */
    const char *pinned_public_key;
    const char *proxy;
} latchkey_curl;

/** The transport for the options of a client. `settings` may be NULL; else it must outlive the client. */
latchkey_transport latchkey_curl_transport(const latchkey_curl *settings);

#ifdef __cplusplus
}
#endif

#endif
