/* Checks the app's options, and copies them into one block (rule 4.1). */

/** A part of the texts that are copied: first they are measured, then copied. */
typedef struct lk_texts {
    char *at;
    size_t size;
} lk_texts;

static const char *lk_take(lk_texts *texts, const char *text) {
    if (text == NULL) return NULL;
    const size_t size = strlen(text) + 1;
    char *copy = texts->at == NULL ? NULL : texts->at + texts->size;
    texts->size += size;
    if (copy == NULL) return text;
    memcpy(copy, text, size);
    return copy;
}

/** Room for `count` pointers at the begin of the copied texts, where pointers are aligned. */
static const char **lk_take_list(lk_texts *texts, const char *const *list, size_t count) {
    const char **copy = texts->at == NULL ? NULL : (const char **)(void *)(texts->at + texts->size);
    texts->size += count * sizeof *copy;
    for (size_t i = 0; copy != NULL && i < count; i++) copy[i] = list[i];
    return copy;
}

/** Drops slashes at the end of an address. */
static void lk_trim_slashes(const char *address) {
    char *end = (char *)(uintptr_t)address + strlen(address);
    while (end[-1] == '/') *--end = '\0';
}

static void lk_take_texts(lk_texts *texts, latchkey_options *options) {
    const char **servers = lk_take_list(texts, options->servers, options->server_count);
    const char **stolen = lk_take_list(texts, options->stolen_keys, options->stolen_key_count);
    for (size_t i = 0; i < options->server_count; i++) {
        const char *server = lk_take(texts, options->servers[i]);
        if (servers == NULL) continue;
        lk_trim_slashes(server);
        servers[i] = server;
    }
    for (size_t i = 0; i < options->stolen_key_count; i++) {
        const char *id = lk_take(texts, options->stolen_keys[i]);
        if (stolen != NULL) stolen[i] = id;
    }
    const char **const fields[] = {&options->product_id, &options->issuer,  &options->fingerprint, &options->hostname,
                                   &options->build_date, &options->version, &options->user};
    for (size_t i = 0; i < LK_COUNT(fields); i++) *fields[i] = lk_take(texts, *fields[i]);
    if (servers == NULL) return;
    options->servers = servers;
    options->stolen_keys = stolen;
}

static bool lk_begins_with(const char *text, const char *begin) { return strncmp(text, begin, strlen(begin)) == 0; }

/** `https`, or `http` to this machine. */
static bool lk_is_address(const char *address) {
    static const char *const here[] = {"http://localhost", "http://127.0.0.1", "http://[::1]"};
    if (address == NULL || strpbrk(address, " \t\r\n\"<>") != NULL) return false;
    if (lk_begins_with(address, "https://")) return address[8] != '\0' && address[8] != '/';
    for (size_t i = 0; i < LK_COUNT(here); i++) {
        const char next = lk_begins_with(address, here[i]) ? address[strlen(here[i])] : 'x';
        if (next == '\0' || next == ':' || next == '/') return true;
    }
    return false;
}

/** Whether a text is a version: dotted whole numbers, and anything behind a hyphen or a plus. */
static bool lk_is_version(const char *at) {
    for (;;) {
        int digits = 0;
        for (; lk_is_digit(*at); at++) digits++;
        if (digits == 0 || digits > 15) return false;
        if (*at != '.') return *at == '\0' || *at == '-' || *at == '+';
        at++;
    }
}

/** The first mistake in the options; NULL without one. */
static const char *lk_mistake_in(const latchkey_options *options) {
    const latchkey_store *store = &options->store;
    unsigned char x[32];
    int64_t time;
    if (options->server_count == 0) return "servers is missing";
    for (size_t i = 0; i < options->server_count; i++)
        if (!lk_is_address(options->servers[i])) return "servers has an address that is not https";
    if (options->product_id == NULL || *options->product_id == '\0') return "product_id is missing";
    if (options->public_key_count > 0 && (options->issuer == NULL || *options->issuer == '\0'))
        return "public_keys need the issuer of the license files";
    for (size_t i = 0; i < options->public_key_count; i++)
        if (options->public_keys[i].kid == NULL || options->public_keys[i].x == NULL ||
            !lk_read_key(lk_text_of(options->public_keys[i].x), x))
            return "public_keys has a key that is not valid";
    if (options->transport.send == NULL) return "transport is missing";
    if (options->build_date != NULL && !lk_read_time(options->build_date, &time)) return "build_date is not ISO 8601";
    if (options->version != NULL && !lk_is_version(options->version)) return "version is not dotted numbers";
    if (options->offline_uses < 0 || options->offline_uses > LK_MOST_USES) return "offline_uses is not from 0 to 500";
    if (store->read != NULL && (store->write == NULL || store->remove == NULL)) return "store lacks write or remove";
    return NULL;
}

/** Copies the compiled-in keys behind each other: the keys, then their ids. */
static bool lk_take_keys(const lk_memory *memory, const latchkey_options *options, lk_key **keys) {
    size_t size = 0;
    for (size_t i = 0; i < options->public_key_count; i++) size += sizeof(lk_key) + strlen(options->public_keys[i].kid);
    *keys = (lk_key *)lk_allocate(memory, size);
    if (*keys == NULL) return false;
    char *ids = (char *)(*keys + options->public_key_count);
    for (size_t i = 0; i < options->public_key_count; i++) {
        const lk_text id = lk_text_of(options->public_keys[i].kid);
        (void)lk_read_key(lk_text_of(options->public_keys[i].x), (*keys)[i].x);
        (*keys)[i].id.at = (const char *)memcpy(ids, id.at, id.length);
        (*keys)[i].id.length = id.length;
        ids += id.length;
    }
    return true;
}

static void lk_default(int64_t *value, int64_t otherwise) {
    if (*value <= 0) *value = otherwise;
}

/** Sets what the app left out. */
static void lk_fill_in(latchkey_client *self, char hostname[LATCHKEY_TEXT_SIZE]) {
    const latchkey_clock clock = {lk_system_now, lk_system_monotonic, LK_COUNTS_SLEEP, NULL};
    const latchkey_store folder = {lk_folder_read,   lk_folder_write,     lk_folder_remove,     lk_folder_lock,
                                   lk_folder_unlock, lk_folder_set_aside, lk_folder_written_at, lk_folder_beat,
                                   lk_folder_leave,  &self->folder};
    latchkey_options *options = &self->options;
    if (options->clock.now == NULL) options->clock = clock;
    if (options->store.read == NULL) options->store = folder;
    lk_default(&options->heartbeat_ms, 5 * 60 * LK_SECOND_MS);
    lk_default(&options->request_timeout_ms, 10 * LK_SECOND_MS);
    lk_default(&options->grace_ms, 30 * LK_DAY_MS);
    lk_default(&options->grace_floating_ms, LK_DAY_MS);
    if (options->hostname == NULL) {
        lk_system_hostname(hostname, LATCHKEY_TEXT_SIZE);
        options->hostname = hostname;
    }
    if (lk_trimmed(lk_text_of(options->hostname)).length == 0) options->hostname = "Unnamed computer";
}
