/* Threads that read, work and change one client at once; the thread sanitizer watches. */
#include "service.h"

#include <pthread.h>
#include <stdatomic.h>

static latchkey_client *client;
static atomic_bool is_over;
static atomic_int reads;

static void *read_on(void *unused) {
    latchkey_state state;
    latchkey_feature_value value;
    (void)unused;
    while (!atomic_load(&is_over)) {
        latchkey_get_state(client, &state);
        CHECK(state.status <= LATCHKEY_REFUSED && strcmp(state.facts.product_id, "") >= 0);
        if (latchkey_feature(client, "edition", &value)) CHECK(strcmp(value.text, "Studio") == 0);
        (void)latchkey_next_check(client);
        CHECK(latchkey_may_run(client) || state.status != LATCHKEY_GRACE);
        atomic_fetch_add(&reads, 1);
    }
    return NULL;
}

static void *change_on(void *key) {
    for (int i = 0; i < 200; i++) {
        (void)latchkey_activate(client, (const char *)key, NULL);
        (void)latchkey_check(client, NULL);
        (void)latchkey_work(client);
        if (i % 10 == 9) (void)latchkey_deactivate(client, NULL);
    }
    return NULL;
}

int main(void) {
    service world = service_begin();
    latchkey_options options = service_options(&world);
    pthread_t readers[2], changers[2];
    client = latchkey_create(&options, NULL);
    CHECK(client != NULL && latchkey_start(client, NULL) == LATCHKEY_OK);
    for (int i = 0; i < 2; i++) CHECK(pthread_create(&readers[i], NULL, read_on, NULL) == 0);
    for (int i = 0; i < 2; i++)
        CHECK(pthread_create(&changers[i], NULL, change_on, i == 0 ? "AAAAA-AAAAA" : "BBBBB-BBBBB") == 0);
    for (int i = 0; i < 2; i++) CHECK(pthread_join(changers[i], NULL) == 0);
    atomic_store(&is_over, true);
    for (int i = 0; i < 2; i++) CHECK(pthread_join(readers[i], NULL) == 0);
    CHECK(atomic_load(&reads) > 0);
    latchkey_destroy(client);
    free(world.stored);
    (void)puts("threads share the client");
    return 0;
}
