/*
 * The driver of this client for the conformance tests: reads a command a line, and writes a state a line, see
 * clients/conformance/PROTOCOL.md. It includes the client for its reader and writer of JSON alone.
 */
#include "../latchkey.c"

#include "../adapters/latchkey_curl.h"

#include <curl/curl.h>

/** The world of one client. */
static struct {
    latchkey_client *client;
    int64_t now, monotonic, set_at;
    double random;
    char fingerprint[513];
    bool has_fingerprint;
    char ca_file[LK_PATH_SIZE];
    latchkey_curl curl;
    lk_memory memory;
    lk_buffer notices, answer;
    /** Texts of the options, until the next client. */
    char *texts[512];
    size_t text_count;
} world;

static int64_t tell_now(void *context) {
    (void)context;
    return world.now;
}

static int64_t tell_monotonic(void *context) {
    (void)context;
    return world.monotonic;
}

static double draw(void *context) {
    (void)context;
    return world.random;
}

static bool find_fingerprint(void *context, char fingerprint[513]) {
    (void)context;
    memcpy(fingerprint, world.fingerprint, sizeof world.fingerprint);
    return world.has_fingerprint;
}

static void on_change(void *context, const latchkey_state *state) {
    (void)context;
    if (world.notices.length > 0) lk_add_text(&world.notices, ",");
    lk_add_json(&world.notices, latchkey_status_name(state->status));
}

/** The text of a member; NULL if it is absent or null. It stays until the next client. */
static const char *text_in(lk_json object, const char *name) {
    const lk_json value = lk_json_get(object, name);
    if (!lk_json_is(value, '"')) return NULL;
    char *text = (char *)malloc((size_t)(value.end - value.at));
    if (text == NULL) abort();
    (void)lk_json_decode(value, text);
    if (world.text_count == LK_COUNT(world.texts)) abort();
    world.texts[world.text_count++] = text;
    return text;
}

static int64_t number_in(lk_json object, const char *name) {
    int64_t number = 0;
    (void)lk_json_number(lk_json_get(object, name), &number, NULL);
    return number;
}

static double fraction_in(lk_json object, const char *name, double otherwise) {
    const lk_json value = lk_json_get(object, name);
    return value.at == NULL ? otherwise : strtod(value.at, NULL);
}

static size_t texts_in(lk_json list, const char **texts, size_t most) {
    lk_json wrapped = {NULL, NULL};
    size_t count = 0;
    while (list.at != NULL && lk_json_next(list, &wrapped, NULL)) {
        char *text = (char *)malloc((size_t)(wrapped.end - wrapped.at));
        if (text == NULL || count == most || world.text_count == LK_COUNT(world.texts)) abort();
        (void)lk_json_decode(wrapped, text);
        world.texts[world.text_count++] = text;
        texts[count++] = text;
    }
    return count;
}

static void drop(void) {
    latchkey_destroy(world.client);
    world.client = NULL;
    while (world.text_count > 0) free(world.texts[--world.text_count]);
}

static void set_clock(lk_json command) {
    world.now = number_in(command, "now");
    world.monotonic = number_in(command, "monotonic");
    world.set_at = world.monotonic;
}

static latchkey_result create(lk_json command, latchkey_error *error) {
    const lk_json given = lk_json_get(command, "options");
    const char *servers[8], *stolen[8];
    latchkey_public_key keys[64];
    latchkey_options options;
    lk_json key = {NULL, NULL};
    drop();
    set_clock(command);
    memset(&options, 0, sizeof options);
    options.servers = servers;
    options.server_count = texts_in(lk_json_get(given, "server"), servers, LK_COUNT(servers));
    options.stolen_keys = stolen;
    options.stolen_key_count = texts_in(lk_json_get(given, "stolenKeys"), stolen, LK_COUNT(stolen));
    options.public_keys = keys;
    const lk_json listed = lk_json_get(given, "publicKeys");
    while (listed.at != NULL && lk_json_next(listed, &key, NULL)) {
        if (options.public_key_count == LK_COUNT(keys)) abort();
        keys[options.public_key_count].kid = text_in(key, "kid");
        keys[options.public_key_count++].x = text_in(key, "x");
    }
    options.product_id = text_in(given, "productId");
    options.issuer = text_in(given, "issuer");
    options.directory = text_in(given, "directory");
    options.hostname = text_in(given, "hostname");
    options.user = text_in(given, "user");
    options.offline_uses = (int)number_in(given, "offlineUses");
    options.version = text_in(given, "version");
    options.build_date = text_in(given, "buildDate");
    options.heartbeat_ms = number_in(given, "heartbeatMs");
    options.request_timeout_ms = number_in(given, "requestTimeoutMs");
    options.grace_ms = (int64_t)(fraction_in(given, "graceDays", 0) * (double)LK_DAY_MS);
    options.grace_floating_ms = (int64_t)(fraction_in(given, "graceFloatingHours", 0) * (double)LK_HOUR_MS);
    const lk_json release = lk_json_get(given, "release");
    if (lk_json_equals(release, "always")) options.release = LATCHKEY_RELEASE_ALWAYS;
    if (lk_json_equals(release, "never")) options.release = LATCHKEY_RELEASE_NEVER;
    options.asks_before_activating = lk_json_equals(lk_json_get(given, "reactivate"), "ask");
    const char *fingerprint = text_in(given, "fingerprint");
    world.has_fingerprint = fingerprint != NULL;
    (void)snprintf(world.fingerprint, sizeof world.fingerprint, "%s", fingerprint == NULL ? "" : fingerprint);
    if (lk_json_get(given, "fingerprint").at != NULL) options.find_fingerprint = find_fingerprint;
    world.random = fraction_in(given, "random", 0.5);
    options.random = draw;
    options.clock.now = tell_now;
    options.clock.monotonic = tell_monotonic;
    options.clock.counts_sleep = !lk_json_is_false(lk_json_get(given, "countsSleep"));
    world.curl.ca_file = text_in(given, "ca");
    options.transport = latchkey_curl_transport(&world.curl);
    options.on_change = on_change;
    world.client = latchkey_create(&options, error);
    return error->result;
}

/** Makes the checks that are due, and those that they make due. */
static void work(void) {
    while (latchkey_work(world.client) == 0) continue;
}

static void add_time(lk_buffer *out, const char *name, int64_t time) {
    char text[LATCHKEY_TIME_SIZE];
    (void)latchkey_format_time(time, text);
    lk_add_text_or_null(out, name, time == LATCHKEY_NONE ? NULL : text);
}

static const char *text_or_null(const char *text) { return *text == '\0' ? NULL : text; }

/** Adds a value without the space between its parts, as an answer is one line. */
static void add_on_one_line(lk_buffer *out, lk_json value) {
    if (value.at == NULL) lk_add_text(out, "null");
    for (const char *at = value.at; at != NULL && at < value.end;) {
        const char *next = *at == '"' ? lk_after_string(at) : at + 1;
        if (strchr(" \t\r\n", *at) == NULL) lk_add(out, at, (size_t)(next - at));
        at = next;
    }
}

static void add_state_facts(lk_buffer *out, const latchkey_state *state) {
    const latchkey_facts *facts = &state->facts;
    lk_add_name(out, "facts");
    if (!state->has_facts) {
        lk_add_text(out, "null");
        return;
    }
    lk_add_text(out, "{");
    lk_add_text_or_null(out, "licenseKeyHint", facts->license_key_hint);
    lk_add_text_or_null(out, "productId", facts->product_id);
    lk_add_text_or_null(out, "variant", text_or_null(facts->variant));
    lk_add_text_or_null(out, "licenseType", text_or_null(facts->license_type));
    add_time(out, "licenseExpiresAt", facts->license_expires_at);
    lk_add_number_or_null(out, "daysRemaining", facts->days_remaining);
    lk_add_number_or_null(out, "machinesUsed", facts->machines_used);
    lk_add_number_or_null(out, "maxMachines", facts->max_machines);
    add_time(out, "graceUntil", facts->grace_until);
    add_time(out, "updatesUntil", facts->updates_until);
    lk_add_text_or_null(out, "maxVersion", text_or_null(facts->max_version));
    lk_add_name(out, "features");
    add_on_one_line(out, world.client->stored.facts.features);
    lk_add_text(out, "}");
}

static void add_state(lk_buffer *out) {
    static const char *const clocks[] = {"right", "behind", "ahead"};
    latchkey_state state;
    latchkey_get_state(world.client, &state);
    lk_add_text(out, "{");
    lk_add_text_or_null(out, "status", latchkey_status_name(state.status));
    lk_add_name(out, "mayRun");
    lk_add_text(out, state.may_run ? "true" : "false");
    if (state.status == LATCHKEY_LICENSED)
        lk_add_text_or_null(out, "source", state.is_from_server ? "server" : "stored");
    if (state.status == LATCHKEY_LICENSED || state.status == LATCHKEY_GRACE) add_time(out, "until", state.until);
    if (state.status == LATCHKEY_REFUSED) lk_add_text_or_null(out, "why", state.why);
    if (state.status == LATCHKEY_GRACE || state.status == LATCHKEY_LAPSED || state.status == LATCHKEY_REFUSED)
        add_time(out, "since", state.since);
    if (state.problem != LATCHKEY_PROBLEM_NONE) {
        lk_add_name(out, "problem");
        lk_add_text(out, "{");
        lk_add_text_or_null(out, "kind", latchkey_problem_name(state.problem));
        lk_add_text_or_null(out, "detail", state.problem_detail);
        lk_add_text(out, "}");
    }
    add_state_facts(out, &state);
    lk_add_text_or_null(out, "clock", clocks[state.clock]);
    lk_add_text_or_null(out, "storageProblem", text_or_null(state.storage_problem));
    lk_add_text(out, "}");
}

static void add_error(lk_buffer *out, const latchkey_error *error) {
    static const char *const names[] = {"",      "Refused",       "Unreachable",   "BadLicenseFile",
                                        "NoKey", "NoFingerprint", "InvalidOption", "NoMemory"};
    lk_add_name(out, "error");
    lk_add_text(out, "{");
    lk_add_text_or_null(out, "name", names[error->result]);
    if (error->result == LATCHKEY_ERROR_REFUSED) lk_add_text_or_null(out, "code", error->code);
    if (error->limit != LATCHKEY_NONE) lk_add_number_or_null(out, "limit", error->limit);
    if (error->result == LATCHKEY_ERROR_REFUSED && error->retry_after_ms != LATCHKEY_NONE)
        lk_add_number_or_null(out, "retryAfterMs", error->retry_after_ms);
    if (error->resets_at != LATCHKEY_NONE) add_time(out, "resetsAt", error->resets_at);
    if (error->result == LATCHKEY_ERROR_UNREACHABLE)
        lk_add_text_or_null(out, "kind", latchkey_problem_name(error->problem));
    if (error->result == LATCHKEY_ERROR_FILE)
        lk_add_text_or_null(out, "reason", latchkey_file_problem_name(error->file_problem));
    lk_add_text(out, "}");
}

static void add_feature(lk_buffer *out, const char *name) {
    latchkey_feature_value value;
    lk_add_name(out, "value");
    if (!latchkey_feature(world.client, name, &value))
        lk_add_text(out, "null");
    else if (value.kind == LATCHKEY_FEATURE_FLAG)
        lk_add_text(out, value.flag ? "true" : "false");
    else if (value.kind == LATCHKEY_FEATURE_TEXT)
        lk_add_json(out, value.text);
    else {
        char digits[24];
        (void)snprintf(digits, sizeof digits, "%lld", (long long)value.number);
        lk_add_text(out, digits);
    }
}

static void consume(lk_json command, latchkey_error *error, lk_buffer *out) {
    const lk_json units = lk_json_get(command, "units");
    const latchkey_use use = {text_in(command, "meter"), units.at == NULL ? 1 : number_in(command, "units"),
                              text_in(command, "requestId")};
    latchkey_consumption became;
    if (latchkey_consume(world.client, &use, &became, error) != LATCHKEY_OK) return;
    lk_add_name(out, "value");
    lk_add_text(out, "{");
    lk_add_text_or_null(out, "status", became.is_queued ? "queued" : "counted");
    lk_add_text_or_null(out, "meter", became.meter);
    if (became.is_queued) {
        lk_add_number_or_null(out, "units", became.units);
        lk_add_text_or_null(out, "requestId", became.request_id);
    } else {
        lk_add_number_or_null(out, "used", became.used);
        lk_add_number_or_null(out, "limit", became.limit);
        lk_add_number_or_null(out, "remaining", became.remaining);
        add_time(out, "resetsAt", became.resets_at);
    }
    lk_add_text(out, "}");
}

/** Runs a command. Returns false if this driver does not know it. */
static bool run(lk_json command, latchkey_error *error, lk_buffer *out) {
    const lk_json what = lk_json_get(command, "do");
    latchkey_state state;
    error->result = LATCHKEY_OK;
    if (lk_json_equals(what, "create")) {
        (void)create(command, error);
    } else if (lk_json_equals(what, "start")) {
        (void)latchkey_start(world.client, NULL);
        latchkey_get_state(world.client, &state);
        lk_add_text_or_null(out, "value", latchkey_status_name(state.status));
        work();
    } else if (lk_json_equals(what, "clock")) {
        set_clock(command);
        work();
    } else if (lk_json_equals(what, "activate")) {
        (void)latchkey_activate(world.client, text_in(command, "key"), error);
    } else if (lk_json_equals(what, "startTrial")) {
        const lk_json order = lk_json_get(command, "order");
        (void)latchkey_start_trial(world.client, text_in(order, "variant"), text_in(order, "email"), error);
    } else if (lk_json_equals(what, "consume")) {
        consume(command, error, out);
    } else if (lk_json_equals(what, "check")) {
        for (int64_t left = lk_later(1, number_in(command, "times")); left > 0; left--)
            (void)latchkey_check(world.client, NULL);
    } else if (lk_json_equals(what, "importFile")) {
        (void)latchkey_import_file(world.client, text_in(command, "text"), error);
    } else if (lk_json_equals(what, "exportRequest")) {
        char *request = latchkey_export_request(world.client, text_in(command, "key"), error);
        if (request != NULL) lk_add_text_or_null(out, "value", request);
        latchkey_free_text(world.client, request);
    } else if (lk_json_equals(what, "deactivate")) {
        (void)latchkey_deactivate(world.client, error);
    } else if (lk_json_equals(what, "feature")) {
        add_feature(out, text_in(command, "name"));
    } else if (lk_json_equals(what, "close")) {
        latchkey_close(world.client);
    } else if (lk_json_equals(what, "fingerprint")) {
        const char *value = text_in(command, "value");
        world.has_fingerprint = value != NULL;
        (void)snprintf(world.fingerprint, sizeof world.fingerprint, "%s", value == NULL ? "" : value);
    } else {
        return lk_json_equals(what, "state");
    }
    return true;
}

static void answer(const char *line, size_t length) {
    lk_buffer *out = &world.answer;
    lk_json command;
    latchkey_error error;
    memset(&error, 0, sizeof error);
    error.limit = error.retry_after_ms = error.resets_at = LATCHKEY_NONE;
    out->length = 0;
    lk_add_text(out, "{");
    if (!lk_json_read(line, length, &command) || !run(command, &error, out)) {
        lk_add_text(out, "\"error\":{\"name\":\"UnknownCommand\"}");
    } else {
        if (error.result != LATCHKEY_OK) add_error(out, &error);
        lk_add_name(out, "state");
        if (world.client == NULL)
            lk_add_text(out, "null");
        else
            add_state(out);
        lk_add_number_or_null(out, "next", world.client == NULL ? LATCHKEY_NONE : latchkey_next_check(world.client));
        lk_add_name(out, "notices");
        lk_add_text(out, "[");
        lk_add(out, world.notices.at, world.notices.length);
        lk_add_text(out, "]");
        world.notices.length = 0;
    }
    lk_add_text(out, "}");
    (void)puts(out->at);
    (void)fflush(stdout);
}

int main(void) {
    static char line[1 << 20];
    world.memory.reallocate = lk_reallocate_by_default;
    world.notices.memory = world.answer.memory = &world.memory;
    /* A disk that is full for the tests: a write fails instead of ending the process. */
    (void)signal(SIGXFSZ, SIG_IGN);
    (void)curl_global_init(CURL_GLOBAL_DEFAULT);
    (void)puts("{\"driver\":\"c\",\"protocol\":1,\"can\":[\"tls\",\"default-fingerprint\",\"default-directory\","
               "\"fingerprint-function\",\"uncounted-sleep\",\"features\",\"trials\",\"meters\",\"users\"]}");
    (void)fflush(stdout);
    while (fgets(line, sizeof line, stdin) != NULL) answer(line, strlen(line));
    return 0;
}
