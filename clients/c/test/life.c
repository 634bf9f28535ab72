/* The life of a license by the public functions, as an app meets it; also when memory runs out at every allocation. */
#include "service.h"

/** A file of docs/vectors/license-files.json, "a file as the service writes it", and the keys that verify it. */
#include "license-file-text.h"

static latchkey_status status_of(latchkey_client *client) {
    latchkey_state state;
    latchkey_get_state(client, &state);
    CHECK(state.may_run == (state.status == LATCHKEY_LICENSED || state.status == LATCHKEY_GRACE));
    CHECK(state.may_run == latchkey_may_run(client));
    return state.status;
}

static int notices;

static void count_notice(void *context, const latchkey_state *state) {
    (void)context;
    CHECK(latchkey_status_name(state->status)[0] != '\0');
    notices++;
}

static void test_life(void) {
    service world = service_begin();
    latchkey_options options = service_options(&world);
    latchkey_error error;
    latchkey_state state;
    latchkey_feature_value value;
    options.on_change = count_notice;
    latchkey_client *client = latchkey_create(&options, &error);
    CHECK(client != NULL && error.result == LATCHKEY_OK);
    CHECK(latchkey_start(client, &error) == LATCHKEY_OK && status_of(client) == LATCHKEY_UNLICENSED);
    CHECK(latchkey_next_check(client) == LATCHKEY_NONE && world.calls == 0);
    CHECK(latchkey_activate(client, NULL, &error) == LATCHKEY_ERROR_NO_KEY);
    world.refusal = "license_not_found";
    CHECK(latchkey_activate(client, "AAAAA-BBBBB", &error) == LATCHKEY_ERROR_REFUSED);
    CHECK(strcmp(error.code, "license_not_found") == 0 && status_of(client) == LATCHKEY_UNLICENSED);
    world.refusal = "";
    CHECK(latchkey_activate(client, "AAAAA-BBBBB", &error) == LATCHKEY_ERROR_UNREACHABLE);
    CHECK(error.problem == LATCHKEY_PROBLEM_NETWORK && world.stored == NULL);
    world.refusal = NULL;
    notices = 0;
    CHECK(latchkey_activate(client, " AAAAA-BBBBB ", NULL) == LATCHKEY_OK && status_of(client) == LATCHKEY_LICENSED);
    CHECK(notices == 1);
    latchkey_get_state(client, &state);
    CHECK(state.is_from_server && state.has_facts && strcmp(state.facts.license_key_hint, "BBBBB") == 0);
    CHECK(state.facts.max_machines == 3 && state.facts.days_remaining == LATCHKEY_NONE);
    CHECK(latchkey_feature(client, "export", &value) && value.kind == LATCHKEY_FEATURE_FLAG && value.flag);
    CHECK(latchkey_feature(client, "seats", &value) && value.kind == LATCHKEY_FEATURE_NUMBER && value.number == 5);
    CHECK(latchkey_feature(client, "edition", &value) && strcmp(value.text, "Studio") == 0);
    CHECK(!latchkey_feature(client, "missing", &value));
    world.refusal = "";
    service_pass(&world, 27 * 3600000LL);
    (void)latchkey_work(client);
    CHECK(status_of(client) == LATCHKEY_GRACE);
    service_pass(&world, 31 * 86400000LL);
    CHECK(status_of(client) == LATCHKEY_LAPSED && !latchkey_feature(client, "export", &value));
    world.refusal = "license_revoked";
    (void)latchkey_work(client);
    CHECK(status_of(client) == LATCHKEY_REFUSED);
    latchkey_destroy(client);
    client = latchkey_create(&options, NULL);
    world.refusal = "";
    CHECK(latchkey_start(client, NULL) == LATCHKEY_OK && status_of(client) == LATCHKEY_REFUSED);
    latchkey_get_state(client, &state);
    CHECK(strcmp(state.why, "license_revoked") == 0);
    world.refusal = NULL;
    service_pass(&world, 3600000 * 2);
    CHECK(latchkey_check(client, NULL) == LATCHKEY_OK && status_of(client) == LATCHKEY_LICENSED);
    CHECK(latchkey_deactivate(client, NULL) == LATCHKEY_OK && status_of(client) == LATCHKEY_UNLICENSED);
    CHECK(world.stored == NULL);
    latchkey_close(client);
    latchkey_destroy(client);
}

static const char *refused_use;

static void note_refused(void *context, const latchkey_use *use, const char *code) {
    (void)context;
    CHECK(strcmp(use->meter, "exports") == 0 && use->units == 2 && strcmp(code, "meter_limit") == 0);
    refused_use = use->request_id[0] == '1' ? "1" : "another";
}

static void test_trial_and_uses(void) {
    static const latchkey_use too_many = {"exports", 1000000001, NULL}, unnamed = {NULL, 1, NULL};
    static const latchkey_use first = {"exports", 2, "1"}, second = {"exports", 3, NULL};
    service world = service_begin();
    latchkey_options options = service_options(&world);
    latchkey_consumption became;
    latchkey_error error;
    latchkey_state state;
    options.offline_uses = 2;
    options.on_use_refused = note_refused;
    latchkey_client *client = latchkey_create(&options, NULL);
    CHECK(latchkey_consume(client, &first, &became, &error) == LATCHKEY_ERROR_NO_KEY);
    world.refusal = "trial_over";
    CHECK(latchkey_start_trial(client, NULL, NULL, &error) == LATCHKEY_ERROR_REFUSED);
    CHECK(strcmp(error.code, "trial_over") == 0 && world.stored == NULL);
    world.refusal = NULL;
    CHECK(latchkey_start_trial(client, "indie", "ada@example.com", NULL) == LATCHKEY_OK);
    latchkey_get_state(client, &state);
    CHECK(state.may_run && strcmp(state.facts.license_key_hint, "6WFGJ") == 0);
    const int calls = world.calls;
    CHECK(latchkey_start_trial(client, NULL, NULL, NULL) == LATCHKEY_OK && world.calls == calls);

    CHECK(latchkey_consume(client, &second, &became, &error) == LATCHKEY_OK && !became.is_queued);
    CHECK(became.used == 4 && became.limit == 10 && became.remaining == 6 && became.resets_at == LATCHKEY_NONE);
    CHECK(strlen(became.request_id) == 22 && became.units == 3);
    CHECK(latchkey_consume(client, &too_many, NULL, &error) == LATCHKEY_ERROR_OPTION);
    CHECK(latchkey_consume(client, &unnamed, NULL, &error) == LATCHKEY_ERROR_OPTION && error.message[0] != '\0');
    world.refusal = "";
    CHECK(latchkey_consume(client, &first, &became, NULL) == LATCHKEY_OK && became.is_queued);
    CHECK(became.used == LATCHKEY_NONE && strcmp(became.request_id, "1") == 0);
    CHECK(latchkey_consume(client, &first, &became, NULL) == LATCHKEY_OK && became.is_queued);
    CHECK(latchkey_consume(client, &second, &became, NULL) == LATCHKEY_OK && became.is_queued);
    CHECK(latchkey_consume(client, &second, &became, &error) == LATCHKEY_ERROR_UNREACHABLE && !became.is_queued);
    CHECK(strstr(world.stored, "\"uses\":[{\"meter\":\"exports\",\"units\":2,\"requestId\":\"1\"") != NULL);
    /* One that the service refuses is dropped, and the app is told; the sending then goes on. */
    world.refused_use = "\"1\"";
    service_pass(&world, 3000);
    CHECK(latchkey_check(client, NULL) == LATCHKEY_OK);
    CHECK(refused_use == NULL && strstr(world.stored, "\"uses\"") != NULL);
    world.refusal = NULL;
    service_pass(&world, 3000);
    CHECK(latchkey_check(client, NULL) == LATCHKEY_OK && strcmp(refused_use, "1") == 0);
    CHECK(strstr(world.stored, "\"uses\"") == NULL);
    CHECK(latchkey_consume(client, &first, &became, &error) == LATCHKEY_ERROR_REFUSED);
    CHECK(strcmp(error.code, "meter_limit") == 0 && error.resets_at == INT64_C(1893456000000));
    CHECK(status_of(client) == LATCHKEY_LICENSED);
    latchkey_destroy(client);
    free(world.stored);
}

/** Whether key, token and hint are those after a replacement; they never move apart. */
static bool has_moved(const service *world) {
    const char *stored = world->stored == NULL ? "" : world->stored;
    const bool has_key = strstr(stored, "\"licenseKey\":\"AAAAA-NEW42\"") != NULL;
    CHECK(has_key == (strstr(stored, "\"token\":\"moved\"") != NULL));
    CHECK(has_key == (strstr(stored, "\"licenseKeyHint\":\"NEW42\"") != NULL));
    return has_key;
}

/** Another process stores a third key while /validate is on its way. */
static latchkey_sent send_late(void *context, const latchkey_request *request, latchkey_answer *answer) {
    char *key = strstr(((service *)context)->stored, "AAAAA-BBBBB");
    if (key != NULL) memcpy(key, "AAAAA-CCCCC", 11);
    return service_send(context, request, answer);
}

static void test_third_key(void) {
    service world = service_begin();
    latchkey_options options = service_options(&world);
    latchkey_client *client = latchkey_create(&options, NULL);
    CHECK(latchkey_activate(client, "AAAAA-BBBBB", NULL) == LATCHKEY_OK);
    latchkey_destroy(client);
    world.new_key = "AAAAA-NEW42";
    options.transport.send = send_late;
    client = latchkey_create(&options, NULL);
    CHECK(latchkey_check(client, NULL) == LATCHKEY_OK && !has_moved(&world));
    CHECK(strstr(world.stored, "AAAAA-CCCCC") != NULL);
    latchkey_destroy(client);
    free(world.stored);
}

static void test_replacement(void) {
    static const latchkey_use use = {"exports", 1, NULL};
    service world = service_begin();
    latchkey_options options = service_options(&world);
    latchkey_error error;
    latchkey_client *client = latchkey_create(&options, NULL);
    CHECK(latchkey_start(client, NULL) == LATCHKEY_OK);
    CHECK(latchkey_activate(client, "AAAAA-BBBBB", NULL) == LATCHKEY_OK && !has_moved(&world));
    world.new_key = "AAAAA-NEW42";
    int calls = world.calls;
    CHECK(latchkey_consume(client, &use, NULL, NULL) == LATCHKEY_OK && has_moved(&world) && world.calls == calls + 3);
    CHECK(latchkey_activate(client, "AAAAA-BBBBB", &error) == LATCHKEY_ERROR_REFUSED);
    CHECK(strcmp(error.code, "license_replaced") == 0 && has_moved(&world));
    CHECK(status_of(client) == LATCHKEY_LICENSED);
    world.new_key = NULL;
    CHECK(latchkey_activate(client, "AAAAA-BBBBB", NULL) == LATCHKEY_OK && !has_moved(&world));
    world.new_key = "AAAAA-NEW42";
    CHECK(latchkey_activate(client, "AAAAA-BBBBB", NULL) == LATCHKEY_OK && has_moved(&world));
    CHECK(status_of(client) == LATCHKEY_LICENSED);
    world.new_key = "AAAAA-NEW43";
    calls = world.calls;
    CHECK(latchkey_deactivate(client, NULL) == LATCHKEY_OK && world.calls == calls + 3 && world.stored == NULL);
    latchkey_destroy(client);
}

static void test_storage(void) {
    service world = service_begin();
    latchkey_options options = service_options(&world);
    latchkey_state state;
    latchkey_client *client = latchkey_create(&options, NULL);
    world.fails_to_write = true;
    CHECK(latchkey_start(client, NULL) == LATCHKEY_OK);
    CHECK(latchkey_activate(client, "AAAAA-BBBBB", NULL) == LATCHKEY_OK && status_of(client) == LATCHKEY_LICENSED);
    latchkey_get_state(client, &state);
    CHECK(strstr(state.storage_problem, "No space left") != NULL && world.stored == NULL);
    world.fails_to_write = false;
    service_pass(&world, 5000);
    CHECK(latchkey_check(client, NULL) == LATCHKEY_OK && world.stored != NULL);
    latchkey_get_state(client, &state);
    CHECK(state.storage_problem[0] == '\0');
    latchkey_destroy(client);
    free(world.stored);
}

static void test_options(void) {
    static const char *const bad[] = {"http://example.com", "ftp://example.com", "https://", "example.com",
                                      "http://localhost.example.com"};
    static const char *const good[] = {"https://example.com/path//", "http://localhost:8443", "http://127.0.0.1",
                                       "http://[::1]:80/x"};
    static const latchkey_public_key bad_key = {"k", "short"};
    static const char *const none = NULL;
    static char too_long[2000];
    memset(too_long, 'x', sizeof too_long - 1);
    service world = service_begin();
    latchkey_error error;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        latchkey_options options = service_options(&world);
        options.servers = &bad[i];
        CHECK_CASE(latchkey_create(&options, &error) == NULL && error.result == LATCHKEY_ERROR_OPTION, bad[i]);
    }
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        latchkey_options options = service_options(&world);
        options.servers = &good[i];
        latchkey_client *client = latchkey_create(&options, &error);
        CHECK_CASE(client != NULL, good[i]);
        latchkey_destroy(client);
    }
    for (int mistake = 0; mistake < 13; mistake++) {
        latchkey_options options = service_options(&world);
        if (mistake == 0) options.server_count = 0;
        if (mistake == 1) options.product_id = "";
        if (mistake == 2) options.transport.send = NULL;
        if (mistake == 3) options.version = "2.x";
        if (mistake == 4) options.build_date = "yesterday";
        if (mistake == 5) options.store.write = NULL;
        if (mistake == 8) options.offline_uses = 501;
        if (mistake == 9) options.offline_uses = -1;
        if (mistake == 10) options.servers = &none;
        if (mistake == 11) options.product_id = NULL;
        if (mistake == 12) {
            memset(&options.store, 0, sizeof options.store);
            options.directory = too_long;
        }
        if (mistake == 6 || mistake == 7) {
            options.public_keys = mistake == 6 ? LICENSE_FILE_KEYS : &bad_key;
            options.public_key_count = 1;
            options.issuer = mistake == 6 ? NULL : "urn:latchkey:x";
        }
        CHECK(latchkey_create(&options, &error) == NULL && error.result == LATCHKEY_ERROR_OPTION);
        CHECK(error.message[0] != '\0');
    }
}

/** A transport that does not stop when the client has enough. */
static latchkey_sent send_too_much(void *context, const latchkey_request *request, latchkey_answer *answer) {
    static char blanks[LATCHKEY_LARGEST_ANSWER];
    (void)service_send(context, request, answer);
    memset(blanks, ' ', sizeof blanks);
    CHECK(!latchkey_answer_body(answer, blanks, sizeof blanks));
    CHECK(!latchkey_answer_body(answer, " ", 1));
    return LATCHKEY_SENT;
}

static void test_too_much(void) {
    service world = service_begin();
    latchkey_options options = service_options(&world);
    latchkey_error error;
    options.transport.send = send_too_much;
    latchkey_client *client = latchkey_create(&options, NULL);
    CHECK(latchkey_activate(client, "AAAAA-BBBBB", &error) == LATCHKEY_ERROR_UNREACHABLE);
    CHECK(error.problem == LATCHKEY_PROBLEM_NETWORK && strstr(error.message, "too large") != NULL);
    latchkey_destroy(client);
}

static int changes;

/** A storage whose lock was taken for abandoned twice. */
static latchkey_stored write_anew(void *context, const char *text, size_t length, char why[LATCHKEY_TEXT_SIZE]) {
    return ++changes < 3 ? LATCHKEY_STORED_ANEW : service_write(context, text, length, why);
}

static latchkey_stored remove_never(void *context, char why[LATCHKEY_TEXT_SIZE]) {
    (void)context;
    (void)snprintf(why, LATCHKEY_TEXT_SIZE, "Input/output error");
    return LATCHKEY_STORED_FAILED;
}

/** A storage of an app with nothing but what it must have, and with a text that is no state. */
static void test_own_storage(void) {
    service world = service_begin();
    latchkey_options options = service_options(&world);
    latchkey_state state;
    options.store.write = write_anew;
    options.store.remove = remove_never;
    world.stored = (char *)malloc(8);
    CHECK(world.stored != NULL);
    (void)snprintf(world.stored, 8, "no JSON");
    latchkey_client *client = latchkey_create(&options, NULL);
    CHECK(latchkey_start(client, NULL) == LATCHKEY_OK && status_of(client) == LATCHKEY_UNLICENSED);
    latchkey_get_state(client, &state);
    CHECK(state.storage_problem[0] != '\0');
    CHECK(latchkey_activate(client, "AAAAA-BBBBB", NULL) == LATCHKEY_OK && changes > 3);
    CHECK(strstr(world.stored, "AAAAA-BBBBB") != NULL);
    CHECK(latchkey_deactivate(client, NULL) == LATCHKEY_OK && status_of(client) == LATCHKEY_UNLICENSED);
    latchkey_get_state(client, &state);
    CHECK(strstr(state.storage_problem, "Input/output error") != NULL);
    latchkey_destroy(client);
    free(world.stored);
}

/** Stands for the library of an app. It allocates nothing, as the client's own code, which takes longer. */
static bool accept_signature(void *context, const unsigned char key[32], const void *message, size_t length,
                             const unsigned char signature[64]) {
    (void)context;
    return key[0] == 0xCE && message != NULL && length > 100 && signature != NULL;
}

/** Plays most of what an app does. Returns whether the license ended as refused. */
static bool play(service *world, bool is_floating) {
    latchkey_options options = service_options(world);
    static const latchkey_use use = {"exports", 1, "one"};
    latchkey_feature_value value;
    latchkey_consumption became;
    latchkey_error error;
    options.user = "ada@example.com";
    options.offline_uses = 5;
    options.release = LATCHKEY_RELEASE_ALWAYS;
    options.public_keys = LICENSE_FILE_KEYS;
    options.public_key_count = 2;
    options.issuer = LICENSE_FILE_ISSUER;
    options.verifier.verify = accept_signature;
    options.build_date = "2026-01-01";
    options.version = "2.3.1";
    world->license_type = is_floating ? "floating" : "per-machine";
    world->file = LICENSE_FILE_JSON;
    latchkey_client *client = latchkey_create(&options, &error);
    if (client == NULL) {
        CHECK(error.result == LATCHKEY_ERROR_MEMORY);
        return false;
    }
    (void)latchkey_start(client, NULL);
    (void)latchkey_start_trial(client, "indie", "ada@example.com", NULL);
    (void)latchkey_activate(client, "AAAAA-6WFGJ", NULL);
    (void)latchkey_feature(client, "edition", &value);
    (void)latchkey_consume(client, &use, NULL, NULL);
    world->refusal = "";
    const latchkey_result used = latchkey_consume(client, &use, &became, &error);
    world->refusal = NULL;
    if (used == LATCHKEY_OK) CHECK(became.is_queued && strstr(world->stored, "\"requestId\":\"one\"") != NULL);
    (void)latchkey_import_file(client, LICENSE_FILE_TEXT, NULL);
    service_pass(world, 3000);
    (void)latchkey_check(client, NULL);
    service_pass(world, 120000);
    (void)latchkey_work(client);
    latchkey_free_text(client, latchkey_export_request(client, "AAAAA-6WFGJ", NULL));
    world->new_key = "AAAAA-NEW42";
    if (is_floating) {
        latchkey_close(client);
        const char *given_back = "\"licenseKey\":\"AAAAA-NEW42\",\"token\":null";
        CHECK(world->failing > 0 || strstr(world->stored, given_back) != NULL);
        (void)latchkey_start(client, NULL);
    } else {
        (void)latchkey_consume(client, &use, NULL, NULL);
        CHECK(has_moved(world) || world->failing > 0);
        service_pass(world, 3000);
        (void)latchkey_check(client, NULL);
    }
    service_pass(world, 90000000);
    world->refusal = "license_revoked";
    (void)latchkey_work(client);
    /* With memory again, the next check hears the refusal. */
    world->failing = 0;
    service_pass(world, 4000000);
    (void)latchkey_work(client);
    const bool is_refused = status_of(client) == LATCHKEY_REFUSED;
    world->refusal = NULL;
    service_pass(world, 4000000);
    (void)latchkey_work(client);
    const bool is_licensed = status_of(client) == LATCHKEY_LICENSED;
    CHECK(latchkey_deactivate(client, NULL) == LATCHKEY_OK);
    latchkey_close(client);
    latchkey_destroy(client);
    return is_refused && is_licensed;
}

static void test_memory(bool is_floating, bool fails_on) {
    service counting = service_begin();
    CHECK(play(&counting, is_floating));
    free(counting.stored);
    const long total = counting.allocations;
    CHECK(total > 100);
    for (long failing = 1; failing <= total; failing++) {
        service world = service_begin();
        world.failing = failing;
        world.fails_on = fails_on;
        (void)play(&world, is_floating);
        free(world.stored);
    }
}

int main(void) {
    test_life();
    test_trial_and_uses();
    test_replacement();
    test_third_key();
    test_storage();
    test_options();
    test_too_much();
    test_own_storage();
    for (int kind = 0; kind < 4; kind++) test_memory(kind & 1, kind & 2);
    (void)puts("an app lives with the client");
    return 0;
}
