/*
 * Uses of meters (section 18): the service counts them, and those without an answer wait in the stored state until it
 * does.
 */

#define LK_MOST_UNITS 1000000000
#define LK_REQUEST_ID_BYTES 16

/** Whether an answer refuses a use alone. Any other refusal is about the license, the machine or its token. */
static bool lk_is_about_use(const lk_called *called) {
    static const char *const codes[] = {"meter_limit", "meter_not_found", "request_id_reused", "missing_fields",
                                        "invalid_field"};
    for (size_t i = 0; called->kind == LK_CALLED_REFUSED && i < LK_COUNT(codes); i++)
        if (strcmp(called->code, codes[i]) == 0) return true;
    return false;
}

/** The answer for a machine that could not join. */
static void lk_miss_token(const latchkey_client *self, lk_called *called) {
    lk_clear_called(called);
    if (self->outcome == LK_PROBLEM) {
        lk_prevent(self, called);
        return;
    }
    called->kind = LK_CALLED_REFUSED;
    called->code = "machine_not_activated";
    lk_copy(called->text, sizeof called->text, lk_text_of("Machine not activated"));
}

static void lk_call_use_once(latchkey_client *self, const latchkey_use *use, lk_called *called) {
    const lk_stored *stored = &self->stored;
    lk_buffer fields = {&self->memory, NULL, 0, 0, false};
    if (stored->token == NULL) {
        lk_miss_token(self, called);
        return;
    }
    lk_add_text_or_null(&fields, "meter", use->meter);
    lk_add_number_or_null(&fields, "units", use->units);
    /* Asking counts nothing, and needs no id. */
    if (use->units > 0) lk_add_text_or_null(&fields, "requestId", use->request_id);
    lk_call_with(self, LK_CONSUME, stored->license_key, stored->token, &fields, called);
    lk_release(&fields);
    if (called->kind == LK_CALLED_GOOD || lk_is_about_use(called)) lk_learn(&self->clock, called->server_time);
}

/** Calls the service, a second time if the machine got another token meanwhile. */
static void lk_call_use(latchkey_client *self, const latchkey_use *use, lk_called *called) {
    if (self->stored.token == NULL) (void)lk_ask_about_license(self, true);
    lk_call_use_once(self, use, called);
    const char *license_key = self->stored.license_key, *token = self->stored.token;
    if (called->kind == LK_CALLED_GOOD || lk_is_about_use(called) || token == NULL) return;
    lk_follow(self, license_key, called);
    /* The key that took the place of the sent one counts the same use once. */
    const bool is_same = lk_is_of_replaced_key(called) || lk_same(self->stored.license_key, license_key);
    if (is_same && !lk_same(self->stored.token, token)) lk_call_use_once(self, use, called);
}

/** Sends the stored uses in their order. Returns false at an answer that says nothing about a use, which `called` has.
 */
static bool lk_send_uses(latchkey_client *self, lk_called *called) {
    lk_stored changes;
    lk_clear_stored(&changes);
    for (;;) {
        lk_json use = {NULL, NULL};
        if (self->stored.uses.at == NULL || !lk_json_next(self->stored.uses, &use, NULL)) return true;
        latchkey_use sent = {lk_text_in(self, lk_json_get(use, "meter")), 0,
                             lk_text_in(self, lk_json_get(use, "requestId"))};
        (void)lk_json_integer(lk_json_get(use, "units"), &sent.units);
        /* The first one is dropped. */
        changes.uses = self->stored.uses;
        lk_call_use(self, &sent, called);
        if (self->has_no_memory || (called->kind != LK_CALLED_GOOD && !lk_is_about_use(called))) return false;
        if (called->kind == LK_CALLED_REFUSED && self->options.on_use_refused != NULL)
            self->options.on_use_refused(self->options.context, &sent, called->code);
        if (lk_keep(self, LK_DROP_USES, &changes) == LK_KEPT_NOT) return false;
    }
}

/** Stores a use, if the app may run and there is room. */
static bool lk_store_use(latchkey_client *self, const latchkey_use *use) {
    latchkey_state state;
    lk_stored changes;
    lk_buffer list = {&self->memory, NULL, 0, 0, false};
    bool is_stored;
    lk_decide(self, &state);
    const int count = lk_count_uses(self->stored.uses, use->request_id, &is_stored);
    if (!state.may_run || (count >= self->options.offline_uses && !is_stored)) return false;
    lk_clear_stored(&changes);
    lk_add_text(&list, "[{");
    lk_add_text_or_null(&list, "meter", use->meter);
    lk_add_number_or_null(&list, "units", use->units);
    lk_add_text_or_null(&list, "requestId", use->request_id);
    lk_add_number_or_null(&list, "at", lk_now(&self->clock));
    lk_add_text(&list, "}]");
    changes.uses = lk_kept_json(self, &list);
    /* Another process may have stored uses since; the same use is stored once. */
    if (self->has_no_memory || lk_keep(self, LK_ADD_USES, &changes) != LK_KEPT) return false;
    (void)lk_count_uses(self->stored.uses, use->request_id, &is_stored);
    return is_stored;
}

static void lk_show_use(const latchkey_use *use, latchkey_consumption *consumption) {
    memset(consumption, 0, sizeof *consumption);
    lk_copy(consumption->meter, sizeof consumption->meter, lk_text_of(use->meter));
    lk_copy(consumption->request_id, sizeof consumption->request_id, lk_text_of(use->request_id));
    consumption->units = use->units;
    consumption->used = consumption->limit = consumption->remaining = consumption->resets_at = LATCHKEY_NONE;
}

/** Counts a use, or stores it. After an error other than memory, nothing was counted or stored. */
static latchkey_result lk_consume(latchkey_client *self, const latchkey_use *given, latchkey_consumption *consumption,
                                  latchkey_error *error) {
    char drawn[LK_REQUEST_ID_BYTES * 4 / 3 + 2];
    unsigned char bytes[LK_REQUEST_ID_BYTES];
    latchkey_use use = *given;
    lk_called called;
    if (use.meter == NULL) return lk_fail(error, LATCHKEY_ERROR_OPTION, "meter is missing");
    if (use.units < 0 || use.units > LK_MOST_UNITS)
        return lk_fail(error, LATCHKEY_ERROR_OPTION, "units is not from 0 to 1,000,000,000");
    if (use.request_id == NULL) {
        if (!lk_system_random(bytes, sizeof bytes))
            return lk_fail(error, LATCHKEY_ERROR_OPTION, "request_id is missing, and the system gave no random bytes");
        (void)lk_encode_base64url(drawn, bytes, sizeof bytes);
        use.request_id = drawn;
    }
    lk_show_use(&use, consumption);
    const latchkey_result loaded = lk_load(self);
    if (loaded != LATCHKEY_OK) return lk_fail(error, loaded, self->fingerprint_problem);
    if (self->stored.license_key == NULL)
        return lk_fail(error, LATCHKEY_ERROR_NO_KEY, "there is no license key to count uses of");
    /* A use that has no answer may have been counted. Later ones wait behind it, so that only one is ever in doubt. */
    if (lk_send_uses(self, &called)) lk_call_use(self, &use, &called);
    if (self->has_no_memory) return LATCHKEY_ERROR_MEMORY;
    if (called.kind == LK_CALLED_REFUSED) return lk_fail_refused(error, &called);
    if (called.kind == LK_CALLED_UNREACHABLE) {
        consumption->is_queued = use.units > 0 && lk_store_use(self, &use);
        return consumption->is_queued ? LATCHKEY_OK : lk_fail_unreachable(error, &called);
    }
    lk_json_show(lk_json_get(called.body, "meter"), consumption->meter, sizeof consumption->meter);
    consumption->used = lk_count_in(called.body, "used");
    consumption->limit = lk_count_in(called.body, "limit");
    consumption->remaining = lk_count_in(called.body, "remaining");
    (void)lk_read_json_time(lk_json_get(called.body, "resetsAt"), &consumption->resets_at);
    return LATCHKEY_OK;
}
