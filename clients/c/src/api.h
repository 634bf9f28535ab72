/* The functions that apps call. */

/** A check within this time after the last one makes no call, for users who click repeatedly. */
#define LK_CLICK_PAUSE_MS (2 * LK_SECOND_MS)
/** The app calls `latchkey_work` at least this often, so that changes by other processes are noticed. */
#define LK_WORK_EVERY_MS (2 * LK_SECOND_MS)

/** Begins an operation. Readers see what was known before it until it ends. */
static void lk_enter(latchkey_client *self) {
    lk_mutex_lock(&self->working);
    lk_mutex_lock(&self->reading);
    lk_show(self, &self->shown);
    self->is_working = true;
    lk_mutex_unlock(&self->reading);
    self->has_no_memory = false;
}

/** Ends an operation: frees its memory, and gives notice of a changed state. */
static void lk_leave(latchkey_client *self) {
    lk_mutex_lock(&self->reading);
    self->is_working = false;
    while (self->blocks != NULL) {
        lk_block *block = self->blocks;
        self->blocks = block->next;
        lk_free(&self->memory, block);
    }
    lk_show(self, &self->shown);
    const bool is_new = memcmp(&self->noticed, &self->shown.state, sizeof self->noticed) != 0;
    memcpy(&self->noticed, &self->shown.state, sizeof self->noticed);
    lk_mutex_unlock(&self->reading);
    lk_release(&self->answer.body);
    if (is_new && self->options.on_change != NULL) self->options.on_change(self->options.context, &self->noticed);
    lk_mutex_unlock(&self->working);
}

/** What readers see now. Give back the lock. */
static const lk_shown *lk_look_up(latchkey_client *self) {
    lk_mutex_lock(&self->reading);
    if (!self->is_working) lk_show(self, &self->shown);
    return &self->shown;
}

void latchkey_get_state(latchkey_client *client, latchkey_state *state) {
    memcpy(state, &lk_look_up(client)->state, sizeof *state);
    lk_mutex_unlock(&client->reading);
}

bool latchkey_may_run(latchkey_client *client) {
    const bool may_run = lk_look_up(client)->state.may_run;
    lk_mutex_unlock(&client->reading);
    return may_run;
}

int64_t latchkey_next_check(latchkey_client *client) {
    const int64_t until = lk_look_up(client)->until_check;
    lk_mutex_unlock(&client->reading);
    return until;
}

bool latchkey_feature(latchkey_client *client, const char *name, latchkey_feature_value *value) {
    const bool is_known = lk_read_feature(lk_look_up(client), name, value);
    lk_mutex_unlock(&client->reading);
    return is_known;
}

static void lk_clear_error(latchkey_error *error) {
    memset(error, 0, sizeof *error);
    error->limit = error->retry_after_ms = error->resets_at = LATCHKEY_NONE;
}

/** Hands an error to the app. */
static latchkey_result lk_finish(const latchkey_error *found, latchkey_result result, latchkey_error *error) {
    if (error == NULL) return result;
    *error = *found;
    error->result = result;
    if (result == LATCHKEY_ERROR_MEMORY) lk_copy(error->message, sizeof error->message, lk_text_of("out of memory"));
    return result;
}

/** Plans the next check. */
static void lk_plan(latchkey_client *self) {
    const int64_t until = lk_until_check(self);
    self->due_monotonic = self->due_local = LATCHKEY_NONE;
    if (until == LATCHKEY_NONE || !self->is_running) return;
    self->due_monotonic = lk_monotonic(&self->clock) + until;
    self->due_local = lk_local(&self->clock) + until;
}

/** Checks, and plans the next check. */
static latchkey_result lk_check_now(latchkey_client *self, bool is_asked_for) {
    const latchkey_store *store = &self->options.store;
    if (store->beat != NULL) store->beat(store->context);
    const latchkey_result result = lk_check(self, is_asked_for);
    if (result == LATCHKEY_ERROR_MEMORY) lk_miss_memory(self);
    self->checked_at = lk_monotonic(&self->clock);
    lk_plan(self);
    return result;
}

void latchkey_destroy(latchkey_client *client) {
    if (client == NULL) return;
    const lk_memory memory = client->memory;
    lk_free(&memory, client->stored.block);
    lk_free(&memory, client->file.block);
    lk_free(&memory, client->answered_block);
    lk_free(&memory, client->keys);
    lk_free(&memory, client->kept);
    lk_mutex_destroy(&client->working);
    lk_mutex_destroy(&client->reading);
    lk_free(&memory, client);
}

/** Sets the folder. Returns false if there is none, or if its path is too long. */
static bool lk_set_folder(latchkey_client *self) {
    lk_folder *folder = &self->folder;
    folder->memory = &self->memory;
    folder->silent_ms = 3 * self->options.heartbeat_ms;
    if (self->options.directory == NULL) return lk_default_folder(self->options.product_id, folder->path);
    return snprintf(folder->path, sizeof folder->path, "%s", self->options.directory) < (int)sizeof folder->path;
}

/** Copies the options and fills in what the app left out. Returns LATCHKEY_OK, or why there is no client. */
static latchkey_result lk_set_up(latchkey_client *self, const latchkey_options *options, const char **mistake) {
    char hostname[LATCHKEY_TEXT_SIZE];
    lk_texts texts = {NULL, 0};
    self->options = *options;
    lk_fill_in(self, hostname);
    if (!lk_set_folder(self) &&
        (options->store.read == NULL || (options->fingerprint == NULL && options->find_fingerprint == NULL))) {
        *mistake = "directory is missing or too long";
        return LATCHKEY_ERROR_OPTION;
    }
    lk_take_texts(&texts, &self->options);
    texts.at = self->kept = (char *)lk_allocate(&self->memory, texts.size);
    texts.size = 0;
    if (self->kept == NULL || !lk_take_keys(&self->memory, options, &self->keys)) return LATCHKEY_ERROR_MEMORY;
    lk_take_texts(&texts, &self->options);
    self->options.directory = NULL;
    self->options.public_keys = NULL;
    self->built_at = lk_time_in(self->options.build_date);
    self->clock.machine = self->options.clock;
    self->answered_at = self->due_monotonic = self->due_local = LATCHKEY_NONE;
    self->checked_at = LATCHKEY_NONE;
    lk_clear_stored(&self->stored);
    lk_decide(self, &self->noticed);
    return LATCHKEY_OK;
}

latchkey_client *latchkey_create(const latchkey_options *options, latchkey_error *error) {
    lk_memory memory = {options->reallocate, options->memory_context};
    latchkey_error found;
    lk_clear_error(&found);
    const char *mistake = lk_mistake_in(options);
    latchkey_result result = mistake == NULL ? LATCHKEY_ERROR_MEMORY : LATCHKEY_ERROR_OPTION;
    if (memory.reallocate == NULL) memory.reallocate = lk_reallocate_by_default;
    latchkey_client *self = mistake == NULL ? (latchkey_client *)lk_allocate(&memory, sizeof(latchkey_client)) : NULL;
    if (self != NULL) {
        memset(self, 0, sizeof *self);
        self->memory = memory;
        self->answer.body.memory = &self->memory;
        (void)lk_mutex_create(&self->working);
        (void)lk_mutex_create(&self->reading);
        result = lk_set_up(self, options, &mistake);
        if (result != LATCHKEY_OK) {
            latchkey_destroy(self);
            self = NULL;
        }
    }
    if (mistake != NULL) (void)lk_fail(&found, result, mistake);
    (void)lk_finish(&found, result, error);
    return self;
}

latchkey_result latchkey_start(latchkey_client *client, latchkey_error *error) {
    latchkey_error found;
    latchkey_state state;
    lk_clear_error(&found);
    lk_enter(client);
    latchkey_result result = LATCHKEY_OK;
    if (!client->is_running) {
        const latchkey_store *store = &client->options.store;
        client->is_running = true;
        result = lk_load(client);
        if (store->beat != NULL) store->beat(store->context);
        lk_decide(client, &state);
        lk_plan(client);
        if (client->stored.license_key != NULL && state.may_run)
            client->due_monotonic = lk_monotonic(&client->clock);
        else if (client->stored.license_key != NULL)
            result = lk_check_now(client, false);
        if (result != LATCHKEY_OK) (void)lk_fail(&found, result, client->fingerprint_problem);
    }
    lk_leave(client);
    return lk_finish(&found, result, error);
}

/** Takes over what another process stored. Another license, or another verdict about it, is checked here, too. */
static void lk_notice(latchkey_client *self) {
    const latchkey_store *store = &self->options.store;
    char why[LATCHKEY_TEXT_SIZE];
    unsigned char hash[32] = {0};
    lk_buffer text = {&self->memory, NULL, 0, 0, false};
    const unsigned key_number = self->key_number;
    const bool was_refused = self->stored.refusal != NULL;
    const latchkey_stored result = store->read(store->context, (latchkey_sink *)&text, why);
    if (result == LATCHKEY_STORED) lk_hash(text.at == NULL ? "" : text.at, text.length, hash);
    const bool is_same = result != LATCHKEY_STORED_FAILED && memcmp(hash, self->text_hash, sizeof hash) == 0;
    lk_release(&text);
    if (text.has_failed || is_same) return;
    (void)lk_load(self);
    if (self->key_number != key_number || (self->stored.refusal != NULL) != was_refused) lk_plan(self);
}

static bool lk_is_due(const latchkey_client *self) {
    const lk_clock *clock = &self->clock;
    if (self->due_monotonic == LATCHKEY_NONE) return false;
    return lk_monotonic(clock) >= self->due_monotonic ||
           (!clock->machine.counts_sleep && lk_local(clock) >= self->due_local);
}

int64_t latchkey_work(latchkey_client *client) {
    int64_t until = LK_WORK_EVERY_MS;
    lk_enter(client);
    if (client->is_running) {
        lk_notice(client);
        if (lk_is_due(client)) (void)lk_check_now(client, false);
        if (client->due_monotonic != LATCHKEY_NONE)
            until = lk_earlier(until, lk_later(0, client->due_monotonic - lk_monotonic(&client->clock)));
    }
    lk_leave(client);
    return until;
}

latchkey_result latchkey_check(latchkey_client *client, latchkey_error *error) {
    latchkey_error found;
    latchkey_result result = LATCHKEY_OK;
    lk_clear_error(&found);
    lk_enter(client);
    const bool is_too_soon =
        client->checked_at != LATCHKEY_NONE && lk_monotonic(&client->clock) - client->checked_at < LK_CLICK_PAUSE_MS;
    if (!is_too_soon && lk_pause(client) == 0) result = lk_check_now(client, true);
    if (result != LATCHKEY_OK) (void)lk_fail(&found, result, client->fingerprint_problem);
    lk_leave(client);
    return lk_finish(&found, result, error);
}

/** Begins an operation that the app asks for. */
static void lk_enter_clean(latchkey_client *self, latchkey_error *found) {
    lk_clear_error(found);
    lk_enter(self);
}

/** Ends it, and plans the next check. */
static latchkey_result lk_leave_planned(latchkey_client *self, latchkey_result result, const latchkey_error *found,
                                        latchkey_error *error) {
    if (self->has_no_memory) result = LATCHKEY_ERROR_MEMORY;
    lk_plan(self);
    lk_leave(self);
    return lk_finish(found, result, error);
}

latchkey_result latchkey_activate(latchkey_client *client, const char *license_key, latchkey_error *error) {
    latchkey_error found;
    lk_enter_clean(client, &found);
    const latchkey_result result = lk_activate(client, license_key, &found);
    return lk_leave_planned(client, result, &found, error);
}

latchkey_result latchkey_start_trial(latchkey_client *client, const char *variant, const char *email,
                                     latchkey_error *error) {
    latchkey_error found;
    lk_enter_clean(client, &found);
    const latchkey_result result = lk_start_trial(client, variant, email, &found);
    return lk_leave_planned(client, result, &found, error);
}

latchkey_result latchkey_deactivate(latchkey_client *client, latchkey_error *error) {
    latchkey_error found;
    lk_enter_clean(client, &found);
    const latchkey_result result = lk_deactivate(client, &found);
    return lk_leave_planned(client, result, &found, error);
}

latchkey_result latchkey_import_file(latchkey_client *client, const char *text, latchkey_error *error) {
    latchkey_error found;
    lk_enter_clean(client, &found);
    const latchkey_result result = lk_import(client, text, &found);
    return lk_leave_planned(client, result, &found, error);
}

latchkey_result latchkey_consume(latchkey_client *client, const latchkey_use *use, latchkey_consumption *consumption,
                                 latchkey_error *error) {
    latchkey_consumption unread;
    latchkey_error found;
    if (consumption == NULL) consumption = &unread;
    memset(consumption, 0, sizeof *consumption);
    lk_enter_clean(client, &found);
    const unsigned outcomes = client->outcomes;
    const latchkey_result result = lk_consume(client, use, consumption, &found);
    /* A use that says nothing about the license leaves the next check where it is. */
    if (client->outcomes != outcomes) lk_plan(client);
    lk_leave(client);
    return lk_finish(&found, result, error);
}

/** Writes the request in armour, in short lines, into `request`. */
static void lk_write_request(latchkey_client *self, const char *license_key, lk_buffer *request) {
    static const char begin[] = "-----BEGIN LATCHKEY REQUEST-----\n", end[] = "-----END LATCHKEY REQUEST-----\n";
    const latchkey_options *options = &self->options;
    char now[LATCHKEY_TIME_SIZE];
    lk_buffer json = {&self->memory, NULL, 0, 0, false};
    (void)latchkey_format_time(lk_local(&self->clock), now);
    lk_add_text(&json, "{\"v\":1");
    lk_add_text_or_null(&json, "productId", options->product_id);
    lk_add_text_or_null(&json, "licenseKey", license_key);
    lk_add_text_or_null(&json, "fingerprint", self->fingerprint);
    lk_add_text_or_null(&json, "hostname", options->hostname);
    lk_add_text_or_null(&json, "client", "latchkey-c");
    lk_add_text_or_null(&json, "createdAt", now);
    lk_add_text(&json, "}");
    char *encoded = json.has_failed ? NULL : lk_room(self, (json.length * 4 + 2) / 3 + 1);
    request->has_failed = encoded == NULL;
    lk_add_text(request, begin);
    const size_t length =
        encoded == NULL ? 0 : lk_encode_base64url(encoded, (const unsigned char *)json.at, json.length);
    for (size_t i = 0; i < length; i += 64) {
        lk_add(request, encoded + i, length - i < 64 ? length - i : 64);
        lk_add_text(request, "\n");
    }
    lk_add_text(request, end);
    lk_release(&json);
}

char *latchkey_export_request(latchkey_client *client, const char *license_key, latchkey_error *error) {
    latchkey_error found;
    lk_buffer request = {&client->memory, NULL, 0, 0, false};
    lk_clear_error(&found);
    lk_enter(client);
    latchkey_result result = lk_load(client);
    if (result != LATCHKEY_OK)
        (void)lk_fail(&found, result, client->fingerprint_problem);
    else
        lk_write_request(client, license_key, &request);
    if (request.has_failed) {
        lk_release(&request);
        result = LATCHKEY_ERROR_MEMORY;
    }
    lk_leave(client);
    (void)lk_finish(&found, result, error);
    return request.at;
}

void latchkey_free_text(latchkey_client *client, char *text) { lk_free(&client->memory, text); }

void latchkey_close(latchkey_client *client) {
    lk_enter(client);
    if (client->is_running) {
        const latchkey_store *store = &client->options.store;
        client->is_running = false;
        lk_plan(client);
        if (store->leave == NULL || store->leave(store->context)) lk_give_seat_back(client);
    }
    lk_leave(client);
}

/** Shows the claims of a file without a client. */
static void lk_show_claims(const lk_file *file, latchkey_claims *claims) {
    latchkey_facts *facts = &claims->facts;
    memset(claims, 0, sizeof *claims);
    claims->purpose = file->purpose;
    claims->issued_at = file->issued_at;
    claims->renew_after = file->renew_after;
    claims->ends_at = file->ends_at;
    lk_json_show(lk_json_get(file->claims, "keyHint"), facts->license_key_hint, sizeof facts->license_key_hint);
    lk_json_show(lk_json_get(file->claims, "productId"), facts->product_id, sizeof facts->product_id);
    lk_json_show(lk_json_get(file->claims, "variant"), facts->variant, sizeof facts->variant);
    lk_json_show(lk_json_get(file->claims, "licenseType"), facts->license_type, sizeof facts->license_type);
    memcpy(facts->max_version, file->max_version, sizeof facts->max_version);
    facts->license_expires_at = file->license_expires_at;
    facts->updates_until = file->updates_until;
    facts->grace_until = facts->days_remaining = facts->machines_used = LATCHKEY_NONE;
    facts->max_machines = lk_count_in(file->claims, "maxMachines");
}

latchkey_file_problem latchkey_read_file(const latchkey_options *options, const char *text, size_t length, int64_t now,
                                         latchkey_claims *claims) {
    lk_memory memory = {options->reallocate, options->memory_context};
    lk_key *keys = NULL;
    lk_file file;
    const lk_text whole = {text, length};
    if (memory.reallocate == NULL) memory.reallocate = lk_reallocate_by_default;
    if (!lk_take_keys(&memory, options, &keys)) return LATCHKEY_FILE_NO_MEMORY;
    const lk_expected expected = {&memory,
                                  &options->verifier,
                                  keys,
                                  options->public_key_count,
                                  options->issuer,
                                  options->product_id,
                                  options->fingerprint,
                                  now};
    const latchkey_file_problem problem = lk_verify_file(&expected, whole, &file);
    if (problem == LATCHKEY_FILE_GOOD && claims != NULL) lk_show_claims(&file, claims);
    lk_release_file(&memory, &file);
    lk_free(&memory, keys);
    return problem;
}
