/* Fuzzes the reader of JSON, and of the stored state, which anything may have changed. */
#include "../latchkey.c"

#include "check.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/** Uses every value, so that a wrong end is read. Not recursive, because the texts are deep. */
static size_t walk(lk_json value) {
    lk_json each = {NULL, NULL}, name;
    int64_t number, time;
    char shown[16], text[LATCHKEY_TIME_SIZE];
    size_t count = 1;
    (void)lk_json_number(value, &number, NULL);
    (void)lk_json_is_text(value);
    lk_json_show(value, shown, sizeof shown);
    if (lk_read_json_time(value, &time)) (void)latchkey_format_time(time, text);
    if (lk_json_is(value, '[')) {
        while (lk_json_next(value, &each, NULL)) count += each.end > each.at;
    } else if (lk_json_is(value, '{')) {
        while (lk_json_next(value, &each, &name)) {
            CHECK(each.end > each.at && each.end <= value.end && name.at < each.at);
            CHECK(lk_json_get(value, "no such name").at == NULL || name.at != NULL);
            count++;
        }
    }
    return count;
}

/** What is written again is read as the same. */
static void read_state(const char *text, size_t size) {
    const lk_memory memory = {lk_reallocate_by_default, NULL};
    lk_buffer written = {&memory, NULL, 0, 0, false}, again = {&memory, NULL, 0, 0, false};
    lk_stored stored, second;
    if (lk_read_stored(&memory, text, size, &stored) != LK_READ) return;
    lk_write_stored(&written, &stored);
    CHECK(!written.has_failed && lk_read_stored(&memory, written.at, written.length, &second) == LK_READ);
    lk_write_stored(&again, &second);
    CHECK(written.length == again.length && memcmp(written.at, again.at, again.length) == 0);
    lk_release(&written);
    lk_release(&again);
    lk_free(&memory, stored.block);
    lk_free(&memory, second.block);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    /* A copy, so that the sanitizer sees a read behind the end. */
    char *text = (char *)malloc(size + 1);
    lk_json value;
    CHECK(text != NULL);
    if (size > 0) memcpy(text, data, size);
    text[size] = '\0';
    if (lk_json_read(text, size, &value)) {
        CHECK(value.at >= text && value.end <= text + size && walk(value) > 0);
        read_state(text, size);
    }
    free(text);
    return 0;
}
