/* Decides the state of the license from what is stored and known (sections 1, 9 and 16). Makes no call. */

/** An end that never comes. */
#define LK_FOREVER INT64_MAX
/** How long an answer counts in the process that received it, if only signed files count beyond. */
#define LK_IN_MEMORY_MS LK_DAY_MS
/** The grace may exceed the expiry by this much, because an outage of the service may delay a renewal. */
#define LK_LEEWAY_MS (3 * LK_DAY_MS)

static int64_t lk_with_leeway(const latchkey_client *self, int64_t end) {
    const int64_t expiry = lk_time_in(self->stored.facts.expires_at);
    const int64_t last = lk_later(expiry, lk_time_in(self->stored.facts.grace_until));
    return expiry == LATCHKEY_NONE ? end : lk_earlier(end, last + LK_LEEWAY_MS);
}

/** The time until which the app may run without another answer; LATCHKEY_NONE if nothing licenses it. */
static int64_t lk_right_until(const latchkey_client *self) {
    const latchkey_options *options = &self->options;
    int64_t until = LATCHKEY_NONE;
    if (self->file.block != NULL) until = self->file.ends_at == LATCHKEY_NONE ? LK_FOREVER : self->file.ends_at;
    if (lk_needs_file(self)) {
        if (self->answered_at == LATCHKEY_NONE) return until;
        return lk_later(until, lk_with_leeway(self, self->answered_at + LK_IN_MEMORY_MS));
    }
    if (self->stored.last_good_at == LATCHKEY_NONE) return until;
    const int64_t grace = lk_is_floating(self) ? options->grace_floating_ms : options->grace_ms;
    return lk_later(until, lk_with_leeway(self, self->stored.last_good_at + grace));
}

/** The next number of a version; moves on. */
static int64_t lk_version_part(const char **at) {
    int64_t number = 0;
    for (; lk_is_digit(**at); (*at)++)
        if (number < INT64_MAX / 100) number = number * 10 + (**at - '0');
    if (**at == '.') (*at)++;
    return number;
}

/** Whether a version is above a bound: only as many numbers count as the bound has. */
static bool lk_is_above(const char *version, const char *bound) {
    while (lk_is_digit(*bound)) {
        const int64_t most = lk_version_part(&bound), number = lk_version_part(&version);
        if (number != most) return number > most;
    }
    return false;
}

static void lk_terms_of_facts(const lk_facts *facts, lk_terms *terms) {
    terms->are_known = true;
    terms->features = facts->features;
    terms->updates_until = lk_time_in(facts->updates_until);
    terms->max_version = facts->max_version;
}

/** The terms of this process's last answer, else of the signed file, else of the facts if no signed file is needed. */
static lk_terms lk_find_terms(const latchkey_client *self) {
    lk_terms terms = self->answered_terms;
    if (terms.are_known) return terms;
    memset(&terms, 0, sizeof terms);
    if (self->file.block != NULL) {
        terms.are_known = true;
        terms.features = lk_json_get(self->file.claims, "features");
        terms.feature_ends = lk_json_get(self->file.claims, "featureEnds");
        terms.updates_until = self->file.updates_until;
        terms.max_version = self->file.max_version[0] == '\0' ? NULL : self->file.max_version;
    } else if (!lk_needs_file(self) && self->stored.has_facts) {
        lk_terms_of_facts(&self->stored.facts, &terms);
    }
    return terms;
}

/** Whether terms cover this build. */
static bool lk_cover(const latchkey_client *self, const lk_terms *terms) {
    if (!terms->are_known) return true;
    if (self->built_at != LATCHKEY_NONE && terms->updates_until != LATCHKEY_NONE &&
        terms->updates_until < self->built_at)
        return false;
    return self->options.version == NULL || terms->max_version == NULL ||
           !lk_is_above(self->options.version, terms->max_version);
}

static bool lk_is_covered(const latchkey_client *self) {
    const lk_terms terms = lk_find_terms(self);
    return lk_cover(self, &terms);
}

static void lk_show_facts(const lk_facts *facts, latchkey_facts *shown) {
    lk_copy(shown->license_key_hint, sizeof shown->license_key_hint, lk_text_of(facts->hint));
    lk_copy(shown->product_id, sizeof shown->product_id, lk_text_of(facts->product_id));
    lk_copy(shown->variant, sizeof shown->variant, lk_text_of(facts->variant));
    lk_copy(shown->license_type, sizeof shown->license_type, lk_text_of(facts->license_type));
    lk_copy(shown->max_version, sizeof shown->max_version, lk_text_of(facts->max_version));
    shown->license_expires_at = lk_time_in(facts->expires_at);
    shown->grace_until = lk_time_in(facts->grace_until);
    shown->updates_until = lk_time_in(facts->updates_until);
    shown->days_remaining = facts->days_remaining;
    shown->machines_used = facts->machines_used;
    shown->max_machines = facts->max_machines;
}

static void lk_show_licensed(latchkey_state *state, bool is_from_server, int64_t until) {
    state->status = LATCHKEY_LICENSED;
    state->may_run = true;
    state->is_from_server = is_from_server;
    state->until = until == LK_FOREVER ? LATCHKEY_NONE : until;
}

static void lk_show_refused(latchkey_state *state, const char *code, int64_t since) {
    state->status = LATCHKEY_REFUSED;
    state->since = since;
    lk_copy(state->why, sizeof state->why, lk_text_of(code));
}

/** Fills in the status and what belongs to it. `state` is empty. */
static void lk_decide_status(const latchkey_client *self, latchkey_state *state) {
    const lk_stored *stored = &self->stored;
    const bool has_file = self->file.block != NULL;
    const int64_t until = lk_right_until(self), now = lk_now(&self->clock);
    const bool is_right = until != LATCHKEY_NONE && until > now;
    if (stored->refusal != NULL) {
        lk_show_refused(state, stored->refusal, stored->refused_at);
    } else if (stored->license_key == NULL && !has_file) {
        state->status = LATCHKEY_UNLICENSED;
    } else if (!lk_is_covered(self)) {
        lk_show_refused(state, "update_not_covered", LATCHKEY_NONE);
    } else if (self->outcome == LK_GOOD) {
        lk_show_licensed(state, true, until);
    } else if (is_right && has_file && self->file.purpose != LATCHKEY_PURPOSE_GRACE) {
        lk_show_licensed(state, false, until);
    } else if (self->outcome == LK_IS_WAITING || self->outcome == LK_IS_RELEASED) {
        state->status = self->outcome == LK_IS_WAITING ? LATCHKEY_WAITING : LATCHKEY_RELEASED;
    } else if (is_right && self->outcome == LK_NOT_ASKED) {
        lk_show_licensed(state, false, until);
    } else {
        const bool has_problem = self->outcome == LK_PROBLEM;
        const int64_t since = has_problem ? self->trouble_since : now;
        state->status = is_right ? LATCHKEY_GRACE : LATCHKEY_LAPSED;
        state->may_run = is_right;
        if (is_right) state->until = until;
        state->since = is_right || until == LATCHKEY_NONE ? since : until;
        state->problem = has_problem ? self->trouble.kind : LATCHKEY_PROBLEM_NOT_ASKED;
        lk_copy(state->problem_detail, sizeof state->problem_detail,
                lk_text_of(has_problem ? self->trouble.detail : "the server was not asked yet"));
    }
}

static void lk_decide(const latchkey_client *self, latchkey_state *state) {
    const char *problem = self->storage_problem[0] != '\0' ? self->storage_problem : self->fingerprint_problem;
    memset(state, 0, sizeof *state);
    state->until = state->since = LATCHKEY_NONE;
    state->has_facts = self->stored.has_facts;
    lk_show_facts(&self->stored.facts, &state->facts);
    state->clock = lk_condition(&self->clock);
    memcpy(state->storage_problem, problem, sizeof state->storage_problem);
    lk_decide_status(self, state);
}

static void lk_show(const latchkey_client *self, lk_shown *shown) {
    lk_decide(self, &shown->state);
    shown->terms = lk_find_terms(self);
    shown->now = lk_now(&self->clock);
    shown->until_check = self->due_monotonic == LATCHKEY_NONE
                             ? LATCHKEY_NONE
                             : lk_later(0, self->due_monotonic - lk_monotonic(&self->clock));
}

/** Reads the value of a feature. Returns false if the license has none at this time, or the app may not run. */
static bool lk_read_feature(const lk_shown *shown, const char *name, latchkey_feature_value *value) {
    const lk_json feature = lk_json_get(shown->terms.features, name);
    int64_t end;
    memset(value, 0, sizeof *value);
    const bool has_end = lk_json_integer(lk_json_get(shown->terms.feature_ends, name), &end);
    if (!shown->state.may_run || (has_end && end * LK_SECOND_MS <= shown->now)) return false;
    if (lk_json_is_true(feature) || lk_json_is_false(feature)) {
        value->kind = LATCHKEY_FEATURE_FLAG;
        value->flag = lk_json_is_true(feature);
    } else if (lk_json_is_text(feature)) {
        value->kind = LATCHKEY_FEATURE_TEXT;
        lk_json_show(feature, value->text, sizeof value->text);
    } else if (lk_json_number(feature, &value->number, NULL)) {
        value->kind = LATCHKEY_FEATURE_NUMBER;
    }
    return value->kind != LATCHKEY_FEATURE_NONE;
}
