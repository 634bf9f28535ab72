/* What the app asks for: a key, a trial, a license file, the end of the license. */

/** Pools up to this size give their seats back when the app closes. */
#define LK_SMALL_POOL 10
/** An app that is restarted within this time keeps its seat. */
#define LK_RELEASE_PAUSE_MS (LK_HOUR_MS / 6)

/** Checks the license, and sends the uses that wait for an answer. */
static latchkey_result lk_check(latchkey_client *self, bool is_asked_for) {
    lk_called called;
    const latchkey_result result = lk_ask_about_license(self, is_asked_for);
    if (result == LATCHKEY_OK && self->outcome == LK_GOOD) (void)lk_send_uses(self, &called);
    return result;
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

/** Takes over the key of an activation or a trial. */
static latchkey_result lk_accept_key(latchkey_client *self, const char *license_key, const lk_called *called) {
    /* The answer stays in place while the key is stored. */
    if (!lk_same(license_key, self->stored.license_key) && !lk_put_key(self, license_key)) return LATCHKEY_ERROR_MEMORY;
    lk_activated(self, license_key, called);
    lk_renew_file(self);
    return LATCHKEY_OK;
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
        const latchkey_result accepted = lk_accept_key(self, license_key, &called);
        if (accepted == LATCHKEY_OK) (void)lk_send_uses(self, &called);
        return accepted;
    }
    const lk_called refused = called;
    if (strcmp(called.code, "machine_limit") == 0 && lk_is_of_seats(self, license_key, is_same, &called)) {
        lk_wait_for_seat(self, license_key, is_same);
        return LATCHKEY_OK;
    }
    if (is_same && lk_is_of_replaced_key(&called)) {
        lk_follow(self, license_key, &called);
        if (!lk_same(self->stored.license_key, license_key)) {
            lk_renew_file(self);
            (void)lk_send_uses(self, &called);
            return LATCHKEY_OK;
        }
        if (called.kind == LK_CALLED_UNREACHABLE) return lk_fail_unreachable(error, &called);
    } else if (is_same) {
        lk_refused(self, &called);
    } else {
        lk_learn(&self->clock, called.server_time);
    }
    return lk_fail_refused(error, &refused);
}

/** Takes a trial, unless the app may run. */
static latchkey_result lk_start_trial(latchkey_client *self, const char *variant, const char *email,
                                      latchkey_error *error) {
    latchkey_state state;
    lk_called called;
    lk_buffer fields = {&self->memory, NULL, 0, 0, false};
    const latchkey_result loaded = lk_load(self);
    if (loaded != LATCHKEY_OK) return lk_fail(error, loaded, self->fingerprint_problem);
    lk_decide(self, &state);
    if (state.may_run) return LATCHKEY_OK;
    if (variant != NULL) lk_add_text_or_null(&fields, "variant", variant);
    if (email != NULL) lk_add_text_or_null(&fields, "email", email);
    lk_call_with(self, LK_START_TRIAL, NULL, NULL, &fields, &called);
    lk_release(&fields);
    if (called.kind == LK_CALLED_UNREACHABLE) return lk_fail_unreachable(error, &called);
    if (called.kind == LK_CALLED_REFUSED) {
        lk_learn(&self->clock, called.server_time);
        return lk_fail_refused(error, &called);
    }
    const char *license_key = lk_text_in(self, lk_json_get(called.body, "licenseKey"));
    return license_key == NULL ? LATCHKEY_ERROR_MEMORY : lk_accept_key(self, license_key, &called);
}

/** Frees the slot or the seat; if the key was replaced, with the one that took its place. */
static void lk_call_deactivate(latchkey_client *self, lk_called *called) {
    const lk_stored *stored = &self->stored;
    const char *license_key = stored->license_key;
    lk_call_for(self, LK_DEACTIVATE, license_key, stored->token, called);
    if (!lk_is_of_replaced_key(called)) return;
    lk_follow(self, license_key, called);
    if (stored->token != NULL && !lk_same(stored->license_key, license_key))
        lk_call_for(self, LK_DEACTIVATE, stored->license_key, stored->token, called);
}

/** Frees the slot and forgets the license. */
static latchkey_result lk_deactivate(latchkey_client *self, latchkey_error *error) {
    lk_called called, again;
    const latchkey_result loaded = lk_load(self);
    if (loaded != LATCHKEY_OK) return lk_fail(error, loaded, self->fingerprint_problem);
    (void)lk_send_uses(self, &called);
    if (self->stored.license_key != NULL && self->stored.token != NULL) {
        lk_call_deactivate(self, &called);
        const char *license_key = self->stored.license_key;
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
    if (!lk_is_floating(self) || stored->token == NULL || release == LATCHKEY_RELEASE_NEVER) return;
    const int64_t seats = stored->facts.max_machines;
    const bool is_small = seats >= 0 && seats <= LK_SMALL_POOL;
    const bool is_fresh =
        stored->activated_at != LATCHKEY_NONE && lk_now(&self->clock) - stored->activated_at < LK_RELEASE_PAUSE_MS;
    if (release == LATCHKEY_RELEASE_SMALL_POOLS && (!is_small || is_fresh)) return;
    lk_call_deactivate(self, &called);
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
