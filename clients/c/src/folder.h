/*
 * The folder of the stored state, which the clients of all languages share (sections 2, 13 and 15), and the identity of
 * the machine (rule 4.10).
 */

#define LK_PATH_SIZE 1024
/** Time after which an unchanged lock is abandoned, and after which the client goes on without it. */
#define LK_LOCK_ABANDONED_MS 2000
#define LK_LOCK_WAIT_MS 6000
#define LK_LOCK_PAUSE_MS 5

typedef struct lk_folder {
    const lk_memory *memory;
    char path[LK_PATH_SIZE];
    /** Time after which a silent process counts as gone. */
    int64_t silent_ms;
    /** The random text in the lock that this client holds; empty without one. */
    char lock[33];
    /** The name of this client's file in `processes`; empty before the first beat. */
    char process[64];
} lk_folder;

static void lk_write_hex(const unsigned char bytes[16], char text[33]) {
    for (size_t i = 0; i < 16; i++) (void)snprintf(text + 2 * i, 3, "%02x", (unsigned)bytes[i]);
}

static void lk_random_text(char text[33]) {
    unsigned char bytes[16] = {0};
    (void)lk_system_random(bytes, sizeof bytes);
    lk_write_hex(bytes, text);
}

/** The path of a file of the folder, with `kind` and a random text after its name where `kind` is not NULL. */
static void lk_path(const lk_folder *folder, const char *name, const char *kind, char path[LK_PATH_SIZE + 128]) {
    char random[33] = "";
    if (kind != NULL) lk_random_text(random);
    (void)snprintf(path, LK_PATH_SIZE + 128, "%s/%s%s%s%s", folder->path, name, kind == NULL ? "" : ".", random,
                   kind == NULL ? "" : kind);
}

static void lk_make_folders(const lk_folder *folder) {
    char path[LK_PATH_SIZE];
    (void)snprintf(path, sizeof path, "%s", folder->path);
    if (lk_system_make_folder(path)) return;
    for (size_t i = 1; path[i] != '\0'; i++) {
        const char separator = path[i];
        if (separator != '/' && separator != '\\') continue;
        path[i] = '\0';
        (void)lk_system_make_folder(path);
        path[i] = separator;
    }
    (void)lk_system_make_folder(path);
}

/** Creates a file; creates the folder if it is missing. */
static bool lk_create(const lk_folder *folder, const char *path, const char *text, size_t length, bool is_lasting) {
    if (lk_system_create(path, text, length, is_lasting)) return true;
    if (!lk_system_is_absent()) return false;
    lk_make_folders(folder);
    return lk_system_create(path, text, length, is_lasting);
}

/** Reads a small text, such as that of a lock; empty if it cannot be read. */
static void lk_read_small(const lk_folder *folder, const char *path, char text[40]) {
    char why[LATCHKEY_TEXT_SIZE];
    lk_buffer buffer = {folder->memory, NULL, 0, 0, false};
    const lk_text whole = {"", 0};
    lk_text read = whole;
    if (lk_system_read(path, &buffer, 64, why) == LATCHKEY_STORED && !buffer.has_failed && buffer.length > 0) {
        read.at = buffer.at;
        read.length = buffer.length;
    }
    lk_copy(text, 40, lk_trimmed(read));
    lk_release(&buffer);
}

/** Moves an abandoned lock away; a lock that somebody took in the meantime is put back. */
static void lk_break_lock(const lk_folder *folder, const char *path, const char *abandoned) {
    char moved[LK_PATH_SIZE + 128], found[40];
    lk_path(folder, "lock", ".old", moved);
    if (!lk_system_rename(path, moved)) return;
    lk_read_small(folder, moved, found);
    if (strcmp(found, abandoned) != 0) (void)lk_system_link(moved, path);
    (void)lk_system_remove(moved);
}

static void lk_folder_lock(void *context) {
    lk_folder *folder = (lk_folder *)context;
    char path[LK_PATH_SIZE + 128], own[33], seen[40] = "", now_seen[40];
    const int64_t begin = lk_system_monotonic(NULL);
    int64_t seen_at = begin;
    lk_path(folder, "lock", NULL, path);
    lk_random_text(own);
    while (lk_system_monotonic(NULL) - begin < LK_LOCK_WAIT_MS) {
        if (lk_create(folder, path, own, strlen(own), false)) {
            memcpy(folder->lock, own, sizeof own);
            return;
        }
        if (!lk_system_exists_already()) return;
        lk_read_small(folder, path, now_seen);
        if (strcmp(seen, now_seen) != 0) {
            memcpy(seen, now_seen, sizeof seen);
            seen_at = lk_system_monotonic(NULL);
        } else if (lk_system_monotonic(NULL) - seen_at >= LK_LOCK_ABANDONED_MS) {
            lk_break_lock(folder, path, seen);
        }
        lk_system_sleep(LK_LOCK_PAUSE_MS);
    }
}

static bool lk_holds_lock(const lk_folder *folder) {
    char path[LK_PATH_SIZE + 128], found[40];
    lk_path(folder, "lock", NULL, path);
    lk_read_small(folder, path, found);
    return strcmp(found, folder->lock) == 0;
}

/** Whether another process took the lock for abandoned. */
static bool lk_has_lost_lock(lk_folder *folder) {
    if (folder->lock[0] == '\0' || lk_holds_lock(folder)) return false;
    folder->lock[0] = '\0';
    return true;
}

static void lk_folder_unlock(void *context) {
    lk_folder *folder = (lk_folder *)context;
    char path[LK_PATH_SIZE + 128];
    if (folder->lock[0] == '\0') return;
    lk_path(folder, "lock", NULL, path);
    if (lk_holds_lock(folder)) (void)lk_system_remove(path);
    folder->lock[0] = '\0';
}

static latchkey_stored lk_folder_read(void *context, latchkey_sink *sink, char why[LATCHKEY_TEXT_SIZE]) {
    char path[LK_PATH_SIZE + 128];
    lk_path((const lk_folder *)context, "state", NULL, path);
    return lk_system_read(path, (lk_buffer *)sink, LK_LARGEST_STATE, why);
}

/** Writes a temporary file and renames it, so that a crash leaves either the old or the new text. */
static latchkey_stored lk_replace_file(lk_folder *folder, const char *name, const char *text, size_t length,
                                       char why[LATCHKEY_TEXT_SIZE]) {
    char path[LK_PATH_SIZE + 128], temporary[LK_PATH_SIZE + 128];
    lk_path(folder, name, NULL, path);
    lk_path(folder, name, ".tmp", temporary);
    if (!lk_create(folder, temporary, text, length, true)) {
        lk_system_why(why);
        return LATCHKEY_STORED_FAILED;
    }
    if (lk_has_lost_lock(folder)) {
        (void)lk_system_remove(temporary);
        return LATCHKEY_STORED_ANEW;
    }
    if (lk_system_rename(temporary, path)) return LATCHKEY_STORED;
    lk_system_why(why);
    (void)lk_system_remove(temporary);
    return LATCHKEY_STORED_FAILED;
}

static latchkey_stored lk_folder_write(void *context, const char *text, size_t length, char why[LATCHKEY_TEXT_SIZE]) {
    return lk_replace_file((lk_folder *)context, "state", text, length, why);
}

static latchkey_stored lk_folder_remove(void *context, char why[LATCHKEY_TEXT_SIZE]) {
    char path[LK_PATH_SIZE + 128];
    lk_folder *folder = (lk_folder *)context;
    lk_path(folder, "state", NULL, path);
    if (lk_has_lost_lock(folder)) return LATCHKEY_STORED_ANEW;
    if (lk_system_remove(path)) return LATCHKEY_STORED;
    lk_system_why(why);
    return LATCHKEY_STORED_FAILED;
}

static void lk_folder_set_aside(void *context, const char *text, size_t length) {
    char why[LATCHKEY_TEXT_SIZE];
    (void)lk_replace_file((lk_folder *)context, "state.broken", text, length, why);
}

/** A visit of the files of a folder. */
typedef struct lk_visit {
    const lk_folder *folder;
    const char *below;
    int64_t latest;
    bool is_last;
} lk_visit;

static void lk_visit_time(void *context, const char *name) {
    lk_visit *visit = (lk_visit *)context;
    char path[LK_PATH_SIZE + 512];
    if (strcmp(name, "..") == 0) return;
    (void)snprintf(path, sizeof path, "%s/%s%.255s", visit->folder->path, visit->below, name);
    visit->latest = lk_later(visit->latest, lk_system_modified(path));
}

static int64_t lk_folder_written_at(void *context) {
    lk_visit visit = {(const lk_folder *)context, "", LATCHKEY_NONE, true};
    char processes[LK_PATH_SIZE + 128];
    lk_system_list(visit.folder->path, lk_visit_time, &visit);
    visit.below = "processes/";
    lk_path(visit.folder, "processes", NULL, processes);
    lk_system_list(processes, lk_visit_time, &visit);
    return visit.latest;
}

static void lk_folder_beat(void *context) {
    lk_folder *folder = (lk_folder *)context;
    char path[LK_PATH_SIZE + 128], random[33];
    if (folder->process[0] == '\0') {
        lk_random_text(random);
        (void)snprintf(folder->process, sizeof folder->process, "processes/%ld.%s", lk_system_process(), random);
    }
    lk_path(folder, folder->process, NULL, path);
    if (lk_system_touch(path) || lk_system_create(path, "", 0, false)) return;
    lk_make_folders(folder);
    lk_path(folder, "processes", NULL, path);
    (void)lk_system_make_folder(path);
    lk_path(folder, folder->process, NULL, path);
    (void)lk_system_create(path, "", 0, false);
}

static void lk_visit_process(void *context, const char *name) {
    lk_visit *visit = (lk_visit *)context;
    char path[LK_PATH_SIZE + 512];
    if (name[0] == '.') return;
    (void)snprintf(path, sizeof path, "%s/processes/%.255s", visit->folder->path, name);
    const int64_t beat_at = lk_system_modified(path);
    const bool is_fresh = beat_at != LATCHKEY_NONE && lk_system_now(NULL) - beat_at < visit->folder->silent_ms;
    if (is_fresh && lk_system_is_alive(strtol(name, NULL, 10)))
        visit->is_last = false;
    else
        (void)lk_system_remove(path);
}

static bool lk_folder_leave(void *context) {
    lk_folder *folder = (lk_folder *)context;
    lk_visit visit = {folder, "", LATCHKEY_NONE, true};
    char path[LK_PATH_SIZE + 128];
    lk_path(folder, folder->process, NULL, path);
    (void)lk_system_remove(path);
    lk_path(folder, "processes", NULL, path);
    lk_system_list(path, lk_visit_process, &visit);
    return visit.is_last;
}

/** The folder that the clients of this user share. Returns false if there is none, or its path is too long. */
static bool lk_default_folder(const char *product_id, char path[LK_PATH_SIZE]) {
    lk_system_home(path, LK_PATH_SIZE);
    const size_t home = strlen(path), name = strlen("/latchkey/");
    if (home == 0 || home + name + strlen(product_id) + 1 > LK_PATH_SIZE) return false;
    memcpy(path + home, "/latchkey/", name);
    char *at = path + home + name;
    for (; *product_id != '\0'; product_id++) {
        if (((unsigned char)*product_id & 0xC0) == 0x80) continue;
        *at++ = strchr("_.-", *product_id) != NULL || lk_is_digit(*product_id) ||
                        (lk_lower(*product_id) >= 'a' && lk_lower(*product_id) <= 'z')
                    ? *product_id
                    : '_';
    }
    *at = '\0';
    return true;
}

/** The random id of a folder. If several processes create it at once, all of them get the first one. */
static bool lk_kept_id(const lk_folder *folder, char id[64]) {
    char path[LK_PATH_SIZE + 128], temporary[LK_PATH_SIZE + 128], known[40], hex[33], uuid[37];
    unsigned char bytes[16];
    lk_path(folder, "machine-id", NULL, path);
    lk_read_small(folder, path, known);
    if (known[0] == '\0') {
        if (!lk_system_random(bytes, sizeof bytes)) return false;
        bytes[6] = (unsigned char)((bytes[6] & 0x0F) | 0x40);
        bytes[8] = (unsigned char)((bytes[8] & 0x3F) | 0x80);
        lk_write_hex(bytes, hex);
        (void)snprintf(uuid, sizeof uuid, "%.8s-%.4s-%.4s-%.4s-%.12s", hex, hex + 8, hex + 12, hex + 16, hex + 20);
        lk_path(folder, "machine-id", ".tmp", temporary);
        if (!lk_create(folder, temporary, uuid, strlen(uuid), true)) return false;
        /* A link fails if another process was first; an empty file, as after a power cut, is replaced. */
        if (lk_system_modified(path) == LATCHKEY_NONE)
            (void)lk_system_link(temporary, path);
        else
            (void)lk_system_rename(temporary, path);
        (void)lk_system_remove(temporary);
        lk_read_small(folder, path, known);
    }
    memcpy(id, known, strlen(known) + 1);
    return id[0] != '\0';
}

/** HMAC-SHA-256 with the id of the machine as the key, so that two products cannot compare their fingerprints. */
static bool lk_machine_fingerprint(const lk_folder *folder, const char *product_id, char fingerprint[513]) {
    static const char prefix[] = "latchkey:";
    char id[64], encoded[44];
    unsigned char inner[64 + sizeof prefix - 1], outer[64], digest[32];
    if (!lk_system_machine_id(id) || (id[0] == '\0' && !lk_kept_id(folder, id))) return false;
    for (size_t i = 0, length = strlen(id); i < 64; i++) {
        const unsigned char byte = (unsigned char)(i < length ? id[i] : 0);
        inner[i] = byte ^ 0x36;
        outer[i] = byte ^ 0x5c;
    }
    memcpy(inner + 64, prefix, sizeof prefix - 1);
    lk_sha256(inner, sizeof inner, product_id, strlen(product_id), digest);
    lk_sha256(outer, sizeof outer, digest, sizeof digest, digest);
    (void)lk_encode_base64url(encoded, digest, sizeof digest);
    (void)snprintf(fingerprint, 513, "v1.%.22s", encoded);
    return true;
}
