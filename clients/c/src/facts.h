/* Facts about a license, taken from answers and license files (rules 2.4, 6.3 and 10.7). */

/** The last group of a license key, or the last four characters of a key without groups, in capitals. */
static const char *lk_hint_of(latchkey_client *self, const char *license_key) {
    const lk_text key = lk_trimmed(lk_text_of(license_key));
    size_t begin = key.length;
    bool has_groups = memchr(key.at, '-', key.length) != NULL;
    if (has_groups)
        while (key.at[begin - 1] != '-') begin--;
    for (int letters = 0; !has_groups && begin > 0 && letters < 4; begin--)
        letters += ((unsigned char)key.at[begin - 1] & 0xC0) != 0x80;
    char *hint = lk_room(self, key.length - begin + 1);
    if (hint == NULL) return NULL;
    for (size_t i = begin; i < key.length; i++)
        hint[i - begin] = key.at[i] >= 'a' && key.at[i] <= 'z' ? (char)(key.at[i] - 32) : key.at[i];
    hint[key.length - begin] = '\0';
    return hint;
}

/** Whether a letter counts in the comparison of keys; in capitals, or 0. */
static char lk_key_letter(char letter) {
    letter = lk_lower(letter);
    return lk_is_digit(letter) || (letter >= 'a' && letter <= 'z') ? letter : 0;
}

/** Whether a key, in any spelling, can be the one that a file names. */
static bool lk_is_key_of_file(latchkey_client *self, const char *license_key, const lk_file *file) {
    const char *hint = lk_text_in(self, lk_json_get(file->claims, "keyHint"));
    if (hint == NULL) return false;
    size_t in_key = strlen(license_key), in_hint = strlen(hint);
    for (;;) {
        while (in_hint > 0 && lk_key_letter(hint[in_hint - 1]) == 0) in_hint--;
        while (in_key > 0 && lk_key_letter(license_key[in_key - 1]) == 0) in_key--;
        if (in_hint == 0) return true;
        if (in_key == 0 || lk_key_letter(hint[--in_hint]) != lk_key_letter(license_key[--in_key])) return false;
    }
}

/** The known facts, or those of a key before the first answer. */
static void lk_facts_before(latchkey_client *self, const char *license_key, lk_facts *facts) {
    lk_clear_facts(facts);
    if (self->stored.has_facts) {
        *facts = self->stored.facts;
        return;
    }
    facts->hint = lk_hint_of(self, license_key);
    facts->product_id = self->options.product_id;
}

/** Rounds up to whole days, as the service does. Subtracts a second, because the `Date` header has no fractions. */
static int64_t lk_days_until(const char *time_text, int64_t now) {
    const int64_t time = lk_time_in(time_text);
    if (time == LATCHKEY_NONE) return LATCHKEY_NONE;
    const int64_t left = time - now - LK_SECOND_MS;
    return left <= 0 ? 0 : (left + LK_DAY_MS - 1) / LK_DAY_MS;
}

static int64_t lk_count_in(lk_json object, const char *name) {
    int64_t count;
    return lk_json_integer(lk_json_get(object, name), &count) ? count : LATCHKEY_NONE;
}

/** A time of an answer as its text; NULL for anything else. */
static const char *lk_time_text_in(latchkey_client *self, lk_json object, const char *name) {
    int64_t time;
    const lk_json value = lk_json_get(object, name);
    return lk_read_json_time(value, &time) ? lk_text_in(self, value) : NULL;
}

/** The features in an answer or a file, without those of another type than an app can read. */
static lk_json lk_features_in(latchkey_client *self, lk_json object) {
    const lk_json features = lk_json_get(object, "features");
    lk_json feature = {NULL, NULL}, name;
    lk_buffer sound = {&self->memory, NULL, 0, 0, false};
    if (!lk_json_is(features, '{')) return feature;
    lk_add_text(&sound, "{");
    while (lk_json_next(features, &feature, &name)) {
        if (!lk_is_feature(feature)) continue;
        lk_add_item(&sound, name);
        lk_add_text(&sound, ":");
        lk_add(&sound, feature.at, (size_t)(feature.end - feature.at));
    }
    lk_add_text(&sound, "}");
    return lk_kept_json(self, &sound);
}

/** Takes over what every answer about a license may have; null where it has none. */
static void lk_take_terms(latchkey_client *self, lk_json answer, lk_facts *facts) {
    facts->grace_until = lk_time_text_in(self, answer, "graceUntil");
    facts->features = lk_features_in(self, answer);
}

/** Takes over which builds the license covers. */
static void lk_take_coverage(latchkey_client *self, lk_json answer, lk_facts *facts) {
    facts->updates_until = lk_time_text_in(self, answer, "updatesUntil");
    facts->max_version = lk_text_in(self, lk_json_get(answer, "maxVersion"));
}

/** Takes over the facts in an answer of /activate or /validate. */
static void lk_take_facts(latchkey_client *self, lk_json answer, lk_facts *facts) {
    const lk_json type = lk_json_get(answer, "licenseType");
    facts->variant = lk_text_in(self, lk_json_get(answer, "variant"));
    facts->expires_at = lk_time_text_in(self, answer, "licenseExpiresAt");
    lk_take_coverage(self, answer, facts);
    if (type.at != NULL) facts->license_type = lk_text_in(self, type);
    lk_take_terms(self, answer, facts);
}

/** A time in seconds as ISO 8601 until the end of the operation. */
static const char *lk_time_of_seconds(latchkey_client *self, lk_json object, const char *name) {
    const int64_t seconds = lk_count_in(object, name);
    char text[LATCHKEY_TIME_SIZE];
    if (seconds == LATCHKEY_NONE) return NULL;
    (void)latchkey_format_time(seconds * LK_SECOND_MS, text);
    return lk_copied(self, lk_text_of(text));
}

static void lk_facts_of_file(latchkey_client *self, const lk_file *file, int64_t now, lk_facts *facts) {
    lk_clear_facts(facts);
    facts->hint = lk_text_in(self, lk_json_get(file->claims, "keyHint"));
    facts->product_id = lk_text_in(self, lk_json_get(file->claims, "productId"));
    facts->variant = lk_text_in(self, lk_json_get(file->claims, "variant"));
    facts->license_type = lk_text_in(self, lk_json_get(file->claims, "licenseType"));
    facts->expires_at = lk_time_of_seconds(self, file->claims, "licenseExpiresAt");
    facts->updates_until = lk_time_of_seconds(self, file->claims, "updatesUntil");
    facts->max_version = lk_text_in(self, lk_json_get(file->claims, "maxVersion"));
    facts->max_machines = lk_count_in(file->claims, "maxMachines");
    facts->days_remaining = lk_days_until(facts->expires_at, now);
    facts->features = lk_features_in(self, file->claims);
}
