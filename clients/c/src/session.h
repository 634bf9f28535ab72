/* Checks the license, and draws the consequences of the answers. One operation runs at a time. */

/** A machine activates by itself at most once an hour, because all machines share 15 activations an hour. */
#define LK_ACTIVATION_PAUSE_MS LK_HOUR_MS

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
    if (strcmp(code, "license_replaced") == 0 || strcmp(code, "license_revoked") == 0 ||
        strcmp(code, "license_expired") == 0 || strcmp(code, "wrong_product") == 0)
        lk_refuse(self, code);
    else if (strcmp(code, "machine_limit") == 0)
        lk_lose(self, lk_is_floating(self) ? LK_IS_WAITING : LK_IS_RELEASED);
    else if (strcmp(code, "user_limit") == 0)
        lk_lose(self, LK_IS_RELEASED);
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

/** Stores the key that took the place of the stored one. Returns false if another process has stored a third. */
static bool lk_move(latchkey_client *self, const char *from, const char *license_key, const char *token) {
    lk_stored changes;
    lk_clear_stored(&changes);
    changes.license_key = license_key;
    changes.token = token;
    changes.has_facts = true;
    lk_facts_before(self, from, &changes.facts);
    changes.facts.hint = lk_hint_of(self, license_key);
    const lk_kept kept = lk_keep(self, LK_SET_KEY | LK_SET_TOKEN | LK_SET_FACTS, &changes);
    return kept == LK_KEPT_NOT || lk_same(self->stored.license_key, license_key);
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
    const char *new_token = lk_text_in(self, lk_json_get(called.body, "newToken"));
    const char *new_key = lk_text_in(self, lk_json_get(called.body, "licenseKey"));
    const char *session_token = lk_text_in(self, lk_json_get(called.body, "sessionToken"));
    lk_checked_fully(self);
    if (new_token != NULL) token = new_token;
    if (new_key != NULL && session_token != NULL) {
        if (!lk_move(self, license_key, new_key, session_token)) return;
        token = session_token;
    }
    lk_clear_stored(&changes);
    changes.has_facts = true;
    lk_facts_before(self, license_key, &changes.facts);
    lk_take_facts(self, called.body, &changes.facts);
    changes.facts.product_id = lk_text_in(self, lk_json_get(called.body, "productId"));
    changes.facts.days_remaining = lk_count_in(called.body, "daysRemaining");
    changes.token = token;
    (void)lk_read_json_time(lk_json_get(called.body, "sessionExpiresAt"), &seat);
    lk_accept(self, LK_SET_TOKEN | LK_SET_FACTS, &changes, called.server_time, seat);
}

/** Turns the result of a call into that of one which the problem of another call prevents. */
static void lk_prevent(const latchkey_client *self, lk_called *called) {
    called->kind = LK_CALLED_UNREACHABLE;
    called->problem = self->trouble.kind;
    lk_copy(called->text, sizeof called->text, lk_text_of(self->trouble.detail));
}

/**
 * Handles an answer that is not good to another call with a token. /validate alone names the key of a replaced one;
 * without an answer of it, the call has none either.
 */
static void lk_follow(latchkey_client *self, const char *license_key, lk_called *called) {
    if (!lk_is_of_replaced_key(called) || self->stored.token == NULL) {
        lk_not_good(self, license_key, called);
        return;
    }
    lk_validate(self, license_key, self->stored.token);
    if (self->outcome == LK_PROBLEM) lk_prevent(self, called);
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
        lk_follow(self, license_key, &called);
        return;
    }
    lk_clear_stored(&changes);
    changes.has_facts = true;
    lk_facts_before(self, license_key, &changes.facts);
    lk_take_terms(self, called.body, &changes.facts);
    (void)lk_read_json_time(lk_json_get(called.body, "sessionExpiresAt"), &seat);
    lk_accept(self, LK_SET_FACTS, &changes, called.server_time, seat);
}

/** Asks about the license. Errors of the service or the network change the state. */
static latchkey_result lk_ask_about_license(latchkey_client *self, bool is_asked_for) {
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

static latchkey_result lk_fail_refused(latchkey_error *error, const lk_called *called) {
    lk_copy(error->code, sizeof error->code, lk_text_of(called->code));
    error->limit = called->limit;
    error->resets_at = called->resets_at;
    error->retry_after_ms = called->retry_after_ms;
    return lk_fail(error, LATCHKEY_ERROR_REFUSED, called->text);
}
