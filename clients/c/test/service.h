/*
 * A service inside of the process: a transport that answers as the service does, a storage in memory, and an allocator
 * that counts and fails. The conformance tests play the real service; these tests need exact control.
 */
#ifndef LATCHKEY_TEST_SERVICE_H
#define LATCHKEY_TEST_SERVICE_H

#include "../latchkey.h"

#include "check.h"

typedef struct service {
    /** The code of the refusal of every call; NULL for good answers, "" for no answer at all. */
    const char *refusal;
    /** A part of the body of a use that is beyond the limit of its meter; NULL for none. */
    const char *refused_use;
    const char *license_type;
    /** The key that took the place of every other one; NULL for none. */
    const char *new_key;
    /** The license file in answers, as a JSON string; NULL offers none. */
    const char *file;
    int calls;
    int64_t now, monotonic;
    char *stored;
    bool fails_to_write;
    /** The allocation that fails, counted from 1; 0 for none. `fails_on` lets all later ones fail, too. */
    long failing, allocations;
    bool fails_on;
} service;

static void service_answer(latchkey_answer *answer, const char *text) {
    (void)latchkey_answer_body(answer, text, strlen(text));
}

static bool ends_with(const char *text, const char *end) {
    const size_t length = strlen(text), tail = strlen(end);
    return length >= tail && strcmp(text + length - tail, end) == 0;
}

static latchkey_sent service_send(void *context, const latchkey_request *request, latchkey_answer *answer) {
    service *self = (service *)context;
    char text[1024];
    const bool is_valid = ends_with(request->url, "/validate") || ends_with(request->url, "/verify");
    const char *flag = is_valid ? "valid" : "success";
    const bool is_replaced =
        self->new_key != NULL && request->body != NULL && strstr(request->body, self->new_key) == NULL;
    const char *refusal = self->refusal;
    self->calls++;
    if (refusal == NULL && is_replaced && !ends_with(request->url, "/validate")) refusal = "license_replaced";
    if (refusal != NULL && *refusal == '\0') return LATCHKEY_SENT_NOTHING;
    if (refusal != NULL) {
        (void)snprintf(text, sizeof text, "{\"%s\":false,\"error\":\"no\"}", flag);
        latchkey_answer_status(answer, 403);
        latchkey_answer_header(answer, "Latchkey-Code", 13, refusal, strlen(refusal));
        service_answer(answer, text);
        return LATCHKEY_SENT;
    }
    if (self->refused_use != NULL && strstr(request->body, self->refused_use) != NULL) {
        latchkey_answer_status(answer, 403);
        service_answer(answer, "{\"success\":false,\"error\":\"Usage limit reached\","
                               "\"resetsAt\":\"2030-01-01T00:00:00.000Z\"}");
        return LATCHKEY_SENT;
    }
    latchkey_answer_status(answer, 200);
    if (ends_with(request->url, "/issueLicenseFile") && self->file != NULL) {
        service_answer(answer, "{\"success\":true,\"licenseFile\":");
        service_answer(answer, self->file);
        service_answer(answer, "}");
        return LATCHKEY_SENT;
    }
    if (ends_with(request->url, "/latchkey-keys.json")) {
        service_answer(answer, "{\"keys\":[\"e30.e30.AAAA\"]}");
        return LATCHKEY_SENT;
    }
    (void)snprintf(text, sizeof text,
                   "{\"%s\":true,\"licenseKey\":\"%s\",%s\"meter\":\"exports\",\"used\":4,\"limit\":10,"
                   "\"remaining\":6,\"resetsAt\":null,\"token\":\"t%d\",\"expiresAt\":\"2030-01-01T00:00:00.000Z\","
                   "\"machinesUsed\":1,"
                   "\"maxMachines\":3,\"variant\":\"pro\",\"productId\":\"paint\",\"licenseExpiresAt\":null,"
                   "\"daysRemaining\":null,\"licenseType\":\"%s\",\"features\":{\"export\":true,\"seats\":5,"
                   "\"edition\":\"Studio\"}%s}",
                   flag, is_replaced ? self->new_key : "AAAAA-6WFGJ", is_replaced ? "\"sessionToken\":\"moved\"," : "",
                   self->calls, self->license_type,
                   strcmp(self->license_type, "floating") == 0 ? ",\"sessionExpiresAt\":\"2099-01-01T00:00:00.000Z\""
                                                               : "");
    service_answer(answer, text);
    return LATCHKEY_SENT;
}

static latchkey_stored service_read(void *context, latchkey_sink *sink, char why[LATCHKEY_TEXT_SIZE]) {
    const service *self = (const service *)context;
    (void)why;
    if (self->stored == NULL) return LATCHKEY_STORED_NOTHING;
    (void)latchkey_sink_add(sink, self->stored, strlen(self->stored));
    return LATCHKEY_STORED;
}

static latchkey_stored service_write(void *context, const char *text, size_t length, char why[LATCHKEY_TEXT_SIZE]) {
    service *self = (service *)context;
    if (self->fails_to_write) {
        (void)snprintf(why, LATCHKEY_TEXT_SIZE, "No space left on device");
        return LATCHKEY_STORED_FAILED;
    }
    free(self->stored);
    self->stored = (char *)malloc(length + 1);
    CHECK(self->stored != NULL);
    memcpy(self->stored, text, length);
    self->stored[length] = '\0';
    return LATCHKEY_STORED;
}

static latchkey_stored service_remove(void *context, char why[LATCHKEY_TEXT_SIZE]) {
    service *self = (service *)context;
    (void)why;
    free(self->stored);
    self->stored = NULL;
    return LATCHKEY_STORED;
}

static int64_t service_now(void *context) { return ((const service *)context)->now; }

static int64_t service_monotonic(void *context) { return ((const service *)context)->monotonic; }

static void *service_reallocate(void *context, void *block, size_t size) {
    service *self = (service *)context;
    if (size == 0) {
        free(block);
        return NULL;
    }
    self->allocations++;
    if (self->failing > 0 &&
        (self->allocations == self->failing || (self->fails_on && self->allocations > self->failing)))
        return NULL;
    return realloc(block, size);
}

static inline void service_pass(service *self, int64_t milliseconds) {
    self->now += milliseconds;
    self->monotonic += milliseconds;
}

/** The options of an app of this service. */
static inline latchkey_options service_options(service *self) {
    static const char *const servers[] = {"https://licenses.example.com"};
    latchkey_options options;
    memset(&options, 0, sizeof options);
    options.servers = servers;
    options.server_count = 1;
    options.product_id = "paint";
    options.fingerprint = "9d2f7c51e8a04b36";
    options.hostname = "Ada's laptop";
    options.transport.send = service_send;
    options.transport.context = self;
    options.store.read = service_read;
    options.store.write = service_write;
    options.store.remove = service_remove;
    options.store.context = self;
    options.clock.now = service_now;
    options.clock.monotonic = service_monotonic;
    options.clock.counts_sleep = true;
    options.clock.context = self;
    options.reallocate = service_reallocate;
    options.memory_context = self;
    return options;
}

static inline service service_begin(void) {
    service self;
    memset(&self, 0, sizeof self);
    self.license_type = "per-machine";
    self.now = INT64_C(1803979800000);
    self.monotonic = 1000;
    return self;
}

#endif
