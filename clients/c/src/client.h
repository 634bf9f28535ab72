/* The client: its parts, its memory for one operation, and its calls of the app. */

typedef enum lk_outcome_kind { LK_NOT_ASKED, LK_GOOD, LK_PROBLEM, LK_IS_WAITING, LK_IS_RELEASED } lk_outcome_kind;

/** The cause of a missing or bad answer, with a text for the log. */
typedef struct lk_trouble {
    latchkey_problem kind;
    char detail[LATCHKEY_TEXT_SIZE];
} lk_trouble;

struct latchkey_answer {
    int status;
    lk_buffer body;
    bool is_too_large, has_code;
    char date[40], code[40], retry_after[24], problem[128];
};

/** The terms of a license for a build, as an answer, a license file or the stored facts state them. */
typedef struct lk_terms {
    bool are_known;
    /** The features, and the ends in seconds of those that have one. */
    lk_json features, feature_ends;
    int64_t updates_until;
    const char *max_version;
} lk_terms;

/** What readers see. */
typedef struct lk_shown {
    latchkey_state state;
    lk_terms terms;
    int64_t now, until_check;
} lk_shown;

struct latchkey_client {
    lk_memory memory;
    /** The app's options; the texts are in `kept`. */
    latchkey_options options;
    char *kept;
    lk_key *keys;
    /** Time of the build; LATCHKEY_NONE without one. */
    int64_t built_at;
    lk_folder folder;

    /** Held by the one operation that works, during its calls, too. */
    lk_mutex working;
    /** Held for a moment by readers, and at the begin and end of an operation. */
    lk_mutex reading;
    /** Whether an operation works. Readers see what was shown at its begin then. */
    bool is_working;
    lk_shown shown;

    lk_stored stored;
    lk_file file;
    lk_clock clock;
    lk_outcome_kind outcome;
    lk_trouble trouble;
    /** Of a problem. */
    int64_t trouble_since;
    /** The time of this process's last good answer; LATCHKEY_NONE without one. */
    int64_t answered_at;
    /** The terms in the last answer that stated them, and what keeps them. */
    lk_terms answered_terms;
    lk_block *answered_block;
    int failures, polls;
    /** Counts the outcomes that began. */
    unsigned outcomes;
    /** By the monotonic clock: no request before these times, no file, no heartbeat instead of a full check. */
    int64_t not_before, file_not_before, full_check_due;
    /** By both clocks; LATCHKEY_NONE without a planned check. */
    int64_t due_monotonic, due_local;
    int64_t checked_at;
    bool is_running;
    /** Empty until the fingerprint was found. */
    char fingerprint[513];
    char storage_problem[LATCHKEY_TEXT_SIZE], fingerprint_problem[LATCHKEY_TEXT_SIZE];
    /** Whether the state was read or written, whether no read was possible, whether the last write failed. */
    bool is_known, is_unread, is_ahead;
    /** Hashes of the text that this client read or wrote last, and of the broken text that was reported. */
    unsigned char text_hash[32], broken_hash[32];
    /** Counts the license keys that this process has seen in the stored state. */
    unsigned key_number;

    /** Of the operation: its blocks, and whether memory ran out. */
    lk_block *blocks;
    bool has_no_memory;
    struct latchkey_answer answer;
    latchkey_state noticed;
};

/** Keeps a block until the operation ends. */
static void lk_retire(latchkey_client *self, lk_block *block) {
    if (block == NULL) return;
    block->next = self->blocks;
    self->blocks = block;
}

/** Memory until the end of the operation; NULL if there is none. */
static char *lk_room(latchkey_client *self, size_t size) {
    lk_block *block = (lk_block *)lk_allocate(&self->memory, sizeof(lk_block) + size);
    if (block == NULL) self->has_no_memory = true;
    lk_retire(self, block);
    return block == NULL ? NULL : (char *)(block + 1);
}

/** A copy of a text until the end of the operation. */
static const char *lk_copied(latchkey_client *self, lk_text text) {
    char *copy = lk_room(self, text.length + 1);
    if (copy == NULL) return NULL;
    copy[text.length] = '\0';
    return (const char *)memcpy(copy, text.at, text.length);
}

/** The text of a JSON string until the end of the operation; NULL for any other value. */
static const char *lk_text_in(latchkey_client *self, lk_json value) {
    char *text = lk_json_is_text(value) ? lk_room(self, (size_t)(value.end - value.at)) : NULL;
    if (text != NULL) (void)lk_json_decode(value, text);
    return text;
}

/** The text of a buffer until the end of the operation; absent if memory ran out. Frees the buffer. */
static lk_json lk_kept_json(latchkey_client *self, lk_buffer *text) {
    const lk_text whole = {text->at, text->length};
    lk_json kept = {NULL, NULL};
    self->has_no_memory = self->has_no_memory || text->has_failed;
    if (!self->has_no_memory) kept.at = lk_copied(self, whole);
    if (kept.at != NULL) kept.end = kept.at + whole.length;
    lk_release(text);
    return kept;
}

static void lk_log(latchkey_client *self, const char *text) {
    if (self->options.on_log != NULL) self->options.on_log(self->options.context, text);
}

/** A number from 0 up to 1. */
static double lk_random(const latchkey_client *self) {
    unsigned char bytes[4] = {0x80, 0, 0, 0};
    if (self->options.random != NULL) return self->options.random(self->options.random_context);
    (void)lk_system_random(bytes, sizeof bytes);
    return (((bytes[0] * 256.0 + bytes[1]) * 256.0 + bytes[2]) * 256.0 + bytes[3]) / 4294967296.0;
}

static bool lk_is_floating(const latchkey_client *self) {
    return self->stored.has_facts && lk_same(self->stored.facts.license_type, "floating");
}

/** Whether only a signed file lets the app go on without the server. */
static bool lk_needs_file(const latchkey_client *self) { return self->options.public_key_count > 0; }

static int64_t lk_time_in(const char *text) {
    int64_t time;
    return text != NULL && lk_read_time(text, &time) ? time : LATCHKEY_NONE;
}
