/*
 * Delivers new signing keys to apps that were built before them (section 11). The service publishes lists of its keys,
 * each signed by an older key, so that a compiled-in key leads to all later ones.
 */

#define LK_MOST_LISTS 16

/** The keys to which lists lead, the compiled-in ones first. */
typedef struct lk_key_ring {
    const lk_memory *memory;
    lk_key *keys;
    size_t count, size;
    /** The texts of the lists that brought a new key, in the order in which they did. */
    lk_json used[LK_MOST_LISTS];
    size_t used_count;
    /** Keep the decoded payloads, in which the ids are. */
    char *payloads[LK_MOST_LISTS];
    size_t payload_count;
} lk_key_ring;

static void lk_release_ring(lk_key_ring *ring) {
    for (size_t i = 0; i < ring->payload_count; i++) lk_free(ring->memory, ring->payloads[i]);
    lk_free(ring->memory, ring->keys);
}

static bool lk_add_key(lk_key_ring *ring, lk_text id, const unsigned char x[32]) {
    if (ring->count == ring->size) {
        const size_t size = ring->size * 2 + 4;
        lk_key *larger = (lk_key *)ring->memory->reallocate(ring->memory->context, ring->keys, size * sizeof(lk_key));
        if (larger == NULL) return false;
        ring->keys = larger;
        ring->size = size;
    }
    ring->keys[ring->count].id = id;
    memcpy(ring->keys[ring->count++].x, x, 32);
    return true;
}

/** The 32 bytes of a public key, from its base64url. */
static bool lk_read_key(lk_text text, unsigned char x[32]) {
    size_t length;
    return text.length == 43 && lk_decode_base64url(text, x, &length);
}

static bool lk_knows_key(const lk_key_ring *ring, const latchkey_options *options, lk_json id) {
    for (size_t i = 0; i < options->stolen_key_count; i++)
        if (lk_json_equals(id, options->stolen_keys[i])) return true;
    for (size_t i = 0; i < ring->count; i++)
        if (lk_json_equals_text(id, ring->keys[i].id)) return true;
    return false;
}

/** Adds the keys of a genuine list. Returns false if memory runs out. `scratch` is the decoded payload and kept. */
static bool lk_add_keys(lk_key_ring *ring, const latchkey_options *options, lk_json keys, bool *is_useful) {
    lk_json key = {NULL, NULL};
    unsigned char bytes[32];
    *is_useful = false;
    while (lk_json_next(keys, &key, NULL)) {
        const lk_json id = lk_json_get(key, "kid"), x = lk_json_get(key, "x");
        if (!lk_json_is_text(id) || !lk_json_is_text(x) || lk_knows_key(ring, options, id)) continue;
        /* A key of the service needs no escapes. */
        const lk_text name = {id.at + 1, (size_t)(id.end - id.at) - 2}, text = {x.at + 1, (size_t)(x.end - x.at) - 2};
        if (memchr(name.at, '\\', name.length) != NULL || !lk_read_key(text, bytes)) continue;
        if (!lk_add_key(ring, name, bytes)) return false;
        *is_useful = true;
    }
    return true;
}

typedef enum lk_listed { LK_LISTED, LK_LISTED_NOT, LK_LISTED_NO_MEMORY } lk_listed;

/** Reads one list. LK_LISTED_NOT: it is not genuine, or not yet known to be. */
static lk_listed lk_read_list(const lk_expected *expected, lk_json list, const latchkey_options *options,
                              lk_key_ring *ring) {
    lk_expected now_expected = *expected;
    lk_json payload;
    bool is_useful = false;
    const size_t size = (size_t)(list.end - list.at);
    char *jws = (char *)lk_allocate(ring->memory, size), *scratch = (char *)lk_allocate(ring->memory, size);
    lk_listed result = LK_LISTED_NO_MEMORY;
    now_expected.keys = ring->keys;
    now_expected.key_count = ring->count;
    if (jws != NULL && scratch != NULL) {
        const lk_text text = {jws, lk_json_decode(list, jws)};
        result = LK_LISTED_NOT;
        if (lk_verify_jws(&now_expected, text, "latchkey-keys+jwt", scratch, &payload) == LATCHKEY_FILE_GOOD &&
            lk_json_equals(lk_json_get(payload, "iss"), expected->issuer) &&
            lk_json_is(lk_json_get(payload, "keys"), '['))
            result =
                lk_add_keys(ring, options, lk_json_get(payload, "keys"), &is_useful) ? LK_LISTED : LK_LISTED_NO_MEMORY;
    }
    lk_free(ring->memory, jws);
    if (is_useful) {
        ring->used[ring->used_count++] = list;
        ring->payloads[ring->payload_count++] = scratch;
    } else {
        lk_free(ring->memory, scratch);
    }
    return result;
}

/**
 * Finds every key to which the signed lists lead.
 *
 * @param expected has the compiled-in keys and the issuer
 * @param lists an array of texts, in any order; lists that are not genuine are ignored
 * @param ring receives the keys; free it in any case
 * @returns false if memory runs out
 */
static bool lk_follow_key_lists(const lk_expected *expected, const latchkey_options *options, lk_json lists,
                                lk_key_ring *ring) {
    lk_json open[LK_MOST_LISTS], list = {NULL, NULL};
    size_t open_count = 0, before;
    memset(ring, 0, sizeof *ring);
    ring->memory = expected->memory;
    for (size_t i = 0; i < expected->key_count; i++)
        if (!lk_add_key(ring, expected->keys[i].id, expected->keys[i].x)) return false;
    while (lists.at != NULL && open_count < LK_MOST_LISTS && lk_json_next(lists, &list, NULL))
        open[open_count++] = list;
    do {
        before = open_count;
        size_t left = 0;
        for (size_t i = 0; i < before; i++) {
            const lk_listed result = lk_read_list(expected, open[i], options, ring);
            if (result == LK_LISTED_NO_MEMORY) return false;
            if (result == LK_LISTED_NOT) open[left++] = open[i];
        }
        open_count = left;
    } while (open_count != before && open_count > 0);
    return true;
}
