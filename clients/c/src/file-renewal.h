/* Keeps a signed license file for the times without the service (section 10), and the lists of signing keys that it
 * needs. */

/** Pause before another request for a file after a failure; a day if the operator does not offer files. */
#define LK_FILE_PAUSE_MS LK_HOUR_MS

/** A time in whole seconds, as files have it. */
static int64_t lk_in_seconds(int64_t time) {
    return time == LATCHKEY_NONE ? time : time - (time % LK_SECOND_MS + LK_SECOND_MS) % LK_SECOND_MS;
}

/**
 * Whether to fetch a file: none is stored, its renewal is due, the license was extended or its key was replaced, or it
 * is from the future.
 */
static bool lk_is_file_due(latchkey_client *self, const char *license_key) {
    const lk_file *file = &self->file;
    const lk_facts *facts = &self->stored.facts;
    const int64_t now = lk_now(&self->clock);
    if (file->block == NULL) return true;
    if (file->purpose != LATCHKEY_PURPOSE_GRACE) return false;
    return now >= file->renew_after || file->license_expires_at != lk_in_seconds(lk_time_in(facts->expires_at)) ||
           file->updates_until != lk_in_seconds(lk_time_in(facts->updates_until)) ||
           file->issued_at > now + LK_DAY_MS || !lk_is_key_of_file(self, license_key, file);
}

/** The published lists of signing keys, then the stored ones, as one array; absent without any. */
static lk_json lk_ask_key_lists(latchkey_client *self) {
    const lk_json stored = self->stored.key_lists;
    lk_json published = {NULL, NULL}, list = {NULL, NULL};
    lk_buffer lists = {&self->memory, NULL, 0, 0, false};
    lk_called called;
    lk_call(self, LK_KEY_LISTS, NULL, &called);
    if (called.kind == LK_CALLED_GOOD) published = lk_json_get(called.body, "keys");
    lk_add_text(&lists, "[");
    for (int source = 0; source < 2; source++) {
        const lk_json from = source == 0 ? published : stored;
        list.at = NULL;
        while (from.at != NULL && lk_json_next(from, &list, NULL))
            if (lk_json_is_text(list)) lk_add_item(&lists, list);
    }
    lk_add_text(&lists, "]");
    return lk_kept_json(self, &lists);
}

/** The lists among `key_lists` that lead to keys which are not compiled into the app, as an array. */
static lk_json lk_useful_key_lists(latchkey_client *self, lk_json key_lists) {
    lk_key_ring ring;
    lk_expected expected;
    lk_buffer lists = {&self->memory, NULL, 0, 0, false};
    lk_expect(self, self->keys, self->options.public_key_count, LATCHKEY_NONE, &expected);
    if (!lk_follow_key_lists(&expected, &self->options, key_lists, &ring)) self->has_no_memory = true;
    lk_add_text(&lists, "[");
    for (size_t i = 0; i < ring.used_count; i++) lk_add_item(&lists, ring.used[i]);
    lk_add_text(&lists, "]");
    lk_release_ring(&ring);
    return lk_kept_json(self, &lists);
}

/** Fetches a newer file when it is due. On failure nothing changes, and the app goes on with its present file. */
static void lk_renew_file(latchkey_client *self) {
    const char *license_key = self->stored.license_key, *token = self->stored.token;
    lk_called called;
    lk_stored changes;
    lk_file file;
    if (!lk_needs_file(self) || !lk_is_covered(self) || self->outcome != LK_GOOD) return;
    if (lk_monotonic(&self->clock) < self->file_not_before || !lk_is_file_due(self, license_key)) return;
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
