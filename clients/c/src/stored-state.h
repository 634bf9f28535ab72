/*
 * The state between starts: one JSON text, which the clients of all languages share (section 2). Nothing in it is
 * trusted without a check, because anything may have changed it.
 */

#define LK_LARGEST_STATE 262144
#define LK_MOST_USES 500

/** Texts are NULL, and numbers LATCHKEY_NONE, where the fact is unknown. */
typedef struct lk_facts {
    const char *hint, *product_id, *variant, *license_type, *expires_at, *grace_until, *updates_until, *max_version;
    int64_t days_remaining, machines_used, max_machines;
    /** An object of names to true, false, numbers and texts; absent for none. */
    lk_json features;
} lk_facts;

typedef struct lk_stored {
    /** Keeps everything below. */
    lk_block *block;
    const char *license_key, *token, *file;
    bool has_facts;
    lk_facts facts;
    /** An array of texts; absent for none. */
    lk_json key_lists;
    /** An array of uses of meters without an answer, the oldest first; absent for none. */
    lk_json uses;
    int64_t last_good_at, activated_at, seat_until, seat_beat_at, refused_at;
    /** The code of a stored refusal; NULL without one. */
    const char *refusal;
    lk_times times;
} lk_stored;

static void lk_clear_facts(lk_facts *facts) {
    memset(facts, 0, sizeof *facts);
    facts->days_remaining = facts->machines_used = facts->max_machines = LATCHKEY_NONE;
}

static void lk_clear_stored(lk_stored *stored) {
    memset(stored, 0, sizeof *stored);
    lk_clear_facts(&stored->facts);
    stored->last_good_at = stored->activated_at = stored->refused_at = LATCHKEY_NONE;
    stored->seat_until = stored->seat_beat_at = LATCHKEY_NONE;
}

/** Reads a member that is a text or null. `may_be_absent`: of a later form. `room` is where the text is decoded to. */
static bool lk_read_text(lk_json object, const char *name, bool may_be_absent, char **room, const char **text) {
    const lk_json value = lk_json_get(object, name);
    *text = NULL;
    if (lk_json_is_null(value) || (may_be_absent && value.at == NULL)) return true;
    if (!lk_json_is_text(value)) return false;
    *text = *room;
    *room += lk_json_decode(value, *room) + 1;
    return true;
}

static bool lk_read_number(lk_json object, const char *name, int64_t *number) {
    const lk_json value = lk_json_get(object, name);
    *number = LATCHKEY_NONE;
    return lk_json_is_null(value) || lk_json_number(value, number, NULL);
}

static bool lk_read_moment_time(lk_json object, const char *name, int64_t *time) {
    return lk_json_number(lk_json_get(object, name), time, NULL) && *time <= LK_LAST_DATE_MS &&
           *time >= -LK_LAST_DATE_MS;
}

static bool lk_read_time_or_null(lk_json object, const char *name, int64_t *time) {
    *time = LATCHKEY_NONE;
    return lk_json_is_null(lk_json_get(object, name)) || lk_read_moment_time(object, name, time);
}

/** Whether a value is a feature that an app can read: true, false, a number or a text. */
static bool lk_is_feature(lk_json value) {
    int64_t number;
    return lk_json_is_true(value) || lk_json_is_false(value) || lk_json_is_text(value) ||
           lk_json_number(value, &number, NULL);
}

static bool lk_are_features(lk_json value) {
    lk_json feature = {NULL, NULL}, name;
    if (!lk_json_is(value, '{')) return false;
    while (lk_json_next(value, &feature, &name))
        if (!lk_is_feature(feature)) return false;
    return true;
}

static bool lk_is_time_text(const char *text) {
    int64_t time;
    return text == NULL || lk_read_time(text, &time);
}

static bool lk_read_facts(lk_json object, char **room, lk_facts *facts) {
    const lk_json features = lk_json_get(object, "features");
    if (!lk_json_is(object, '{')) return false;
    if (lk_are_features(features))
        facts->features = features;
    else if (features.at != NULL && !lk_json_is_null(features))
        return false;
    return lk_read_text(object, "licenseKeyHint", false, room, &facts->hint) && facts->hint != NULL &&
           lk_read_text(object, "productId", false, room, &facts->product_id) && facts->product_id != NULL &&
           lk_read_text(object, "variant", false, room, &facts->variant) &&
           lk_read_text(object, "licenseType", false, room, &facts->license_type) &&
           lk_read_text(object, "licenseExpiresAt", false, room, &facts->expires_at) &&
           lk_is_time_text(facts->expires_at) && lk_read_text(object, "graceUntil", true, room, &facts->grace_until) &&
           lk_is_time_text(facts->grace_until) &&
           lk_read_text(object, "updatesUntil", true, room, &facts->updates_until) &&
           lk_is_time_text(facts->updates_until) &&
           lk_read_text(object, "maxVersion", true, room, &facts->max_version) &&
           lk_read_number(object, "daysRemaining", &facts->days_remaining) &&
           lk_read_number(object, "machinesUsed", &facts->machines_used) &&
           lk_read_number(object, "maxMachines", &facts->max_machines);
}

static bool lk_read_moment(lk_json object, const char *name, lk_moment *moment) {
    const lk_json value = lk_json_get(object, name);
    moment->is_known = lk_json_is(value, '{');
    if (!moment->is_known) return lk_json_is_null(value);
    return lk_read_moment_time(value, "time", &moment->time) && lk_read_moment_time(value, "local", &moment->local);
}

/** Whether a value is an array of uses of meters, or absent. */
static bool lk_are_uses(lk_json uses) {
    lk_json use = {NULL, NULL};
    int64_t units, at;
    int count = 0;
    if (uses.at == NULL) return true;
    if (!lk_json_is(uses, '[')) return false;
    while (lk_json_next(uses, &use, NULL))
        if (++count > LK_MOST_USES || !lk_json_is_text(lk_json_get(use, "meter")) ||
            !lk_json_is_text(lk_json_get(use, "requestId")) || !lk_json_integer(lk_json_get(use, "units"), &units) ||
            units < 0 || !lk_read_moment_time(use, "at", &at))
            return false;
    return true;
}

/** The number of uses. `is_found` receives whether one of them has this id. */
static int lk_count_uses(lk_json uses, const char *request_id, bool *is_found) {
    lk_json use = {NULL, NULL};
    int count = 0;
    *is_found = false;
    for (; uses.at != NULL && lk_json_next(uses, &use, NULL); count++)
        if (lk_json_equals(lk_json_get(use, "requestId"), request_id)) *is_found = true;
    return count;
}

static bool lk_read_fields(lk_json fields, char *room, lk_stored *stored) {
    const lk_json facts = lk_json_get(fields, "facts"), tombstone = lk_json_get(fields, "tombstone");
    const lk_json seat = lk_json_get(fields, "seat"), times = lk_json_get(fields, "times");
    lk_json list = {NULL, NULL};
    int64_t version;
    if (!lk_json_integer(lk_json_get(fields, "v"), &version) || version != 1) return false;
    stored->has_facts = !lk_json_is_null(facts);
    if (stored->has_facts && !lk_read_facts(facts, &room, &stored->facts)) return false;
    if (!lk_json_is_null(tombstone) &&
        (!lk_read_text(tombstone, "code", false, &room, &stored->refusal) || stored->refusal == NULL ||
         !lk_read_moment_time(tombstone, "at", &stored->refused_at)))
        return false;
    if (!lk_json_is_null(seat) && (!lk_read_moment_time(seat, "until", &stored->seat_until) ||
                                   !lk_read_moment_time(seat, "beatAt", &stored->seat_beat_at)))
        return false;
    stored->key_lists = lk_json_get(fields, "keyLists");
    if (!lk_json_is(stored->key_lists, '[')) return false;
    while (lk_json_next(stored->key_lists, &list, NULL))
        if (!lk_json_is_text(list)) return false;
    stored->uses = lk_json_get(fields, "uses");
    return lk_are_uses(stored->uses) && lk_read_text(fields, "licenseKey", false, &room, &stored->license_key) &&
           lk_read_text(fields, "token", false, &room, &stored->token) &&
           lk_read_text(fields, "file", false, &room, &stored->file) &&
           lk_read_time_or_null(fields, "lastGoodAt", &stored->last_good_at) &&
           lk_read_time_or_null(fields, "activatedAt", &stored->activated_at) && lk_json_is(times, '{') &&
           lk_read_moment(times, "trusted", &stored->times.trusted) &&
           lk_read_moment(times, "confirmed", &stored->times.confirmed) &&
           lk_read_moment(times, "seen", &stored->times.seen);
}

typedef enum lk_read_result { LK_READ, LK_READ_BROKEN, LK_READ_NO_MEMORY } lk_read_result;

/** Reads a stored text into one block, which `stored` then owns. */
static lk_read_result lk_read_stored(const lk_memory *memory, const char *text, size_t length, lk_stored *stored) {
    lk_json fields;
    lk_clear_stored(stored);
    if (length > LK_LARGEST_STATE) return LK_READ_BROKEN;
    stored->block = (lk_block *)lk_allocate(memory, sizeof(lk_block) + 2 * (length + 1));
    if (stored->block == NULL) return LK_READ_NO_MEMORY;
    char *kept = (char *)(stored->block + 1);
    if (length > 0) memcpy(kept, text, length);
    kept[length] = '\0';
    if (lk_json_read(kept, length, &fields) && lk_read_fields(fields, kept + length + 1, stored)) return LK_READ;
    lk_free(memory, stored->block);
    lk_clear_stored(stored);
    return LK_READ_BROKEN;
}

static void lk_add_name(lk_buffer *buffer, const char *name) {
    const char last = buffer->length > 0 ? buffer->at[buffer->length - 1] : '{';
    if (last != '{') lk_add_text(buffer, ",");
    lk_add_json(buffer, name);
    lk_add_text(buffer, ":");
}

static void lk_add_text_or_null(lk_buffer *buffer, const char *name, const char *text) {
    lk_add_name(buffer, name);
    if (text == NULL)
        lk_add_text(buffer, "null");
    else
        lk_add_json(buffer, text);
}

static void lk_add_number_or_null(lk_buffer *buffer, const char *name, int64_t number) {
    char digits[24];
    lk_add_name(buffer, name);
    (void)snprintf(digits, sizeof digits, "%lld", (long long)number);
    lk_add_text(buffer, number == LATCHKEY_NONE ? "null" : digits);
}

static void lk_add_raw(lk_buffer *buffer, const char *name, lk_json value, const char *otherwise) {
    lk_add_name(buffer, name);
    if (value.at == NULL)
        lk_add_text(buffer, otherwise);
    else
        lk_add(buffer, value.at, (size_t)(value.end - value.at));
}

static void lk_add_moment(lk_buffer *buffer, const char *name, const lk_moment *moment) {
    lk_add_name(buffer, name);
    if (!moment->is_known) {
        lk_add_text(buffer, "null");
        return;
    }
    lk_add_text(buffer, "{");
    lk_add_number_or_null(buffer, "time", moment->time);
    lk_add_number_or_null(buffer, "local", moment->local);
    lk_add_text(buffer, "}");
}

static void lk_add_facts(lk_buffer *buffer, const lk_facts *facts) {
    lk_add_text(buffer, "{");
    lk_add_text_or_null(buffer, "licenseKeyHint", facts->hint);
    lk_add_text_or_null(buffer, "productId", facts->product_id);
    lk_add_text_or_null(buffer, "variant", facts->variant);
    lk_add_text_or_null(buffer, "licenseType", facts->license_type);
    lk_add_text_or_null(buffer, "licenseExpiresAt", facts->expires_at);
    lk_add_number_or_null(buffer, "daysRemaining", facts->days_remaining);
    lk_add_number_or_null(buffer, "machinesUsed", facts->machines_used);
    lk_add_number_or_null(buffer, "maxMachines", facts->max_machines);
    lk_add_text_or_null(buffer, "graceUntil", facts->grace_until);
    lk_add_text_or_null(buffer, "updatesUntil", facts->updates_until);
    lk_add_text_or_null(buffer, "maxVersion", facts->max_version);
    lk_add_raw(buffer, "features", facts->features, "null");
    lk_add_text(buffer, "}");
}

static void lk_write_stored(lk_buffer *buffer, const lk_stored *stored) {
    lk_json first = {NULL, NULL};
    lk_add_text(buffer, "{\"v\":1");
    lk_add_text_or_null(buffer, "licenseKey", stored->license_key);
    lk_add_text_or_null(buffer, "token", stored->token);
    lk_add_name(buffer, "facts");
    if (stored->has_facts)
        lk_add_facts(buffer, &stored->facts);
    else
        lk_add_text(buffer, "null");
    lk_add_text_or_null(buffer, "file", stored->file);
    lk_add_raw(buffer, "keyLists", stored->key_lists, "[]");
    lk_add_number_or_null(buffer, "lastGoodAt", stored->last_good_at);
    lk_add_name(buffer, "tombstone");
    lk_add_text(buffer, stored->refusal == NULL ? "null" : "{");
    if (stored->refusal != NULL) {
        lk_add_text_or_null(buffer, "code", stored->refusal);
        lk_add_number_or_null(buffer, "at", stored->refused_at);
        lk_add_text(buffer, "}");
    }
    lk_add_name(buffer, "seat");
    lk_add_text(buffer, stored->seat_until == LATCHKEY_NONE ? "null" : "{");
    if (stored->seat_until != LATCHKEY_NONE) {
        lk_add_number_or_null(buffer, "until", stored->seat_until);
        lk_add_number_or_null(buffer, "beatAt", stored->seat_beat_at);
        lk_add_text(buffer, "}");
    }
    lk_add_number_or_null(buffer, "activatedAt", stored->activated_at);
    lk_add_name(buffer, "times");
    lk_add_text(buffer, "{");
    lk_add_moment(buffer, "trusted", &stored->times.trusted);
    lk_add_moment(buffer, "confirmed", &stored->times.confirmed);
    lk_add_moment(buffer, "seen", &stored->times.seen);
    lk_add_text(buffer, "}");
    if (stored->uses.at != NULL && lk_json_next(stored->uses, &first, NULL))
        lk_add_raw(buffer, "uses", stored->uses, "[]");
    lk_add_text(buffer, "}");
}

/** The newest moment in a state, apart from its `times`; LATCHKEY_NONE without one. */
static int64_t lk_latest_in(const lk_stored *stored) {
    return lk_later(lk_later(stored->last_good_at, stored->refused_at),
                    lk_later(stored->seat_beat_at, stored->activated_at));
}

/**
 * Whether a state has a license but no times. A client never writes such a state: somebody removed the times, so that
 * only the machine's clock would count.
 */
static bool lk_lacks_times(const lk_stored *stored) {
    return (stored->license_key != NULL || stored->file != NULL) && !stored->times.trusted.is_known &&
           !stored->times.confirmed.is_known && !stored->times.seen.is_known;
}
