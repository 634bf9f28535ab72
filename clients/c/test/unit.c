/*
 * Tests of the parts of the client, which are static, so that this file includes them. Arguments: the vectors of
 * signatures, and those of license files.
 */
#include "../latchkey.c"

#include "check.h"

static const lk_memory memory = {lk_reallocate_by_default, NULL};

/** Reads a whole file of JSON. */
static lk_buffer read_whole(const char *path, lk_json *value) {
    lk_buffer text = {&memory, NULL, 0, 0, false};
    char part[4096];
    FILE *file = fopen(path, "rb");
    CHECK(file != NULL);
    for (size_t length; (length = fread(part, 1, sizeof part, file)) > 0;) lk_add(&text, part, length);
    CHECK(fclose(file) == 0 && !text.has_failed);
    CHECK(lk_json_read(text.at, text.length, value));
    return text;
}

/** A member that is a text; free it. */
static char *text_of(lk_json object, const char *name) {
    const lk_json value = lk_json_get(object, name);
    CHECK_CASE(lk_json_is(value, '"'), name);
    char *text = (char *)malloc((size_t)(value.end - value.at));
    CHECK(text != NULL);
    (void)lk_json_decode(value, text);
    return text;
}

/** Decodes hexadecimal digits in place. */
static size_t unhex(char *text) {
    size_t length = 0;
    for (; text[2 * length] != '\0'; length++)
        text[length] = (char)(lk_hex(text[2 * length]) << 4 | lk_hex(text[2 * length + 1]));
    return length;
}

static void test_hashes(void) {
    /* The hash of the hashes of all messages of 0 to 299 bytes, as OpenSSL has it. */
    unsigned char message[300], digest[64], all[64];
    char hex[129];
    lk_sha512 hash, outer;
    lk_buffer digests = {&memory, NULL, 0, 0, false};
    for (size_t i = 0; i < sizeof message; i++) message[i] = (unsigned char)(i * 7);
    lk_sha512_begin(&outer);
    for (size_t length = 0; length < sizeof message; length++) {
        lk_sha512_begin(&hash);
        lk_sha512_add(&hash, message, length / 3);
        lk_sha512_add(&hash, message + length / 3, length - length / 3);
        lk_sha512_end(&hash, digest);
        lk_sha512_add(&outer, digest, 64);
        lk_sha256(message, length / 3, message + length / 3, length - length / 3, digest);
        lk_add(&digests, digest, 32);
    }
    lk_sha512_end(&outer, all);
    for (size_t i = 0; i < 64; i++) (void)snprintf(hex + 2 * i, 3, "%02x", (unsigned)all[i]);
    CHECK(strcmp(hex, "8dbfff7fba0e8bdbab57c3b7ce89219cf36e43c426ac64166db2ed89c603f2e189f415de2614e940d4abc94ffb5f3db0"
                      "da34196e9b42d6150fab1546a662ec58") == 0);
    lk_sha256("", 0, digests.at, digests.length, all);
    for (size_t i = 0; i < 32; i++) (void)snprintf(hex + 2 * i, 3, "%02x", (unsigned)all[i]);
    CHECK(strcmp(hex, "f65f14b090e805017546322e618401d41f0710c213e013a5131eb38bbe8f367f") == 0);
    lk_release(&digests);
}

static void test_signatures(const char *path) {
    lk_json vectors, each = {NULL, NULL};
    lk_buffer text = read_whole(path, &vectors);
    int count = 0;
    while (lk_json_next(lk_json_get(vectors, "cases"), &each, NULL)) {
        char *name = text_of(each, "name"), *key = text_of(each, "publicKey");
        char *message = text_of(each, "message"), *signature = text_of(each, "signature");
        const size_t key_length = unhex(key), message_length = unhex(message), signature_length = unhex(signature);
        const bool is_valid = lk_json_equals(lk_json_get(each, "result"), "valid");
        /* What libraries decide differently is refused here. */
        const bool is_accepted =
            key_length == 32 && signature_length == 64 &&
            lk_ed25519_verify((const unsigned char *)key, message, message_length, (const unsigned char *)signature);
        CHECK_CASE(is_accepted == is_valid, name);
        count++;
        free(name);
        free(key);
        free(message);
        free(signature);
    }
    CHECK(count >= 70);
    lk_release(&text);
}

/** The expected values of a case, or of all cases. */
static lk_json expected_of(lk_json all, lk_json own, const char *name) {
    const lk_json value = lk_json_get(own, name);
    return value.at != NULL ? value : lk_json_get(all, name);
}

static void test_license_file(lk_json all, lk_json each, bool is_good) {
    const lk_json own = lk_json_get(each, "expected"), keys = expected_of(all, own, "publicKeys");
    latchkey_options options;
    latchkey_public_key known[4];
    latchkey_claims claims;
    lk_json key = {NULL, NULL}, mine = {NULL, NULL};
    int64_t now = 0;
    char *texts[8], *name = text_of(each, "name"), *file = text_of(each, "file");
    size_t count = 0;
    memset(&options, 0, sizeof options);
    while (lk_json_next(keys, &key, NULL)) {
        known[options.public_key_count].kid = texts[count++] = text_of(key, "kid");
        known[options.public_key_count++].x = texts[count++] = text_of(key, "x");
    }
    options.public_keys = known;
    mine = own.at == NULL ? all : own;
    CHECK(lk_json_integer(expected_of(all, own, "now"), &now));
    options.issuer = text_of(lk_json_get(mine, "issuer").at == NULL ? all : mine, "issuer");
    options.product_id = text_of(lk_json_get(mine, "productId").at == NULL ? all : mine, "productId");
    options.fingerprint = text_of(lk_json_get(mine, "fingerprint").at == NULL ? all : mine, "fingerprint");
    const latchkey_file_problem problem = latchkey_read_file(&options, file, strlen(file), now * 1000, &claims);
    CHECK_CASE((problem == LATCHKEY_FILE_GOOD) == is_good, name);
    if (is_good) {
        const char *const fingerprint = options.fingerprint;
        options.fingerprint = NULL;
        CHECK_CASE(latchkey_read_file(&options, file, strlen(file), now * 1000, NULL) == LATCHKEY_FILE_GOOD, name);
        options.fingerprint = fingerprint;
        const lk_json expected = lk_json_get(each, "claims");
        int64_t number;
        CHECK_CASE(lk_json_equals(lk_json_get(expected, "productId"), claims.facts.product_id), name);
        CHECK_CASE(lk_json_equals(lk_json_get(expected, "keyHint"), claims.facts.license_key_hint), name);
        if (lk_json_is_null(lk_json_get(expected, "exp")))
            CHECK_CASE(claims.ends_at == LATCHKEY_NONE, name);
        else
            CHECK_CASE(lk_json_integer(lk_json_get(expected, "exp"), &number) && claims.ends_at == number * 1000, name);
    }
    free((char *)(uintptr_t)options.issuer);
    free((char *)(uintptr_t)options.product_id);
    free((char *)(uintptr_t)options.fingerprint);
    while (count > 0) free(texts[--count]);
    free(name);
    free(file);
}

static void test_license_files(const char *path) {
    lk_json vectors, each = {NULL, NULL};
    lk_buffer text = read_whole(path, &vectors);
    int count = 0;
    for (; lk_json_next(lk_json_get(vectors, "accepted"), &each, NULL); count++)
        test_license_file(lk_json_get(vectors, "expected"), each, true);
    each.at = NULL;
    for (; lk_json_next(lk_json_get(vectors, "refused"), &each, NULL); count++)
        test_license_file(lk_json_get(vectors, "expected"), each, false);
    CHECK(count >= 45);
    lk_release(&text);
}

static bool is_json(const char *text) {
    lk_json value;
    return lk_json_read(text, strlen(text), &value);
}

static void test_json(void) {
    static const char *const good[] = {"null",
                                       " [1 , 2.5e+10, -0, \"\\u00e9\\n\"] ",
                                       "{}",
                                       "[]",
                                       "{\"a\":{\"b\":[{},[]]},\"c\":true}",
                                       "\"\xE2\x82\xAC\"",
                                       "1e400",
                                       "\"\\ud800\""};
    static const char *const bad[] = {"",
                                      "nul",
                                      "[1,]",
                                      "{\"a\"}",
                                      "{\"a\":1,}",
                                      "01",
                                      "1.",
                                      ".5",
                                      "+1",
                                      "1e",
                                      "\"\t\"",
                                      "\"\\x\"",
                                      "\"",
                                      "[1 2]",
                                      "{\"a\":1",
                                      "[1]]",
                                      "[1}",
                                      "{1:2}",
                                      "\"\\u12g4\"",
                                      "-",
                                      "[",
                                      "\xFF",
                                      "\"\xC0\x80\"",
                                      "\"\xED\xA0\x80\"",
                                      "<html>",
                                      "true false",
                                      "{,}",
                                      "[,1]",
                                      "\"\xE2\x82\"",
                                      "\"\xE0\x80\x80\"",
                                      "\"\xF0\x80\x80\x80\"",
                                      "\"\xF4\x90\x80\x80\"",
                                      "\"\xF5\x80\x80\x80\"",
                                      "\"\\u12"};
    lk_json value;
    int64_t number;
    bool whole;
    char out[64], deep[LK_DEEPEST * 2 + 3];
    for (size_t i = 0; i < LK_COUNT(good); i++) CHECK_CASE(is_json(good[i]), good[i]);
    for (size_t i = 0; i < LK_COUNT(bad); i++) CHECK_CASE(!is_json(bad[i]), bad[i]);
    for (int extra = 0; extra < 2; extra++) {
        const size_t depth = LK_DEEPEST + (size_t)extra;
        memset(deep, '[', depth);
        memset(deep + depth, ']', depth);
        deep[2 * depth] = '\0';
        CHECK(is_json(deep) == (extra == 0));
    }
    const char *text = "{\"a\":1,\"b\":[\"x\"],\"\\u0061\":\"\\ud83d\\ude00 \\\"z\",\"n\":\"\\u0000\"}";
    CHECK(lk_json_read(text, strlen(text), &value));
    CHECK(lk_json_equals(lk_json_get(value, "a"), "\xF0\x9F\x98\x80 \"z"));
    CHECK(lk_json_decode(lk_json_get(value, "a"), out) == 7);
    CHECK(lk_json_get(value, "missing").at == NULL && lk_json_get(lk_json_get(value, "b"), "a").at == NULL);
    CHECK(!lk_json_is_text(lk_json_get(value, "n")));
    /* Half a pair of surrogates is the sign for what cannot be shown. */
    for (int i = 0; i < 3; i++) {
        static const char *const halves[] = {"\"\\ud83dx\"", "\"\\ude00x\"", "\"\\ud83d\\u0078\""};
        CHECK(lk_json_read(halves[i], strlen(halves[i]), &value) && lk_json_equals(value, "\xEF\xBF\xBDx"));
    }
    lk_buffer written = {&memory, NULL, 0, 0, false};
    lk_add_json(&written, "\x01\t\"\\");
    CHECK(strcmp(written.at, "\"\\u0001\\t\\\"\\\\\"") == 0);
    lk_release(&written);
    static const struct {
        const char *text;
        int64_t number;
        bool is_number, is_whole;
    } numbers[] = {{"0", 0, true, true},
                   {"-12", -12, true, true},
                   {"1.50e1", 15, true, true},
                   {"1e3", 1000, true, true},
                   {"1.5", 1, true, false},
                   {"-1.5", -1, true, false},
                   {"1803979800123.4565", 1803979800123, true, false},
                   {"9007199254740991", 9007199254740991, true, true},
                   {"1e-400", 0, true, false},
                   {"1e99", 0, false, false},
                   {"100000000000000000000", 0, false, false}};
    for (size_t i = 0; i < LK_COUNT(numbers); i++) {
        CHECK(lk_json_read(numbers[i].text, strlen(numbers[i].text), &value));
        CHECK_CASE(lk_json_number(value, &number, &whole) == numbers[i].is_number, numbers[i].text);
        if (!numbers[i].is_number) continue;
        CHECK_CASE(number == numbers[i].number && whole == numbers[i].is_whole, numbers[i].text);
    }
}

static void test_times(void) {
    static const struct {
        const char *text;
        int64_t time;
    } good[] = {{"1970-01-01T00:00:00.000Z", 0},
                {"2027-05-31", INT64_C(1811721600000)},
                {"2026-11-28T07:43:26.123Z", INT64_C(1795851806123)},
                {"2026-11-28T09:43:26.5+02:00", INT64_C(1795851806500)},
                {"2024-02-29T23:59:59Z", INT64_C(1709251199000)},
                {"0000-01-01T00:00:00.000Z", LK_EARLIEST_MS},
                {"9999-12-31T23:59:59.999Z", LK_LATEST_MS}};
    static const char *const bad[] = {"",
                                      "2026",
                                      "2026-13-01",
                                      "2026-11-28 07:43",
                                      "2026-11-28T7:43:26Z",
                                      "2026-11-28T07:43:26",
                                      "2026-11-28T25:43:26Z",
                                      "2026-11-28T07:43:26.Z",
                                      "2026-11-28T07:43:26Zx",
                                      "2026-00-01",
                                      "2026-11-31",
                                      "2026-11-00",
                                      "2026/11/28",
                                      "2026-11-28T07:60:00Z",
                                      "2026-11-28T07:43:60Z",
                                      "2026-11-28T24:00:01Z",
                                      "2026-11-28T07:43:26+2:00",
                                      "tomorrow"};
    int64_t time;
    char text[LATCHKEY_TIME_SIZE];
    for (size_t i = 0; i < LK_COUNT(good); i++)
        CHECK_CASE(lk_read_time(good[i].text, &time) && time == good[i].time, good[i].text);
    for (size_t i = 0; i < LK_COUNT(bad); i++) CHECK_CASE(!lk_read_time(bad[i], &time), bad[i]);
    CHECK(lk_read_http_date("Sun, 06 Nov 1994 08:49:37 GMT", &time) && time == INT64_C(784111777000));
    static const char *const no_dates[] = {"",
                                           "Sun, 06 Nov 1994 08:49:37",
                                           "Sun,06 Nov 1994 08:49:37 GMT",
                                           "Sun, 6 Nov 1994 08:49:37 GMT",
                                           "Sun, 06 Nox 1994 08:49:37 GMT",
                                           "Sun, 06 Nov 94 08:49:37 GMT",
                                           "Sun, 06 Nov 1994 08:49 GMT"};
    for (size_t i = 0; i < LK_COUNT(no_dates); i++) CHECK_CASE(!lk_read_http_date(no_dates[i], &time), no_dates[i]);
    for (int64_t at = LK_EARLIEST_MS; at < LK_LATEST_MS; at += 86399999 * INT64_C(37)) {
        (void)latchkey_format_time(at, text);
        CHECK_CASE(lk_read_time(text, &time) && time == at, text);
    }
    (void)latchkey_format_time(INT64_MAX, text);
    CHECK(strcmp(text, "9999-12-31T23:59:59.999Z") == 0);
}

static void test_texts(void) {
    char cut[4];
    const lk_text space = lk_trimmed(lk_text_of(" \t\xC2\xA0 a b \xE2\x80\x83\n"));
    lk_copy(cut, sizeof cut, lk_text_of("a\xE2\x82\xAC"));
    CHECK(strcmp(cut, "a") == 0);
    CHECK(space.length == 3 && memcmp(space.at, "a b", 3) == 0);
    CHECK(lk_trimmed(lk_text_of("  ")).length == 0);
}

/** A folder of its own in the working folder of the test. */
static lk_folder folder_named(const char *name) {
    lk_folder folder;
    memset(&folder, 0, sizeof folder);
    folder.memory = &memory;
    folder.silent_ms = LK_HOUR_MS;
    (void)snprintf(folder.path, sizeof folder.path, "%s-%ld", name, lk_system_process());
    return folder;
}

static void remove_in(const lk_folder *folder, const char *name) {
    char path[LK_PATH_SIZE + 128];
    lk_path(folder, name, NULL, path);
    (void)remove(path);
}

static void test_default_folder(void) {
    char path[LK_PATH_SIZE], expected[LK_PATH_SIZE];
    char long_home[LK_PATH_SIZE];
    CHECK(setenv("XDG_STATE_HOME", "/state", 1) == 0);
    CHECK(lk_default_folder("My.App_2-x/\xC3\xA9~", path) && strcmp(path, "/state/latchkey/My.App_2-x___") == 0);
    memset(long_home, 'x', sizeof long_home - 1);
    long_home[0] = '/';
    long_home[sizeof long_home - 1] = '\0';
    CHECK(setenv("XDG_STATE_HOME", long_home, 1) == 0 && !lk_default_folder("app", path));
    CHECK(setenv("XDG_STATE_HOME", "", 1) == 0 && lk_default_folder("app", path));
    (void)snprintf(expected, sizeof expected, "%.900s/.local/state/latchkey/app", getenv("HOME"));
    CHECK(strcmp(path, expected) == 0);
    CHECK(unsetenv("HOME") == 0 && !lk_default_folder("app", path));
}

/** A writer whose lock another process took for abandoned starts over, and puts back a lock that it moved by mistake.
 */
static void test_lost_lock(void) {
    lk_folder folder = folder_named("lost-lock");
    char path[LK_PATH_SIZE + 128], why[LATCHKEY_TEXT_SIZE];
    lk_path(&folder, "lock", NULL, path);
    for (int removes = 0; removes < 2; removes++) {
        lk_folder_lock(&folder);
        CHECK(folder.lock[0] != '\0' && remove(path) == 0 && lk_system_create(path, "another", 7, false));
        const latchkey_stored result =
            removes ? lk_folder_remove(&folder, why) : lk_folder_write(&folder, "{}", 2, why);
        CHECK(result == LATCHKEY_STORED_ANEW && folder.lock[0] == '\0');
        lk_break_lock(&folder, path, "abandoned");
        lk_folder_unlock(&folder);
        CHECK(remove(path) == 0);
    }
    lk_folder_lock(&folder);
    CHECK(lk_folder_write(&folder, "{}", 2, why) == LATCHKEY_STORED);
    CHECK(remove(path) == 0 && lk_system_create(path, "another", 7, false));
    lk_folder_unlock(&folder);
    CHECK(remove(path) == 0);
    remove_in(&folder, "state");
    CHECK(remove(folder.path) == 0);
}

/** The random id of a machine is made once, and in the place of an empty file. */
static void test_kept_id(void) {
    const lk_folder folder = folder_named("kept-id");
    char first[64], again[64], path[LK_PATH_SIZE + 128];
    CHECK(lk_kept_id(&folder, first) && strlen(first) == 36 && first[14] == '4');
    CHECK(lk_kept_id(&folder, again) && strcmp(first, again) == 0);
    lk_path(&folder, "machine-id", NULL, path);
    CHECK(remove(path) == 0 && lk_system_create(path, "", 0, false));
    CHECK(lk_kept_id(&folder, again) && strlen(again) == 36 && strcmp(first, again) != 0);
    CHECK(remove(path) == 0 && remove(folder.path) == 0);
}

int main(int count, char **arguments) {
    CHECK(count == 3);
    test_hashes();
    test_signatures(arguments[1]);
    test_license_files(arguments[2]);
    test_json();
    test_times();
    test_texts();
    test_default_folder();
    test_lost_lock();
    test_kept_id();
    (void)puts("the parts of the client are right");
    return 0;
}
