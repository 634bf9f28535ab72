/*
 * Everything known about the license on this machine: the stored state, the verified file, and the outcome of the last
 * call.
 */

/** The fields of the stored state that a change sets. */
enum {
    LK_SET_TOKEN = 1,
    LK_SET_FACTS = 2,
    LK_SET_FILE = 4,
    LK_SET_KEY_LISTS = 8,
    LK_SET_LAST_GOOD = 16,
    LK_SET_REFUSAL = 32,
    LK_SET_SEAT = 64,
    LK_SET_ACTIVATED = 128,
    /** Adds the uses of the change, or removes them. */
    LK_ADD_USES = 256,
    LK_DROP_USES = 512,
    LK_SET_KEY = 1024
};

/** Begins an outcome, without the failures before it. */
static void lk_begin(latchkey_client *self, lk_outcome_kind outcome) {
    self->outcome = outcome;
    self->outcomes++;
    self->answered_at = LATCHKEY_NONE;
    self->failures = 0;
    self->not_before = 0;
}

static void lk_forget_outcome(latchkey_client *self) {
    lk_begin(self, LK_NOT_ASKED);
    self->polls = 0;
}

/** Forgets what this process learned about a license. */
static void lk_forget_license(latchkey_client *self) {
    lk_forget_outcome(self);
    memset(&self->answered_terms, 0, sizeof self->answered_terms);
}

/** Takes over a state. Answers about one license say nothing of another. */
static void lk_adopt(latchkey_client *self, const lk_stored *state) {
    if (!lk_same(state->license_key, self->stored.license_key)) {
        lk_forget_license(self);
        self->key_number++;
    }
    lk_retire(self, self->stored.block);
    self->stored = *state;
}

static void lk_hash(const char *text, size_t length, unsigned char hash[32]) { lk_sha256("", 0, text, length, hash); }

static void lk_storage_failed(latchkey_client *self, const char *what, const char *why) {
    const bool is_new = self->storage_problem[0] == '\0';
    (void)snprintf(self->storage_problem, sizeof self->storage_problem, "cannot %s the state: %.200s", what, why);
    if (is_new) lk_log(self, self->storage_problem);
}

/** Takes over the text that was read. */
static void lk_take_text(latchkey_client *self, const char *text, size_t length) {
    unsigned char hash[32];
    lk_stored state;
    lk_clear_stored(&state);
    lk_hash(text, length, hash);
    const lk_read_result result = lk_read_stored(&self->memory, text, length, &state);
    if (result == LK_READ_NO_MEMORY) {
        self->has_no_memory = true;
        return;
    }
    memcpy(self->text_hash, hash, sizeof hash);
    self->is_unread = false;
    self->storage_problem[0] = '\0';
    if (result == LK_READ) {
        self->is_known = true;
        lk_adopt(self, &state);
        return;
    }
    (void)snprintf(self->storage_problem, sizeof self->storage_problem, "the stored state cannot be read");
    self->is_known = true;
    if (memcmp(hash, self->broken_hash, sizeof hash) == 0) return;
    memcpy(self->broken_hash, hash, sizeof hash);
    lk_log(self, self->storage_problem);
    if (self->options.store.set_aside == NULL) return;
    self->options.store.set_aside(self->options.store.context, text, length);
}

/** Reads the stored state, which another process may have changed. If it cannot be read, the known one stays. */
static void lk_read_state(latchkey_client *self) {
    const latchkey_store *store = &self->options.store;
    char why[LATCHKEY_TEXT_SIZE] = "";
    lk_buffer text = {&self->memory, NULL, 0, 0, false};
    lk_stored empty;
    if (self->is_ahead) return;
    const latchkey_stored result = store->read(store->context, (latchkey_sink *)&text, why);
    if (text.has_failed) {
        self->has_no_memory = true;
    } else if (result == LATCHKEY_STORED) {
        lk_take_text(self, text.at == NULL ? "" : text.at, text.length);
    } else if (result == LATCHKEY_STORED_NOTHING) {
        self->storage_problem[0] = '\0';
        self->is_unread = false;
        self->is_known = true;
        memset(self->text_hash, 0, sizeof self->text_hash);
        lk_clear_stored(&empty);
        lk_adopt(self, &empty);
    } else {
        lk_storage_failed(self, "read", why);
        self->is_unread = !self->is_known;
    }
    lk_release(&text);
}

static void lk_expect(const latchkey_client *self, const lk_key *keys, size_t key_count, int64_t now,
                      lk_expected *expected) {
    const lk_expected values = {&self->memory,
                                &self->options.verifier,
                                keys,
                                key_count,
                                self->options.issuer,
                                self->options.product_id,
                                self->fingerprint,
                                now};
    *expected = values;
}

/** Verifies a license file for this machine with the keys to which `key_lists` lead. */
static latchkey_file_problem lk_verify_here(latchkey_client *self, const char *text, lk_json key_lists, int64_t now,
                                            lk_file *file) {
    lk_key_ring ring;
    lk_expected expected;
    lk_expect(self, self->keys, self->options.public_key_count, now, &expected);
    latchkey_file_problem problem = LATCHKEY_FILE_NO_MEMORY;
    if (lk_follow_key_lists(&expected, &self->options, key_lists, &ring)) {
        lk_expect(self, ring.keys, ring.count, now, &expected);
        problem = lk_verify_file(&expected, lk_text_of(text), file);
    } else {
        memset(file, 0, sizeof *file);
    }
    lk_release_ring(&ring);
    if (problem == LATCHKEY_FILE_NO_MEMORY) self->has_no_memory = true;
    return problem;
}

/** Verifies the stored file. If it is not genuine, it counts for nothing and stays stored. */
static void lk_read_stored_file(latchkey_client *self) {
    lk_file file;
    memset(&file, 0, sizeof file);
    if (self->stored.file != NULL)
        (void)lk_verify_here(self, self->stored.file, self->stored.key_lists, LATCHKEY_NONE, &file);
    lk_retire(self, self->file.block);
    self->file = file;
    if (file.block != NULL) lk_at_least(&self->clock, file.issued_at);
}

typedef enum lk_kept { LK_KEPT, LK_KEPT_ANOTHER, LK_KEPT_NOT } lk_kept;

/** Writes a state, and takes it over. `state` may point anywhere. */
static latchkey_stored lk_write_state(latchkey_client *self, const lk_stored *state) {
    const latchkey_store *store = &self->options.store;
    char why[LATCHKEY_TEXT_SIZE] = "";
    lk_buffer text = {&self->memory, NULL, 0, 0, false};
    lk_stored fresh;
    latchkey_stored result = LATCHKEY_STORED_FAILED;
    lk_write_stored(&text, state);
    if (text.has_failed || self->has_no_memory ||
        lk_read_stored(&self->memory, text.at, text.length, &fresh) != LK_READ) {
        self->has_no_memory = true;
        lk_release(&text);
        return result;
    }
    result = store->write(store->context, text.at, text.length, why);
    if (result == LATCHKEY_STORED_ANEW) {
        lk_free(&self->memory, fresh.block);
    } else {
        if (result == LATCHKEY_STORED) lk_hash(text.at, text.length, self->text_hash);
        self->is_ahead = result != LATCHKEY_STORED;
        self->is_known = true;
        if (self->is_ahead)
            lk_storage_failed(self, "write", why);
        else
            self->storage_problem[0] = '\0';
        lk_adopt(self, &fresh);
    }
    lk_release(&text);
    return result;
}

static void lk_lock_store(latchkey_client *self, bool locks) {
    const latchkey_store *store = &self->options.store;
    void (*const act)(void *) = locks ? store->lock : store->unlock;
    if (act == NULL) return;
    act(store->context);
}

/** How often a change is made again because another process took the lock for abandoned. */
#define LK_REPEATS 3

/** Uses with another one behind them, if there is room and it is not among them, or without it. */
static lk_json lk_changed_uses(latchkey_client *self, lk_json uses, lk_json changed, bool adds) {
    lk_json use = {NULL, NULL}, each = {NULL, NULL};
    lk_buffer list = {&self->memory, NULL, 0, 0, false};
    const char *request_id = lk_json_next(changed, &use, NULL) ? lk_text_in(self, lk_json_get(use, "requestId")) : NULL;
    bool is_found;
    if (request_id == NULL) return uses;
    const bool has_room = lk_count_uses(uses, request_id, &is_found) < self->options.offline_uses;
    lk_add_text(&list, "[");
    while (uses.at != NULL && lk_json_next(uses, &each, NULL))
        if (adds || !lk_json_equals(lk_json_get(each, "requestId"), request_id)) lk_add_item(&list, each);
    if (adds && has_room && !is_found) lk_add_item(&list, use);
    lk_add_text(&list, "]");
    return lk_kept_json(self, &list);
}

static void lk_apply(latchkey_client *self, lk_stored *state, unsigned fields, const lk_stored *changes) {
    if (fields & (LK_ADD_USES | LK_DROP_USES))
        state->uses = lk_changed_uses(self, state->uses, changes->uses, fields & LK_ADD_USES);
    if (fields & LK_SET_KEY) state->license_key = changes->license_key;
    if (fields & LK_SET_TOKEN) state->token = changes->token;
    if (fields & LK_SET_FILE) state->file = changes->file;
    if (fields & LK_SET_KEY_LISTS) state->key_lists = changes->key_lists;
    if (fields & LK_SET_LAST_GOOD) state->last_good_at = changes->last_good_at;
    if (fields & LK_SET_ACTIVATED) state->activated_at = changes->activated_at;
    if (fields & LK_SET_FACTS) {
        state->has_facts = changes->has_facts;
        state->facts = changes->facts;
    }
    if (fields & LK_SET_REFUSAL) {
        state->refusal = changes->refusal;
        state->refused_at = changes->refused_at;
    }
    if (fields & LK_SET_SEAT) {
        state->seat_until = changes->seat_until;
        state->seat_beat_at = changes->seat_beat_at;
    }
}

/**
 * Changes fields of the stored state. Does nothing if another process has stored another license, or none, since this
 * one read it; that license stays. Returns LK_KEPT_NOT if memory runs out, and then nothing has changed.
 */
static lk_kept lk_keep(latchkey_client *self, unsigned fields, const lk_stored *changes) {
    const unsigned key_number = self->key_number;
    const lk_times times = self->clock.times;
    const char *file = self->stored.file;
    latchkey_stored written = LATCHKEY_STORED_ANEW;
    for (int repeats = 0; written == LATCHKEY_STORED_ANEW; repeats++) {
        lk_lock_store(self, repeats < LK_REPEATS);
        lk_read_state(self);
        const bool is_same = self->key_number == key_number;
        written = LATCHKEY_STORED;
        if (is_same && !self->has_no_memory) {
            lk_stored next = self->stored;
            lk_apply(self, &next, fields, changes);
            next.times = times;
            written = lk_write_state(self, &next);
        }
        lk_lock_store(self, false);
    }
    if (self->has_no_memory) return LK_KEPT_NOT;
    if (!lk_same(self->stored.file, file)) lk_read_stored_file(self);
    return self->key_number == key_number ? LK_KEPT : LK_KEPT_ANOTHER;
}

/** Replaces the stored state. Returns false if memory runs out, and then nothing has changed. */
static bool lk_replace(latchkey_client *self, lk_stored *state) {
    const char *file = self->stored.file;
    latchkey_stored written = LATCHKEY_STORED_ANEW;
    state->times = self->clock.times;
    for (int repeats = 0; written == LATCHKEY_STORED_ANEW; repeats++) {
        lk_lock_store(self, repeats < LK_REPEATS);
        written = lk_write_state(self, state);
        lk_lock_store(self, false);
    }
    if (self->has_no_memory) return false;
    lk_forget_license(self);
    if (!lk_same(self->stored.file, file)) lk_read_stored_file(self);
    return true;
}

/** Forgets the license, and removes the stored state. */
static void lk_forget(latchkey_client *self) {
    const latchkey_store *store = &self->options.store;
    char why[LATCHKEY_TEXT_SIZE] = "";
    lk_stored empty;
    latchkey_stored removed = LATCHKEY_STORED_ANEW;
    for (int repeats = 0; removed == LATCHKEY_STORED_ANEW; repeats++) {
        lk_lock_store(self, repeats < LK_REPEATS);
        removed = store->remove(store->context, why);
        lk_lock_store(self, false);
    }
    self->is_ahead = removed == LATCHKEY_STORED_FAILED;
    self->is_known = true;
    self->storage_problem[0] = self->is_ahead ? self->storage_problem[0] : '\0';
    if (self->is_ahead)
        lk_storage_failed(self, "write", why);
    else
        memset(self->text_hash, 0, sizeof self->text_hash);
    lk_clear_stored(&empty);
    lk_adopt(self, &empty);
    lk_forget_license(self);
    lk_retire(self, self->file.block);
    memset(&self->file, 0, sizeof self->file);
}

/** Finds the fingerprint. A function of the app may fail at the moment. */
static bool lk_find_fingerprint(latchkey_client *self) {
    char found[513] = "";
    if (self->fingerprint[0] != '\0') return true;
    bool is_found = true;
    if (self->options.find_fingerprint != NULL)
        is_found = self->options.find_fingerprint(self->options.fingerprint_context, found);
    else if (self->options.fingerprint != NULL)
        (void)snprintf(found, sizeof found, "%s", self->options.fingerprint);
    else
        is_found = lk_machine_fingerprint(&self->folder, self->options.product_id, found);
    found[sizeof found - 1] = '\0';
    is_found = is_found && found[0] != '\0';
    if (is_found) memcpy(self->fingerprint, found, sizeof found);
    (void)snprintf(self->fingerprint_problem, sizeof self->fingerprint_problem, "%s",
                   is_found ? "" : "cannot find the fingerprint of this machine");
    return is_found;
}

/** After the times were removed from the state, it is no earlier than any other known moment. */
static void lk_compare_times(latchkey_client *self) {
    const latchkey_store *store = &self->options.store;
    lk_at_least(&self->clock, lk_latest_in(&self->stored));
    if (store->written_at != NULL) lk_at_least(&self->clock, store->written_at(store->context));
}

/**
 * Reads the stored state, and verifies its file. Returns LATCHKEY_ERROR_NO_FINGERPRINT without a fingerprint, as no
 * call and no file is of use without one; the rest of the stored state counts nevertheless.
 */
static latchkey_result lk_load(latchkey_client *self) {
    const bool was_named = self->fingerprint[0] != '\0', is_named = lk_find_fingerprint(self);
    const char *file = self->stored.file;
    lk_stored none;
    lk_clear_stored(&none);
    lk_read_state(self);
    if (self->has_no_memory) return LATCHKEY_ERROR_MEMORY;
    lk_restore_times(&self->clock, &self->stored.times);
    if (lk_lacks_times(&self->stored)) lk_compare_times(self);
    const bool is_new = lk_look(&self->clock);
    if (is_named && (!was_named || !lk_same(self->stored.file, file))) lk_read_stored_file(self);
    if (is_new && (self->stored.license_key != NULL || self->file.block != NULL)) (void)lk_keep(self, 0, &none);
    if (self->has_no_memory) return LATCHKEY_ERROR_MEMORY;
    return is_named ? LATCHKEY_OK : LATCHKEY_ERROR_NO_FINGERPRINT;
}

/** There was no answer, or an inconclusive one. */
static void lk_miss(latchkey_client *self, latchkey_problem kind, const char *detail, int64_t retry_after_ms) {
    self->failures++;
    self->not_before = lk_monotonic(&self->clock) + (retry_after_ms == LATCHKEY_NONE ? 0 : retry_after_ms);
    /* Disconnecting does not restore a lost seat. */
    if (self->outcome == LK_IS_WAITING || self->outcome == LK_IS_RELEASED) return;
    if (self->outcome != LK_PROBLEM) {
        self->trouble_since = self->answered_at != LATCHKEY_NONE           ? self->answered_at
                              : self->stored.last_good_at != LATCHKEY_NONE ? self->stored.last_good_at
                                                                           : lk_now(&self->clock);
    }
    self->outcome = LK_PROBLEM;
    self->outcomes++;
    self->trouble.kind = kind;
    (void)snprintf(self->trouble.detail, sizeof self->trouble.detail, "%s", detail);
}

/** An operation ran out of memory: the license is not known to be good or bad. */
static void lk_miss_memory(latchkey_client *self) {
    lk_miss(self, LATCHKEY_PROBLEM_NETWORK, "there was not enough memory for a check", LATCHKEY_NONE);
}

/** Remembers the terms of an answer, as anybody may change the stored ones. Returns false if memory runs out. */
static bool lk_keep_terms(latchkey_client *self, const lk_facts *facts) {
    const lk_json features = facts->features;
    const size_t length = features.at == NULL ? 0 : (size_t)(features.end - features.at);
    const size_t version = facts->max_version == NULL ? 0 : strlen(facts->max_version) + 1;
    lk_block *block = (lk_block *)lk_allocate(&self->memory, sizeof(lk_block) + length + version);
    if (block == NULL) {
        self->has_no_memory = true;
        return false;
    }
    lk_retire(self, self->answered_block);
    self->answered_block = block;
    char *kept = (char *)(block + 1);
    lk_terms terms = {true, {NULL, NULL}, {NULL, NULL}, lk_time_in(facts->updates_until), NULL};
    if (length > 0) {
        terms.features.at = (const char *)memcpy(kept, features.at, length);
        terms.features.end = kept + length;
    }
    if (version > 0) terms.max_version = (const char *)memcpy(kept + length, facts->max_version, version);
    self->answered_terms = terms;
    return true;
}

/** The service accepted the license. `seat_ends_at` is by the clock of the service. */
static void lk_accept(latchkey_client *self, unsigned fields, lk_stored *changes, int64_t server_time,
                      int64_t seat_ends_at) {
    lk_learn(&self->clock, server_time);
    const int64_t now = lk_now(&self->clock);
    changes->last_good_at = now;
    changes->refusal = NULL;
    changes->seat_until = changes->seat_beat_at = LATCHKEY_NONE;
    if (seat_ends_at != LATCHKEY_NONE) {
        changes->seat_beat_at = now;
        changes->seat_until = now + seat_ends_at - (server_time == LATCHKEY_NONE ? now : server_time);
    }
    const lk_kept result = lk_keep(self, fields | LK_SET_LAST_GOOD | LK_SET_REFUSAL | LK_SET_SEAT, changes);
    if (result == LK_KEPT_ANOTHER) return;
    if (result == LK_KEPT_NOT || !lk_keep_terms(self, &self->stored.facts)) {
        lk_miss_memory(self);
        return;
    }
    lk_forget_outcome(self);
    self->outcome = LK_GOOD;
    self->answered_at = now;
}

/** Nothing in the stored state licenses the app until the service accepts it again. */
static void lk_withdraw(latchkey_client *self, unsigned fields, lk_stored *changes, lk_outcome_kind outcome) {
    changes->last_good_at = changes->seat_until = changes->seat_beat_at = LATCHKEY_NONE;
    const lk_kept result = lk_keep(self, fields | LK_SET_LAST_GOOD | LK_SET_SEAT, changes);
    if (result == LK_KEPT) lk_begin(self, outcome);
    if (result == LK_KEPT_NOT) lk_miss_memory(self);
}

static void lk_refuse(latchkey_client *self, const char *code) {
    lk_stored changes;
    lk_clear_stored(&changes);
    changes.refusal = code;
    changes.refused_at = lk_now(&self->clock);
    lk_withdraw(self, LK_SET_FILE | LK_SET_REFUSAL, &changes, LK_NOT_ASKED);
}

/** No seat is free (LK_IS_WAITING), or the machine has no slot any more (LK_IS_RELEASED). */
static void lk_lose(latchkey_client *self, lk_outcome_kind kind) {
    lk_stored changes;
    lk_clear_stored(&changes);
    self->polls++;
    /* An operator's file is for a machine without a network, and stays valid. */
    if (self->file.block != NULL && self->file.purpose != LATCHKEY_PURPOSE_GRACE) changes.file = self->stored.file;
    lk_withdraw(self, LK_SET_FILE, &changes, kind);
}
