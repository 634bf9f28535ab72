/* The calls to the service, and the consequences of its answers. One operation runs at a time. */

/** Pools up to this size give their seats back when the app closes. */
#define LK_SMALL_POOL 10
/** A machine activates by itself at most once an hour, because all machines share 15 activations an hour. */
#define LK_ACTIVATION_PAUSE_MS LK_HOUR_MS
/** An app that is restarted within this time keeps its seat. */
#define LK_RELEASE_PAUSE_MS (LK_HOUR_MS / 6)
/** Pause before another request for a file after a failure; a day if the operator does not offer files. */
#define LK_FILE_PAUSE_MS LK_HOUR_MS
/** Pause before another attempt to read the stored state, or to find the fingerprint. */
#define LK_UNREAD_PAUSE_MS (60 * LK_SECOND_MS)

/** 22 hours and up to 4 more, so that many apps do not ask at once. */
static int64_t lk_until_daily_check(const latchkey_client *self) {
    return 22 * LK_HOUR_MS + (int64_t)(lk_random(self) * (double)(4 * LK_HOUR_MS));
}

/** A time plus or minus a tenth. */
static int64_t lk_spread(const latchkey_client *self, double time) {
    return (int64_t)(time * (0.9 + lk_random(self) * 0.2));
}

/** A random time in the upper half of `first`, which is doubled `times` times, but at most `longest`. */
static int64_t lk_back_off(const latchkey_client *self, int64_t first, int times, int64_t longest) {
    const double step = (double)(times > 20 ? longest : lk_earlier(longest, first << times));
    return (int64_t)(step / 2 + lk_random(self) * step / 2);
}

/** The interval of heartbeats: a third of the time for which the seat is held, at most what the app wants. */
static double lk_beat_interval(const latchkey_client *self, int64_t held_ms) {
    const double third = (double)held_ms / 3, most = (double)self->options.heartbeat_ms;
    return third < most ? third : most;
}

static int64_t lk_until_heartbeat(const latchkey_client *self) {
    const int64_t seat = self->stored.seat_until;
    const double interval = seat == LATCHKEY_NONE ? (double)self->options.heartbeat_ms
                                                  : lk_beat_interval(self, seat - lk_now(&self->clock));
    return lk_spread(self, interval > LK_SECOND_MS ? interval : LK_SECOND_MS);
}

static int64_t lk_until_next(const latchkey_client *self) {
    const bool is_refused = self->stored.refusal != NULL || (self->outcome == LK_GOOD && !lk_is_covered(self));
    if (is_refused || self->outcome == LK_IS_RELEASED) return lk_spread(self, LK_HOUR_MS);
    if (self->outcome == LK_NOT_ASKED) return 0;
    if (self->outcome == LK_IS_WAITING)
        return lk_back_off(self, 60 * LK_SECOND_MS, self->polls - 1, 300 * LK_SECOND_MS);
    if (self->outcome == LK_PROBLEM)
        return lk_back_off(self, 5 * LK_SECOND_MS, self->failures - 1,
                           lk_is_floating(self) ? 60 * LK_SECOND_MS : LK_HOUR_MS);
    return lk_is_floating(self) ? lk_until_heartbeat(self) : lk_until_daily_check(self);
}

static int64_t lk_pause(const latchkey_client *self) {
    return lk_later(0, self->not_before - lk_monotonic(&self->clock));
}

/** Milliseconds until the next check; LATCHKEY_NONE if there is nothing to check. */
static int64_t lk_until_check(const latchkey_client *self) {
    if (self->fingerprint_problem[0] != '\0') return LK_UNREAD_PAUSE_MS;
    if (self->stored.license_key == NULL) return self->is_unread ? LK_UNREAD_PAUSE_MS : LATCHKEY_NONE;
    return lk_later(lk_pause(self), lk_until_next(self));
}

static void lk_checked_fully(latchkey_client *self) {
    self->full_check_due = lk_monotonic(&self->clock) + lk_until_daily_check(self);
}

static void lk_miss_called(latchkey_client *self, const lk_called *called) {
    lk_miss(self, called->problem, called->text, called->retry_after_ms);
}

/**
 * Whether the license has expired only by the clock of the service, which is more than a day ahead of the time known
 * here. A user who sets the machine's clock back to get here gains no more than from an outage.
 */
static bool lk_is_expired_by_wrong_clock(const latchkey_client *self, int64_t server_time) {
    const int64_t now = lk_now(&self->clock), expiry = lk_time_in(self->stored.facts.expires_at);
    if (expiry == LATCHKEY_NONE || server_time == LATCHKEY_NONE) return false;
    return now < expiry && expiry <= server_time && server_time - now > LK_DAY_MS;
}

/** The license does not cover this build. Older builds of this machine run on, so nothing else is stored. */
static void lk_not_covered(latchkey_client *self, const lk_called *called) {
    lk_stored changes;
    lk_terms terms;
    memset(&terms, 0, sizeof terms);
    lk_clear_stored(&changes);
    changes.has_facts = true;
    changes.facts = self->stored.facts;
    lk_take_coverage(self, called->body, &changes.facts);
    lk_terms_of_facts(&changes.facts, &terms);
    if (!self->stored.has_facts || lk_cover(self, &terms)) {
        lk_miss(self, LATCHKEY_PROBLEM_REQUEST, called->text, LATCHKEY_NONE);
        return;
    }
    const lk_kept kept = lk_keep(self, LK_SET_FACTS, &changes);
    changes.facts.features.at = NULL;
    if (kept == LK_KEPT && lk_keep_terms(self, &changes.facts)) lk_begin(self, LK_GOOD);
    if (self->has_no_memory) lk_miss_memory(self);
}

/** Handles a refusal of a license that was accepted on this machine before. */
static void lk_refused(latchkey_client *self, const lk_called *called) {
    const char *code = called->code;
    if (strcmp(code, "license_expired") == 0 && lk_is_expired_by_wrong_clock(self, called->server_time)) {
        lk_miss(self, LATCHKEY_PROBLEM_CLOCK, "by the clock of the server, which is ahead, the license has expired",
                LATCHKEY_NONE);
        return;
    }
    lk_learn(&self->clock, called->server_time);
    if (strcmp(code, "license_revoked") == 0 || strcmp(code, "license_expired") == 0 ||
        strcmp(code, "wrong_product") == 0)
        lk_refuse(self, code);
    else if (strcmp(code, "machine_limit") == 0)
        lk_lose(self, lk_is_floating(self) ? LK_IS_WAITING : LK_IS_RELEASED);
    else if (strcmp(code, "update_not_covered") == 0)
        lk_not_covered(self, called);
    else if (strcmp(code, "license_not_found") == 0)
        lk_miss(self, LATCHKEY_PROBLEM_LICENSE_NOT_FOUND, "the server does not know the license any more",
                LATCHKEY_NONE);
    else if (strcmp(code, "activation_rate") == 0)
        lk_miss(self, LATCHKEY_PROBLEM_BUSY, called->text, called->retry_after_ms);
    else
        lk_miss(self, LATCHKEY_PROBLEM_REQUEST, called->text, LATCHKEY_NONE);
}

typedef enum lk_fullness { LK_FULL, LK_NOT_FULL, LK_FULLNESS_UNKNOWN } lk_fullness;

/** Whether every slot is taken. LK_FULLNESS_UNKNOWN: the answer has settled the state already. */
static lk_fullness lk_ask_fullness(latchkey_client *self, const char *license_key) {
    lk_called called;
    lk_call_for(self, LK_VERIFY, license_key, NULL, &called);
    if (called.kind == LK_CALLED_GOOD) {
        lk_learn(&self->clock, called.server_time);
        const int64_t most = lk_count_in(called.body, "maxMachines");
        return most >= 0 && lk_count_in(called.body, "machinesUsed") >= most ? LK_FULL : LK_NOT_FULL;
    }
    if (called.kind == LK_CALLED_UNREACHABLE)
        lk_miss_called(self, &called);
    else
        lk_refused(self, &called);
    return LK_FULLNESS_UNKNOWN;
}

static void lk_activated(latchkey_client *self, const char *license_key, const lk_called *called) {
    const int64_t now = called->server_time == LATCHKEY_NONE ? lk_now(&self->clock) : called->server_time;
    int64_t seat = LATCHKEY_NONE;
    lk_stored changes;
    lk_checked_fully(self);
    lk_clear_stored(&changes);
    changes.has_facts = true;
    lk_facts_before(self, license_key, &changes.facts);
    lk_take_facts(self, called->body, &changes.facts);
    changes.facts.days_remaining = lk_days_until(changes.facts.expires_at, now);
    changes.facts.machines_used = lk_count_in(called->body, "machinesUsed");
    changes.facts.max_machines = lk_count_in(called->body, "maxMachines");
    changes.token = lk_text_in(self, lk_json_get(called->body, "token"));
    changes.activated_at = now;
    (void)lk_read_json_time(lk_json_get(called->body, "sessionExpiresAt"), &seat);
    lk_accept(self, LK_SET_TOKEN | LK_SET_FACTS | LK_SET_ACTIVATED, &changes, called->server_time, seat);
}

/** Activates with the stored key, but only if that can succeed, because attempts are limited. */
static void lk_join(latchkey_client *self, const char *license_key) {
    lk_called called;
    lk_stored changes;
    const bool waits = self->outcome == LK_IS_WAITING;
    if (self->stored.refusal != NULL || waits) {
        const lk_fullness fullness = lk_ask_fullness(self, license_key);
        if (fullness == LK_FULLNESS_UNKNOWN) return;
        if (waits && fullness == LK_FULL) {
            lk_lose(self, LK_IS_WAITING);
            return;
        }
    }
    lk_call_for(self, LK_ACTIVATE, license_key, NULL, &called);
    if (called.kind == LK_CALLED_GOOD) {
        lk_activated(self, license_key, &called);
    } else if (called.kind == LK_CALLED_UNREACHABLE) {
        lk_miss_called(self, &called);
    } else {
        lk_clear_stored(&changes);
        changes.activated_at = lk_now(&self->clock);
        const lk_kept kept = lk_keep(self, LK_SET_ACTIVATED, &changes);
        if (kept == LK_KEPT) lk_refused(self, &called);
        if (kept == LK_KEPT_NOT) lk_miss_memory(self);
    }
}

/** The machine has lost its slot, its seat or its token, so it activates again, within the limit. */
static void lk_rejoin(latchkey_client *self, const char *license_key, bool has_lost_slot) {
    const bool may_ask = !has_lost_slot || lk_is_floating(self) || !self->options.asks_before_activating;
    const int64_t activated_at = self->stored.activated_at, now = lk_now(&self->clock);
    const bool is_soon = activated_at != LATCHKEY_NONE && now - activated_at < LK_ACTIVATION_PAUSE_MS &&
                         activated_at - now < LK_ACTIVATION_PAUSE_MS;
    if (may_ask && !is_soon) {
        lk_join(self, license_key);
        return;
    }
    if (has_lost_slot) {
        const lk_fullness fullness = may_ask ? lk_ask_fullness(self, license_key) : LK_FULL;
        if (fullness == LK_FULLNESS_UNKNOWN) return;
        if (fullness == LK_FULL) {
            lk_lose(self, lk_is_floating(self) ? LK_IS_WAITING : LK_IS_RELEASED);
            return;
        }
        /* Another process may have deactivated the license in the meantime. */
        if (lk_load(self) != LATCHKEY_OK || !lk_same(self->stored.license_key, license_key)) return;
    }
    lk_miss(self, LATCHKEY_PROBLEM_TOKEN,
            has_lost_slot ? "the server does not know the slot of this machine any more"
                          : "the server does not know the token of this machine any more",
            LATCHKEY_NONE);
}

/** Handles an answer to a check that is not good. */
static void lk_not_good(latchkey_client *self, const char *license_key, const lk_called *called) {
    if (called->kind == LK_CALLED_UNREACHABLE)
        lk_miss_called(self, called);
    else if (strcmp(called->code, "machine_not_activated") == 0)
        lk_rejoin(self, license_key, true);
    else if (strcmp(called->code, "invalid_token") == 0 || strcmp(called->code, "token_mismatch") == 0)
        lk_rejoin(self, license_key, false);
    else
        lk_refused(self, called);
}

static void lk_beat(latchkey_client *self, const char *license_key, const char *token) {
    lk_called called;
    lk_stored changes;
    int64_t seat = LATCHKEY_NONE;
    const int64_t beat_at = self->stored.seat_beat_at;
    /* Another process of this app has renewed the shared seat. */
    if (beat_at != LATCHKEY_NONE &&
        (double)(lk_now(&self->clock) - beat_at) < lk_beat_interval(self, self->stored.seat_until - beat_at) / 2)
        return;
    lk_call_for(self, LK_HEARTBEAT, license_key, token, &called);
    if (called.kind != LK_CALLED_GOOD) {
        lk_not_good(self, license_key, &called);
        return;
    }
    lk_clear_stored(&changes);
    changes.has_facts = true;
    lk_facts_before(self, license_key, &changes.facts);
    lk_take_terms(self, called.body, &changes.facts);
    (void)lk_read_json_time(lk_json_get(called.body, "sessionExpiresAt"), &seat);
    lk_accept(self, LK_SET_FACTS, &changes, called.server_time, seat);
}

static void lk_validate(latchkey_client *self, const char *license_key, const char *token) {
    lk_called called;
    lk_stored changes;
    int64_t seat = LATCHKEY_NONE;
    lk_call_for(self, LK_VALIDATE, license_key, token, &called);
    if (called.kind != LK_CALLED_GOOD) {
        lk_not_good(self, license_key, &called);
        return;
    }
    const lk_json new_token = lk_json_get(called.body, "newToken");
    lk_checked_fully(self);
    lk_clear_stored(&changes);
    changes.has_facts = true;
    lk_facts_before(self, license_key, &changes.facts);
    lk_take_facts(self, called.body, &changes.facts);
    changes.facts.product_id = lk_text_in(self, lk_json_get(called.body, "productId"));
    changes.facts.days_remaining = lk_count_in(called.body, "daysRemaining");
    changes.token = new_token.at == NULL ? token : lk_text_in(self, new_token);
    (void)lk_read_json_time(lk_json_get(called.body, "sessionExpiresAt"), &seat);
    lk_accept(self, LK_SET_TOKEN | LK_SET_FACTS, &changes, called.server_time, seat);
}

/** A time in whole seconds, as files have it. */
static int64_t lk_in_seconds(int64_t time) {
    return time == LATCHKEY_NONE ? time : time - (time % LK_SECOND_MS + LK_SECOND_MS) % LK_SECOND_MS;
}

/** Whether to fetch a file: none is stored, its renewal is due, the license was extended, or it is from the future. */
static bool lk_is_file_due(const latchkey_client *self) {
    const lk_file *file = &self->file;
    const lk_facts *facts = &self->stored.facts;
    const int64_t now = lk_now(&self->clock);
    if (file->block == NULL) return true;
    if (file->purpose != LATCHKEY_PURPOSE_GRACE) return false;
    return now >= file->renew_after || file->license_expires_at != lk_in_seconds(lk_time_in(facts->expires_at)) ||
           file->updates_until != lk_in_seconds(lk_time_in(facts->updates_until)) || file->issued_at > now + LK_DAY_MS;
}

/** The published lists of signing keys, then the stored ones, as one array; absent without any. */
static lk_json lk_ask_key_lists(latchkey_client *self) {
    const lk_json stored = self->stored.key_lists;
    lk_json published = {NULL, NULL}, list = {NULL, NULL}, whole = {NULL, NULL};
    lk_buffer lists = {&self->memory, NULL, 0, 0, false};
    lk_called called;
    lk_call(self, LK_KEY_LISTS, NULL, &called);
    if (called.kind == LK_CALLED_GOOD) published = lk_json_get(called.body, "keys");
    lk_add_text(&lists, "[");
    for (int source = 0; source < 2; source++) {
        const lk_json from = source == 0 ? published : stored;
        list.at = NULL;
        while (from.at != NULL && lk_json_next(from, &list, NULL)) {
            if (!lk_json_is_text(list)) continue;
            if (lists.length > 1) lk_add_text(&lists, ",");
            lk_add(&lists, list.at, (size_t)(list.end - list.at));
        }
    }
    lk_add_text(&lists, "]");
    self->has_no_memory = self->has_no_memory || lists.has_failed;
    if (!self->has_no_memory) {
        const lk_json text = {lists.at, lists.at + lists.length};
        whole = lk_copied_json(self, text);
    }
    lk_release(&lists);
    return whole;
}

/** The lists among `key_lists` that lead to keys which are not compiled into the app, as an array. */
static lk_json lk_useful_key_lists(latchkey_client *self, lk_json key_lists) {
    lk_key_ring ring;
    lk_expected expected;
    lk_json whole = {NULL, NULL};
    lk_buffer lists = {&self->memory, NULL, 0, 0, false};
    lk_expect(self, self->keys, self->options.public_key_count, LATCHKEY_NONE, &expected);
    if (!lk_follow_key_lists(&expected, &self->options, key_lists, &ring)) self->has_no_memory = true;
    lk_add_text(&lists, "[");
    for (size_t i = 0; i < ring.used_count; i++) {
        if (i > 0) lk_add_text(&lists, ",");
        lk_add(&lists, ring.used[i].at, (size_t)(ring.used[i].end - ring.used[i].at));
    }
    lk_add_text(&lists, "]");
    lk_release_ring(&ring);
    self->has_no_memory = self->has_no_memory || lists.has_failed;
    if (!self->has_no_memory) {
        const lk_json text = {lists.at, lists.at + lists.length};
        whole = lk_copied_json(self, text);
    }
    lk_release(&lists);
    return whole;
}

/** Fetches a newer file when it is due. On failure nothing changes, and the app goes on with its present file. */
static void lk_renew_file(latchkey_client *self) {
    const char *license_key = self->stored.license_key, *token = self->stored.token;
    lk_called called;
    lk_stored changes;
    lk_file file;
    if (!lk_needs_file(self) || !lk_is_covered(self) || self->outcome != LK_GOOD) return;
    if (license_key == NULL || token == NULL) return;
    if (lk_monotonic(&self->clock) < self->file_not_before || !lk_is_file_due(self)) return;
    self->file_not_before = lk_monotonic(&self->clock) + LK_FILE_PAUSE_MS;
    lk_call_for(self, LK_ISSUE_FILE, license_key, token, &called);
    if (called.kind == LK_CALLED_REFUSED && strcmp(called.code, "license_files_not_offered") == 0)
        self->file_not_before = lk_monotonic(&self->clock) + LK_DAY_MS;
    const char *text = called.kind == LK_CALLED_GOOD ? lk_text_in(self, lk_json_get(called.body, "licenseFile")) : NULL;
    if (text == NULL) return;
    lk_clear_stored(&changes);
    changes.file = text;
    changes.key_lists = self->stored.key_lists;
    latchkey_file_problem problem = lk_verify_here(self, text, changes.key_lists, LATCHKEY_NONE, &file);
    if (problem != LATCHKEY_FILE_GOOD && !self->has_no_memory) {
        changes.key_lists = lk_ask_key_lists(self);
        problem = lk_verify_here(self, text, changes.key_lists, LATCHKEY_NONE, &file);
        if (problem == LATCHKEY_FILE_GOOD) changes.key_lists = lk_useful_key_lists(self, changes.key_lists);
    }
    lk_release_file(&self->memory, &file);
    if (problem != LATCHKEY_FILE_GOOD) return;
    if (lk_keep(self, LK_SET_FILE | LK_SET_KEY_LISTS, &changes) != LK_KEPT_NOT) self->file_not_before = 0;
}

/** Checks the license. Errors of the service or the network change the state. */
static latchkey_result lk_check(latchkey_client *self, bool is_asked_for) {
    const latchkey_result loaded = lk_load(self);
    const char *license_key = self->stored.license_key, *token = self->stored.token;
    if (loaded != LATCHKEY_OK || license_key == NULL) return loaded;
    const bool is_good = self->outcome == LK_GOOD && lk_is_covered(self);
    const bool is_beat =
        !is_asked_for && lk_is_floating(self) && is_good && lk_monotonic(&self->clock) < self->full_check_due;
    if (token == NULL) {
        lk_join(self, license_key);
        return LATCHKEY_OK;
    }
    if (is_beat)
        lk_beat(self, license_key, token);
    else
        lk_validate(self, license_key, token);
    lk_renew_file(self);
    return self->has_no_memory ? LATCHKEY_ERROR_MEMORY : LATCHKEY_OK;
}

static latchkey_result lk_fail(latchkey_error *error, latchkey_result result, const char *message) {
    error->result = result;
    lk_copy(error->message, sizeof error->message, lk_text_of(message));
    return result;
}

static latchkey_result lk_fail_unreachable(latchkey_error *error, const lk_called *called) {
    error->problem = called->problem;
    error->retry_after_ms = called->retry_after_ms;
    return lk_fail(error, LATCHKEY_ERROR_UNREACHABLE, called->text);
}

/** Replaces the license. A file that was imported for the new one stays. */
static bool lk_put_key(latchkey_client *self, const char *license_key) {
    lk_stored next;
    lk_clear_stored(&next);
    next.license_key = license_key;
    if (self->file.block != NULL && lk_is_key_of_file(self, license_key, &self->file)) next.file = self->stored.file;
    next.key_lists = self->stored.key_lists;
    return !self->has_no_memory && lk_replace(self, &next);
}

/** Whether a license without a free slot is floating: by the refusal, by the known facts, or by /verify. */
static bool lk_is_of_seats(latchkey_client *self, const char *license_key, bool is_same, const lk_called *called) {
    const lk_json type = lk_json_get(called->body, "licenseType");
    lk_called known;
    if (lk_json_is_text(type)) return lk_json_equals(type, "floating");
    if (is_same && self->stored.has_facts && self->stored.facts.license_type != NULL) return lk_is_floating(self);
    lk_call_for(self, LK_VERIFY, license_key, NULL, &known);
    return known.kind == LK_CALLED_GOOD && lk_json_equals(lk_json_get(known.body, "licenseType"), "floating");
}

/** Waits for a seat of a license whose key the user entered. */
static void lk_wait_for_seat(latchkey_client *self, const char *license_key, bool is_same) {
    lk_stored changes;
    if (!is_same && !lk_put_key(self, license_key)) return;
    lk_clear_stored(&changes);
    changes.has_facts = true;
    lk_facts_before(self, license_key, &changes.facts);
    changes.facts.license_type = "floating";
    if (lk_keep(self, LK_SET_FACTS | LK_SET_REFUSAL, &changes) == LK_KEPT) lk_lose(self, LK_IS_WAITING);
}

/** The user entered a key, or wants a slot again. */
static latchkey_result lk_activate(latchkey_client *self, const char *given, latchkey_error *error) {
    lk_called called;
    const latchkey_result loaded = lk_load(self);
    if (loaded != LATCHKEY_OK) return lk_fail(error, loaded, self->fingerprint_problem);
    const lk_text trimmed = lk_trimmed(lk_text_of(given == NULL ? "" : given));
    const char *license_key = trimmed.length > 0 ? lk_copied(self, trimmed) : self->stored.license_key;
    if (self->has_no_memory) return LATCHKEY_ERROR_MEMORY;
    if (license_key == NULL) return lk_fail(error, LATCHKEY_ERROR_NO_KEY, "there is no license key to activate");
    const bool is_same = lk_same(license_key, self->stored.license_key);
    lk_call_for(self, LK_ACTIVATE, license_key, NULL, &called);
    if (called.kind == LK_CALLED_UNREACHABLE) {
        if (is_same) lk_miss_called(self, &called);
        return lk_fail_unreachable(error, &called);
    }
    if (called.kind == LK_CALLED_GOOD) {
        /* The answer stays in place while the key is stored. */
        if (!is_same && !lk_put_key(self, license_key)) return LATCHKEY_ERROR_MEMORY;
        lk_activated(self, license_key, &called);
        lk_renew_file(self);
        return LATCHKEY_OK;
    }
    const lk_called refused = called;
    if (strcmp(called.code, "machine_limit") == 0 && lk_is_of_seats(self, license_key, is_same, &called)) {
        lk_wait_for_seat(self, license_key, is_same);
        return LATCHKEY_OK;
    }
    if (is_same)
        lk_refused(self, &called);
    else
        lk_learn(&self->clock, called.server_time);
    lk_copy(error->code, sizeof error->code, lk_text_of(refused.code));
    error->limit = refused.limit;
    error->retry_after_ms = refused.retry_after_ms;
    return lk_fail(error, LATCHKEY_ERROR_REFUSED, refused.text);
}

/** Frees the slot and forgets the license. */
static latchkey_result lk_deactivate(latchkey_client *self, const char *unused, latchkey_error *error) {
    lk_called called, again;
    (void)unused;
    const latchkey_result loaded = lk_load(self);
    const char *license_key = self->stored.license_key, *token = self->stored.token;
    if (loaded != LATCHKEY_OK) return lk_fail(error, loaded, self->fingerprint_problem);
    if (license_key != NULL && token != NULL) {
        lk_call_for(self, LK_DEACTIVATE, license_key, token, &called);
        if (called.kind == LK_CALLED_REFUSED && strcmp(called.code, "invalid_token") == 0) {
            /* Only a token of the present activation frees the slot. */
            lk_call_for(self, LK_ACTIVATE, license_key, NULL, &again);
            if (again.kind == LK_CALLED_UNREACHABLE) return lk_fail_unreachable(error, &again);
            const char *present =
                again.kind == LK_CALLED_GOOD ? lk_text_in(self, lk_json_get(again.body, "token")) : NULL;
            if (present != NULL) lk_call_for(self, LK_DEACTIVATE, license_key, present, &called);
        }
        if (self->has_no_memory) return LATCHKEY_ERROR_MEMORY;
        if (called.kind == LK_CALLED_UNREACHABLE) return lk_fail_unreachable(error, &called);
    }
    lk_forget(self);
    return LATCHKEY_OK;
}

/** Gives a floating seat back if others may need it, and keeps the license. */
static void lk_give_seat_back(latchkey_client *self) {
    lk_called called;
    lk_stored changes;
    if (lk_load(self) != LATCHKEY_OK) return;
    const lk_stored *stored = &self->stored;
    const latchkey_release release = self->options.release;
    if (!lk_is_floating(self) || stored->license_key == NULL || stored->token == NULL ||
        release == LATCHKEY_RELEASE_NEVER)
        return;
    const int64_t seats = stored->facts.max_machines;
    const bool is_small = seats >= 0 && seats <= LK_SMALL_POOL;
    const bool is_fresh =
        stored->activated_at != LATCHKEY_NONE && lk_now(&self->clock) - stored->activated_at < LK_RELEASE_PAUSE_MS;
    if (release == LATCHKEY_RELEASE_SMALL_POOLS && (!is_small || is_fresh)) return;
    lk_call_for(self, LK_DEACTIVATE, stored->license_key, stored->token, &called);
    lk_clear_stored(&changes);
    if (called.kind == LK_CALLED_GOOD) (void)lk_keep(self, LK_SET_TOKEN | LK_SET_SEAT, &changes);
}

static latchkey_result lk_fail_file(latchkey_error *error, latchkey_file_problem problem) {
    if (problem == LATCHKEY_FILE_NO_MEMORY) return LATCHKEY_ERROR_MEMORY;
    error->file_problem = problem;
    return lk_fail(error, LATCHKEY_ERROR_FILE, latchkey_file_problem_name(problem));
}

/** Imports a license file. */
static latchkey_result lk_import(latchkey_client *self, const char *text, latchkey_error *error) {
    lk_file file;
    lk_stored next;
    const latchkey_result loaded = lk_load(self);
    if (loaded != LATCHKEY_OK) return lk_fail(error, loaded, self->fingerprint_problem);
    const int64_t now = lk_now(&self->clock);
    latchkey_file_problem problem = lk_verify_here(self, text, self->stored.key_lists, now, &file);
    if (problem == LATCHKEY_FILE_GOOD && self->stored.refusal != NULL && file.issued_at <= self->stored.refused_at)
        problem = LATCHKEY_FILE_REFUSED;
    lk_retire(self, file.block);
    if (problem != LATCHKEY_FILE_GOOD) return lk_fail_file(error, problem);
    lk_clear_stored(&next);
    next.key_lists = self->stored.key_lists;
    if (self->stored.license_key != NULL && lk_is_key_of_file(self, self->stored.license_key, &file))
        next = self->stored;
    next.file = text;
    next.has_facts = true;
    lk_facts_of_file(self, &file, now, &next.facts);
    next.refusal = NULL;
    return !self->has_no_memory && lk_replace(self, &next) ? LATCHKEY_OK : LATCHKEY_ERROR_MEMORY;
}
