/* Measures the stack that the client needs, with its own storage and signatures: below 16 KiB. Not with sanitizers. */
/* pthread_attr_setstack and posix_memalign. */
#define _GNU_SOURCE

#include "service.h"

#include "license-file-text.h"

#include <pthread.h>

#define STACK_BYTES 262144
#define MOST_BYTES 16384
#define PATTERN 0xA5

static unsigned char *stack;
static char *lowest_before;

/** The deepest byte that was written. */
static size_t used_below(const char *top) {
    size_t untouched = 0;
    while (untouched < STACK_BYTES && stack[untouched] == PATTERN) untouched++;
    return (size_t)(top - (const char *)(stack + untouched));
}

static void *play(void *directory) {
    char here;
    service world = service_begin();
    latchkey_options options = service_options(&world);
    static const latchkey_use use = {"exports", 1, NULL};
    latchkey_consumption became;
    latchkey_feature_value value;
    lowest_before = &here;
    options.public_keys = LICENSE_FILE_KEYS;
    options.public_key_count = 2;
    options.issuer = LICENSE_FILE_ISSUER;
    options.store.read = NULL;
    options.directory = (const char *)directory;
    options.fingerprint = NULL;
    world.file = LICENSE_FILE_JSON;
    latchkey_client *client = latchkey_create(&options, NULL);
    CHECK(client != NULL && latchkey_start(client, NULL) == LATCHKEY_OK);
    CHECK(latchkey_start_trial(client, "indie", NULL, NULL) == LATCHKEY_OK);
    CHECK(latchkey_activate(client, "AAAAA-6WFGJ", NULL) == LATCHKEY_OK);
    CHECK(latchkey_import_file(client, LICENSE_FILE_TEXT, NULL) == LATCHKEY_ERROR_FILE);
    world.new_key = "AAAAA-NEW42";
    CHECK(latchkey_consume(client, &use, &became, NULL) == LATCHKEY_OK);
    service_pass(&world, 90000000);
    (void)latchkey_work(client);
    (void)latchkey_feature(client, "edition", &value);
    latchkey_free_text(client, latchkey_export_request(client, "AAAAA-6WFGJ", NULL));
    world.new_key = "AAAAA-NEW43";
    CHECK(latchkey_deactivate(client, NULL) == LATCHKEY_OK);
    latchkey_close(client);
    latchkey_destroy(client);
    return NULL;
}

int main(int count, char **arguments) {
    pthread_attr_t attributes;
    pthread_t thread;
    CHECK(count == 2);
    CHECK(posix_memalign((void **)&stack, 4096, STACK_BYTES) == 0);
    memset(stack, PATTERN, STACK_BYTES);
    CHECK(pthread_attr_init(&attributes) == 0 && pthread_attr_setstack(&attributes, stack, STACK_BYTES) == 0);
    CHECK(pthread_create(&thread, &attributes, play, arguments[1]) == 0 && pthread_join(thread, NULL) == 0);
    const size_t used = used_below(lowest_before);
    (void)printf("the client needs %zu bytes of stack\n", used);
    CHECK(used > 1024 && used < MOST_BYTES);
    (void)pthread_attr_destroy(&attributes);
    free(stack);
    return 0;
}
