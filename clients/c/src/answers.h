/* Calls the service, and tells good answers, refusals and everything else apart (sections 4 and 8). */

typedef enum lk_endpoint {
    LK_ACTIVATE,
    LK_START_TRIAL,
    LK_VALIDATE,
    LK_HEARTBEAT,
    LK_DEACTIVATE,
    LK_VERIFY,
    LK_ISSUE_FILE,
    LK_CONSUME,
    LK_KEY_LISTS
} lk_endpoint;

static const char *const LK_PATHS[] = {"/activate",         "/startTrial", "/validate",
                                       "/heartbeat",        "/deactivate", "/verify",
                                       "/issueLicenseFile", "/consume",    "/.well-known/latchkey-keys.json"};

/** A pause that the service asks for is at most this long, so that a broken answer silences no app for good. */
#define LK_LONGEST_PAUSE_MS LK_HOUR_MS

typedef enum lk_called_kind { LK_CALLED_GOOD, LK_CALLED_REFUSED, LK_CALLED_UNREACHABLE } lk_called_kind;

/** The result of a call. `body` is valid until the next call. */
typedef struct lk_called {
    lk_called_kind kind;
    lk_json body;
    /** The `Date` of the answer; LATCHKEY_NONE without one. */
    int64_t server_time;
    /** Of a refusal, with the text of the service, the limit of machines or users, and the end of a meter's period. */
    const char *code;
    char text[LATCHKEY_TEXT_SIZE];
    int64_t limit, resets_at;
    /** Of an unreachable service, with `text`. */
    latchkey_problem problem;
    int64_t retry_after_ms;
} lk_called;

/** Begins the result of a call: there is no answer yet. */
static void lk_clear_called(lk_called *called) {
    memset(called, 0, sizeof *called);
    called->kind = LK_CALLED_UNREACHABLE;
    called->limit = called->resets_at = called->retry_after_ms = called->server_time = LATCHKEY_NONE;
}

#define LK_AT(endpoint) (1u << (endpoint))
#define LK_AT_SESSIONS                                                                                                 \
    (LK_AT(LK_VALIDATE) | LK_AT(LK_HEARTBEAT) | LK_AT(LK_DEACTIVATE) | LK_AT(LK_ISSUE_FILE) | LK_AT(LK_CONSUME))
#define LK_AT_KEYS (LK_AT_SESSIONS | LK_AT(LK_ACTIVATE) | LK_AT(LK_VERIFY))
#define LK_AT_STARTS (LK_AT(LK_ACTIVATE) | LK_AT(LK_START_TRIAL))
#define LK_AT_ALL (LK_AT_KEYS | LK_AT(LK_START_TRIAL))

/** A refusal, and how it is known without its header. A `*` in a text is anything of the characters that follow it. */
typedef struct lk_refusal {
    const char *code;
    int statuses[2];
    /** NULL for a refusal that only its header names. */
    const char *text, *other_text;
    unsigned endpoints;
    /** Ends by waiting. */
    bool waits;
} lk_refusal;

static const lk_refusal LK_REFUSALS[] = {
    {"license_not_found", {404, 0}, "License not found", NULL, LK_AT_KEYS, false},
    {"license_replaced", {403, 0}, "License was replaced by another key", NULL, LK_AT_ALL, false},
    {"license_revoked", {403, 0}, "License has been revoked", NULL, LK_AT_ALL, false},
    {"license_expired", {403, 0}, "License has expired", NULL, LK_AT_KEYS, false},
    {"wrong_product",
     {403, 0},
     "License is for a different product",
     NULL,
     LK_AT(LK_ACTIVATE) | LK_AT(LK_VERIFY),
     false},
    {"machine_limit",
     {403, 0},
     "Machine limit reached (#). Deactivate another machine first.",
     NULL,
     LK_AT_STARTS,
     false},
    {"user_required", {400, 0}, "User required", NULL, LK_AT_STARTS, false},
    {"user_limit", {403, 0}, "User limit reached (#)", NULL, LK_AT_STARTS, false},
    {"machine_not_activated", {403, 404}, "Machine not activated", NULL, LK_AT_SESSIONS, false},
    {"activation_rate", {429, 0}, "Too many activation attempts. Try again later.", NULL, LK_AT_STARTS, true},
    {"invalid_token", {401, 0}, "Invalid token", "Invalid or expired token", LK_AT_SESSIONS, false},
    {"token_mismatch", {401, 0}, "Token mismatch", NULL, LK_AT_SESSIONS, false},
    {"license_files_not_offered",
     {403, 0},
     "License files are not offered for this license",
     NULL,
     LK_AT(LK_ISSUE_FILE),
     false},
    {"update_not_covered",
     {403, 0},
     "License does not cover this version",
     NULL,
     LK_AT_STARTS | LK_AT(LK_VALIDATE) | LK_AT(LK_VERIFY),
     false},
    {"trial_not_offered", {403, 0}, "This product offers no trial", NULL, LK_AT(LK_START_TRIAL), false},
    {"trial_over", {403, 0}, "Trial has ended", NULL, LK_AT(LK_START_TRIAL), false},
    {"trial_rate",
     {429, 0},
     "Too many trials from your network. Try again later.",
     "Too many trials of this product. Try again later.",
     LK_AT(LK_START_TRIAL),
     true},
    {"product_not_found", {404, 0}, "Product not found", NULL, LK_AT(LK_START_TRIAL), false},
    {"variant_not_found", {404, 0}, "Variant not found", NULL, LK_AT(LK_START_TRIAL), false},
    {"product_archived", {409, 0}, "Product is archived", NULL, LK_AT(LK_START_TRIAL), false},
    {"meter_limit", {403, 0}, "Usage limit reached", NULL, LK_AT(LK_CONSUME), false},
    {"meter_not_found", {404, 0}, "Meter not found", NULL, LK_AT(LK_CONSUME), false},
    {"request_id_reused", {422, 0}, "requestId was used for other units", NULL, LK_AT(LK_CONSUME), false},
    {"missing_fields", {400, 0}, "Missing _", NULL, LK_AT_ALL, false},
    {"invalid_field", {400, 0}, NULL, NULL, 0, false},
};

/** Whether a letter belongs to the part of a text for which a sign stands: `#` a number, `_` names. */
static bool lk_belongs(char sign, char letter) {
    if (lk_is_digit(letter)) return true;
    if (sign == '#' || letter == '\0') return false;
    return (lk_lower(letter) >= 'a' && lk_lower(letter) <= 'z') || strchr("_ ,()", letter) != NULL;
}

/** Whether a text has a form, in which one of the signs above may stand. `number` receives that of `#`. */
static bool lk_has_form(const char *text, const char *form, int64_t *number) {
    for (; *form != '\0'; form++) {
        if (strchr("#_", *form) == NULL) {
            if (*text++ != *form) return false;
            continue;
        }
        const char *begin = text;
        for (; lk_belongs(*form, *text); text++)
            if (*form == '#' && text - begin < 9) *number = (text == begin ? 0 : *number * 10) + (*text - '0');
        const long length = (long)(text - begin);
        if (length == 0 || (*form == '#' && length > 9)) return false;
    }
    return *text == '\0';
}

void latchkey_answer_status(latchkey_answer *answer, int status) { answer->status = status; }

void latchkey_answer_header(latchkey_answer *answer, const char *name, size_t name_length, const char *value,
                            size_t value_length) {
    static const char *const names[] = {"date", "latchkey-code", "retry-after"};
    char *const places[] = {answer->date, answer->code, answer->retry_after};
    const size_t sizes[] = {sizeof answer->date, sizeof answer->code, sizeof answer->retry_after};
    const lk_text text = {value, value_length};
    for (size_t i = 0; i < LK_COUNT(names); i++) {
        size_t same = 0;
        while (same < name_length && names[i][same] != '\0' && lk_lower(name[same]) == names[i][same]) same++;
        if (same != name_length || names[i][same] != '\0') continue;
        lk_copy(places[i], sizes[i], lk_trimmed(text));
        answer->has_code = answer->has_code || i == 1;
    }
}

bool latchkey_answer_body(latchkey_answer *answer, const void *bytes, size_t length) {
    answer->is_too_large = answer->is_too_large || length > LATCHKEY_LARGEST_ANSWER - answer->body.length;
    if (!answer->is_too_large) lk_add(&answer->body, bytes, length);
    return !answer->is_too_large && !answer->body.has_failed;
}

void latchkey_answer_problem(latchkey_answer *answer, const char *text) {
    lk_copy(answer->problem, sizeof answer->problem, lk_text_of(text));
}

bool latchkey_sink_add(latchkey_sink *sink, const void *bytes, size_t length) {
    lk_buffer *buffer = (lk_buffer *)sink;
    lk_add(buffer, bytes, length);
    return buffer->length <= LK_LARGEST_STATE && !buffer->has_failed;
}

/** The value of `Retry-After` in milliseconds; LATCHKEY_NONE without one in seconds. */
static int64_t lk_retry_after(const latchkey_answer *answer) {
    const char *at = answer->retry_after;
    int64_t pause = 0;
    if (*at == '\0') return LATCHKEY_NONE;
    for (; *at != '\0'; at++) {
        if (!lk_is_digit(*at)) return LATCHKEY_NONE;
        pause = lk_earlier(pause * 10 + (*at - '0') * LK_SECOND_MS, LK_LONGEST_PAUSE_MS);
    }
    return pause;
}

typedef enum lk_field_type { LK_IS_TEXT, LK_IS_TIME, LK_IS_COUNT } lk_field_type;

typedef struct lk_field {
    const char *name;
    lk_field_type type;
    bool may_be_null, may_be_absent;
    unsigned endpoints;
} lk_field;

/** The fields that the client reads. Unknown fields, statuses and types of licenses are accepted. */
static const lk_field LK_FIELDS[] = {
    {"licenseKey", LK_IS_TEXT, false, false, LK_AT(LK_START_TRIAL)},
    {"token", LK_IS_TEXT, false, false, LK_AT_STARTS},
    {"newToken", LK_IS_TEXT, false, true, LK_AT(LK_VALIDATE)},
    {"licenseKey", LK_IS_TEXT, false, true, LK_AT(LK_VALIDATE)},
    {"sessionToken", LK_IS_TEXT, false, true, LK_AT(LK_VALIDATE)},
    {"expiresAt", LK_IS_TIME, false, false, LK_AT_STARTS | LK_AT(LK_VALIDATE) | LK_AT(LK_HEARTBEAT)},
    {"productId", LK_IS_TEXT, false, false, LK_AT(LK_VALIDATE)},
    {"variant", LK_IS_TEXT, false, false, LK_AT_STARTS | LK_AT(LK_VALIDATE)},
    {"licenseExpiresAt", LK_IS_TIME, true, false, LK_AT_STARTS | LK_AT(LK_VALIDATE)},
    {"daysRemaining", LK_IS_COUNT, true, false, LK_AT(LK_VALIDATE)},
    {"machinesUsed", LK_IS_COUNT, false, false, LK_AT_STARTS | LK_AT(LK_DEACTIVATE) | LK_AT(LK_VERIFY)},
    {"maxMachines", LK_IS_COUNT, false, false, LK_AT_STARTS | LK_AT(LK_DEACTIVATE) | LK_AT(LK_VERIFY)},
    {"licenseFile", LK_IS_TEXT, false, false, LK_AT(LK_ISSUE_FILE)},
    {"meter", LK_IS_TEXT, false, false, LK_AT(LK_CONSUME)},
    {"used", LK_IS_COUNT, false, false, LK_AT(LK_CONSUME)},
    {"limit", LK_IS_COUNT, false, false, LK_AT(LK_CONSUME)},
    {"remaining", LK_IS_COUNT, true, false, LK_AT(LK_CONSUME)},
    {"resetsAt", LK_IS_TIME, true, false, LK_AT(LK_CONSUME)},
    {"licenseType", LK_IS_TEXT, false, true, LK_AT_ALL},
    {"sessionExpiresAt", LK_IS_TIME, false, true, LK_AT_ALL},
};

/** Whether a value is a time in ISO 8601. */
static bool lk_read_json_time(lk_json value, int64_t *time) {
    char text[40];
    if (!lk_json_is(value, '"') || value.end - value.at >= (long)sizeof text) return false;
    (void)lk_json_decode(value, text);
    return lk_read_time(text, time);
}

static bool lk_is_of_type(lk_json value, const lk_field *field) {
    int64_t number;
    if (value.at == NULL) return field->may_be_absent;
    if (lk_json_is_null(value)) return field->may_be_null;
    if (field->type == LK_IS_TEXT) return lk_json_is_text(value) && !lk_json_equals(value, "");
    return field->type == LK_IS_COUNT ? lk_json_integer(value, &number) : lk_read_json_time(value, &number);
}

static bool lk_is_good(lk_endpoint endpoint, lk_json body, lk_json flag) {
    if (endpoint == LK_KEY_LISTS) return lk_json_is(lk_json_get(body, "keys"), '[');
    if (!lk_json_is_true(flag)) return false;
    for (size_t i = 0; i < LK_COUNT(LK_FIELDS); i++)
        if ((LK_FIELDS[i].endpoints & LK_AT(endpoint)) &&
            !lk_is_of_type(lk_json_get(body, LK_FIELDS[i].name), &LK_FIELDS[i]))
            return false;
    return true;
}

/** The refusal in an answer; NULL if it is none that this client knows. */
static const lk_refusal *lk_refusal_in(lk_endpoint endpoint, const latchkey_answer *answer, const char *text,
                                       int64_t *limit) {
    for (size_t i = 0; i < LK_COUNT(LK_REFUSALS); i++) {
        const lk_refusal *refusal = &LK_REFUSALS[i];
        const bool has_form =
            refusal->text != NULL && (lk_has_form(text, refusal->text, limit) ||
                                      (refusal->other_text != NULL && lk_has_form(text, refusal->other_text, limit)));
        if (!has_form) *limit = LATCHKEY_NONE;
        if (answer->has_code) {
            if (strcmp(answer->code, refusal->code) == 0) return refusal;
            continue;
        }
        const bool has_status = answer->status == refusal->statuses[0] || answer->status == refusal->statuses[1];
        if (has_status && has_form && (refusal->endpoints & LK_AT(endpoint))) return refusal;
    }
    return NULL;
}

/** Reads an answer. Returns false if it says nothing about the license. */
static bool lk_read_answer(latchkey_client *self, lk_endpoint endpoint, lk_called *called) {
    const latchkey_answer *answer = &self->answer;
    const char *text = answer->body.at == NULL ? "" : answer->body.at;
    lk_json body;
    if (!lk_json_read(text, answer->body.length, &body) || !lk_json_is(body, '{')) return false;
    const lk_json flag = lk_json_get(body, endpoint == LK_VALIDATE || endpoint == LK_VERIFY ? "valid" : "success");
    const lk_json error = lk_json_get(body, "error");
    if (!lk_read_http_date(answer->date, &called->server_time)) called->server_time = LATCHKEY_NONE;
    called->body = body;
    called->kind = LK_CALLED_GOOD;
    if (answer->status == 200 && lk_is_good(endpoint, body, flag)) return true;
    if (!lk_json_is_false(flag) || answer->status < 400 || answer->status > 499) return false;
    const char *message = lk_text_in(self, error);
    const lk_refusal *refusal = lk_refusal_in(endpoint, answer, message == NULL ? "" : message, &called->limit);
    if (refusal == NULL || self->has_no_memory) return false;
    called->kind = LK_CALLED_REFUSED;
    called->code = refusal->code;
    lk_copy(called->text, sizeof called->text, lk_text_of(message));
    if (strcmp(refusal->code, "meter_limit") == 0)
        (void)lk_read_json_time(lk_json_get(body, "resetsAt"), &called->resets_at);
    called->retry_after_ms = lk_retry_after(answer);
    if (!refusal->waits)
        called->retry_after_ms = LATCHKEY_NONE;
    else if (called->retry_after_ms == LATCHKEY_NONE)
        called->retry_after_ms = 60 * LK_SECOND_MS;
    return true;
}

/** Sends a request to one address. Returns whether the answer is the service's; else `called` has the problem. */
static bool lk_ask(latchkey_client *self, const char *server, lk_endpoint endpoint, const lk_buffer *body,
                   lk_called *called) {
    static const latchkey_problem problems[] = {LATCHKEY_PROBLEM_ANSWER, LATCHKEY_PROBLEM_NETWORK, LATCHKEY_PROBLEM_TLS,
                                                LATCHKEY_PROBLEM_TIMEOUT};
    latchkey_answer *answer = &self->answer;
    char *url = lk_room(self, strlen(server) + strlen(LK_PATHS[endpoint]) + 1);
    const latchkey_request request = {url, body == NULL ? NULL : body->at, body == NULL ? 0 : body->length,
                                      self->options.request_timeout_ms};
    lk_release(&answer->body);
    memset(answer, 0, sizeof *answer);
    answer->body.memory = &self->memory;
    lk_clear_called(called);
    latchkey_sent sent = LATCHKEY_SENT_NOTHING;
    if (url != NULL) {
        (void)sprintf(url, "%s%s", server, LK_PATHS[endpoint]);
        sent = self->options.transport.send(self->options.transport.context, &request, answer);
        if (answer->is_too_large) latchkey_answer_problem(answer, "the answer is too large");
        if (answer->is_too_large && sent == LATCHKEY_SENT) sent = LATCHKEY_SENT_NOTHING;
        self->has_no_memory = self->has_no_memory || answer->body.has_failed;
    }
    if (sent == LATCHKEY_SENT && !self->has_no_memory && lk_read_answer(self, endpoint, called)) return true;
    const bool is_busy = answer->status == 429 || answer->status == 503;
    called->kind = LK_CALLED_UNREACHABLE;
    called->problem = sent == LATCHKEY_SENT && is_busy ? LATCHKEY_PROBLEM_BUSY : problems[sent];
    called->retry_after_ms = sent == LATCHKEY_SENT ? lk_retry_after(answer) : LATCHKEY_NONE;
    if (sent == LATCHKEY_SENT)
        (void)snprintf(called->text, sizeof called->text, "%.150s answered %d, which says nothing about the license",
                       server, answer->status);
    else
        (void)snprintf(called->text, sizeof called->text, "%.100s could not be reached: %.120s", server,
                       answer->problem);
    return false;
}

/** Tries the addresses in order until one answers as the service does; else the problem is that of the first. */
static void lk_call(latchkey_client *self, lk_endpoint endpoint, const lk_buffer *body, lk_called *called) {
    lk_called later;
    for (size_t i = 0; i < self->options.server_count && !self->has_no_memory; i++) {
        lk_called *here = i == 0 ? called : &later;
        if (!lk_ask(self, self->options.servers[i], endpoint, body, here)) continue;
        *called = *here;
        return;
    }
    if (!self->has_no_memory) return;
    lk_clear_called(called);
    called->problem = LATCHKEY_PROBLEM_NETWORK;
    lk_copy(called->text, sizeof called->text, lk_text_of("there was not enough memory for a call"));
}

static void lk_add_text_if_any(lk_buffer *buffer, const char *name, const char *text) {
    if (text != NULL) lk_add_text_or_null(buffer, name, text);
}

/** Calls an endpoint with the fields that belong to it; those that are NULL are left out. `more` may be NULL. */
static void lk_call_with(latchkey_client *self, lk_endpoint endpoint, const char *license_key, const char *token,
                         const lk_buffer *more, lk_called *called) {
    const latchkey_options *options = &self->options;
    lk_buffer body = {&self->memory, NULL, 0, 0, false};
    const bool starts = endpoint == LK_ACTIVATE || endpoint == LK_START_TRIAL;
    lk_add_text(&body, "{");
    lk_add_text_if_any(&body, "licenseKey", license_key);
    if (endpoint != LK_VERIFY) lk_add_text_or_null(&body, "machineFingerprint", self->fingerprint);
    lk_add_text_if_any(&body, "token", token);
    if (starts || endpoint == LK_VERIFY) lk_add_text_or_null(&body, "productId", options->product_id);
    if (starts) {
        lk_add_text_or_null(&body, "hostname", options->hostname);
        lk_add_text_if_any(&body, "user", options->user);
    }
    if (starts || endpoint == LK_VALIDATE) {
        lk_add_text_if_any(&body, "buildDate", options->build_date);
        lk_add_text_if_any(&body, "version", options->version);
    }
    if (endpoint == LK_VALIDATE) lk_add_text(&body, ",\"acceptsReplacement\":true");
    if (more != NULL && more->length > 0) {
        lk_add_text(&body, ",");
        lk_add(&body, more->at, more->length);
    }
    lk_add_text(&body, "}");
    self->has_no_memory = self->has_no_memory || body.has_failed || (more != NULL && more->has_failed);
    lk_call(self, endpoint, &body, called);
    lk_release(&body);
}

/** Whether another key has taken the place of the one that was sent. */
static bool lk_is_of_replaced_key(const lk_called *called) {
    return called->kind == LK_CALLED_REFUSED && strcmp(called->code, "license_replaced") == 0;
}

static void lk_call_for(latchkey_client *self, lk_endpoint endpoint, const char *license_key, const char *token,
                        lk_called *called) {
    lk_call_with(self, endpoint, license_key, token, NULL, called);
}
