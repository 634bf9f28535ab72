#include "latchkey_curl.h"

#include <curl/curl.h>
#include <string.h>

static size_t receive_header(char *line, size_t one, size_t length, void *context) {
    const char *colon = (const char *)memchr(line, ':', one * length);
    if (colon != NULL)
        latchkey_answer_header((latchkey_answer *)context, line, (size_t)(colon - line), colon + 1,
                               one * length - (size_t)(colon - line) - 1);
    return one * length;
}

static size_t receive_body(char *bytes, size_t one, size_t length, void *context) {
    return latchkey_answer_body((latchkey_answer *)context, bytes, one * length) ? one * length : 0;
}

static latchkey_sent failure_of(CURLcode code) {
    switch (code) {
    case CURLE_OPERATION_TIMEDOUT:
        return LATCHKEY_SENT_TIMEOUT;
    case CURLE_SSL_CONNECT_ERROR:
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_SSL_CERTPROBLEM:
    case CURLE_SSL_ISSUER_ERROR:
    case CURLE_SSL_PINNEDPUBKEYNOTMATCH:
    case CURLE_SSL_INVALIDCERTSTATUS:
        return LATCHKEY_SENT_TLS;
    default:
        return LATCHKEY_SENT_NOTHING;
    }
}

/** Returns false if memory runs out. */
static bool set_up(CURL *handle, const latchkey_request *request, const latchkey_curl *settings,
                   const struct curl_slist *headers, latchkey_answer *answer) {
    CURLcode code = CURLE_OK;
#define SET(option, value)                                                                                             \
    if (code == CURLE_OK) code = curl_easy_setopt(handle, option, value)
    SET(CURLOPT_URL, request->url);
    SET(CURLOPT_HTTPHEADER, headers);
    SET(CURLOPT_USERAGENT, "latchkey-client");
    SET(CURLOPT_TIMEOUT_MS, (long)request->timeout_ms);
    SET(CURLOPT_FOLLOWLOCATION, 0L);
    /* Signals belong to the app. */
    SET(CURLOPT_NOSIGNAL, 1L);
    SET(CURLOPT_HEADERFUNCTION, receive_header);
    SET(CURLOPT_HEADERDATA, answer);
    SET(CURLOPT_WRITEFUNCTION, receive_body);
    SET(CURLOPT_WRITEDATA, answer);
    if (request->body != NULL) {
        SET(CURLOPT_POSTFIELDSIZE, (long)request->body_length);
        SET(CURLOPT_POSTFIELDS, request->body);
    }
    if (settings != NULL && settings->ca_file != NULL) SET(CURLOPT_CAINFO, settings->ca_file);
    if (settings != NULL && settings->pinned_public_key != NULL)
        SET(CURLOPT_PINNEDPUBLICKEY, settings->pinned_public_key);
    if (settings != NULL && settings->proxy != NULL) SET(CURLOPT_PROXY, settings->proxy);
#undef SET
    return code == CURLE_OK;
}

static latchkey_sent send_request(void *context, const latchkey_request *request, latchkey_answer *answer) {
    latchkey_sent sent = LATCHKEY_SENT_NOTHING;
    long status = 0;
    CURL *handle = curl_easy_init();
    struct curl_slist *headers = curl_slist_append(NULL, "Content-Type: application/json");
    if (handle != NULL && headers != NULL &&
        set_up(handle, request, (const latchkey_curl *)context, request->body == NULL ? NULL : headers, answer)) {
        const CURLcode code = curl_easy_perform(handle);
        sent = code == CURLE_OK ? LATCHKEY_SENT : failure_of(code);
        if (sent != LATCHKEY_SENT) latchkey_answer_problem(answer, curl_easy_strerror(code));
        (void)curl_easy_getinfo(handle, CURLINFO_RESPONSE_CODE, &status);
        latchkey_answer_status(answer, (int)status);
    }
    curl_slist_free_all(headers);
    curl_easy_cleanup(handle);
    return sent;
}

latchkey_transport latchkey_curl_transport(const latchkey_curl *settings) {
    const latchkey_transport transport = {send_request, (void *)(uintptr_t)settings};
    return transport;
}
