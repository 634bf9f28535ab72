/*
 * Verifies signed license files: a compact JWS in armour, signed with Ed25519. Only the keys compiled into the app
 * count, and those that they vouch for, and nothing that the file itself contains.
 */

/** Room for 50 features with texts of 200 characters. */
#define LK_LARGEST_FILE 65536

/** A signing key, and where its id is kept. */
typedef struct lk_key {
    lk_text id;
    unsigned char x[32];
} lk_key;

/** A verified file. */
typedef struct lk_file {
    /** Keeps the claims; NULL without a file. */
    lk_block *block;
    lk_json claims;
    latchkey_purpose purpose;
    /** Milliseconds since 1970; LATCHKEY_NONE for no end. */
    int64_t issued_at, renew_after, ends_at, license_expires_at, updates_until;
    char max_version[LATCHKEY_NAME_SIZE];
} lk_file;

/** The conditions that a valid file meets. */
typedef struct lk_expected {
    const lk_memory *memory;
    const latchkey_verifier *verifier;
    const lk_key *keys;
    size_t key_count;
    const char *issuer, *product_id;
    /** NULL accepts files for any machine. */
    const char *fingerprint;
    /** Milliseconds since 1970; LATCHKEY_NONE accepts expired files, too. */
    int64_t now;
} lk_expected;

/** Length of the white space at `at`, of everything that JavaScript calls so; 0 for anything else. */
static size_t lk_space_length(const char *at, const char *end) {
    static const char *const wide[] = {"\xC2\xA0",     "\xE1\x9A\x80", "\xE2\x80\xA8", "\xE2\x80\xA9",
                                       "\xE2\x80\xAF", "\xE2\x81\x9F", "\xE3\x80\x80", "\xEF\xBB\xBF"};
    if (*at == ' ' || (*at >= '\t' && *at <= '\r')) return 1;
    for (size_t i = 0; i < LK_COUNT(wide); i++) {
        const size_t length = strlen(wide[i]);
        if ((size_t)(end - at) >= length && memcmp(at, wide[i], length) == 0) return length;
    }
    const bool is_narrow = end - at >= 3 && memcmp(at, "\xE2\x80", 2) == 0 && (unsigned char)at[2] - 0x80u <= 0x0A;
    return is_narrow ? 3 : 0;
}

static lk_text lk_trimmed(lk_text text) {
    const char *end = text.at + text.length, *last = text.at;
    while (text.at < end && lk_space_length(text.at, end) > 0) text.at += lk_space_length(text.at, end);
    for (const char *at = text.at; at < end;) {
        size_t space = lk_space_length(at, end);
        at += space > 0 ? space : 1;
        if (space == 0) last = at;
    }
    text.length = last > text.at ? (size_t)(last - text.at) : 0;
    return text;
}

/** Removes the armour, if there is one, and all white space. `out` has room for the text. */
static lk_text lk_without_armour(lk_text text, char *out) {
    static const char begin[] = "-----BEGIN LATCHKEY LICENSE-----", end[] = "-----END LATCHKEY LICENSE-----";
    const size_t before = sizeof begin - 1, after = sizeof end - 1;
    lk_text left = lk_trimmed(text), result = {out, 0};
    if (left.length >= before + after && memcmp(left.at, begin, before) == 0 &&
        memcmp(left.at + left.length - after, end, after) == 0) {
        left.at += before;
        left.length -= before + after;
    }
    for (const char *at = left.at, *last = at + left.length; at < last;) {
        const size_t space = lk_space_length(at, last);
        if (space == 0) out[result.length++] = *at;
        at += space > 0 ? space : 1;
    }
    return result;
}

/** Decodes a part of a JWS into `out`, which has room for it, and reads it as JSON. */
static bool lk_read_part(lk_text part, char *out, lk_json *value) {
    size_t length;
    return lk_decode_base64url(part, (unsigned char *)out, &length) && lk_json_read(out, length, value) &&
           lk_json_is(*value, '{');
}

static bool lk_has_signed(const lk_expected *expected, const lk_key *key, lk_text message, lk_text signature) {
    const latchkey_verifier *own = expected->verifier;
    const unsigned char *bytes = (const unsigned char *)signature.at;
    if (signature.length != 64) return false;
    return own->verify != NULL ? own->verify(own->context, key->x, message.at, message.length, bytes)
                               : lk_ed25519_verify(key->x, message.at, message.length, bytes);
}

/**
 * Verifies a compact JWS with the key that its header names.
 *
 * @param scratch has room for the JWS, and receives the payload, in which `payload` is
 */
static latchkey_file_problem lk_verify_jws(const lk_expected *expected, lk_text jws, const char *type, char *scratch,
                                           lk_json *payload) {
    lk_text parts[3] = {{NULL, 0}, {NULL, 0}, {NULL, 0}}, signature = {scratch, 0};
    lk_json header;
    int count = 0;
    for (const char *at = jws.at, *end = at + jws.length;; at++) {
        if (parts[count].at == NULL) parts[count].at = at;
        if (at < end && *at != '.') continue;
        parts[count].length = (size_t)(at - parts[count].at);
        if (at == end) break;
        if (++count == 3) return LATCHKEY_FILE_FORMAT;
    }
    if (count < 2 || !lk_read_part(parts[0], scratch, &header)) return LATCHKEY_FILE_FORMAT;
    const bool is_ed25519 =
        lk_json_equals(lk_json_get(header, "alg"), "EdDSA") || lk_json_equals(lk_json_get(header, "alg"), "Ed25519");
    const bool is_of_type = lk_json_equals(lk_json_get(header, "typ"), type);
    const lk_json id = lk_json_get(header, "kid");
    const lk_key *key = NULL;
    for (size_t i = 0; i < expected->key_count && key == NULL; i++)
        if (lk_json_equals_text(id, expected->keys[i].id)) key = &expected->keys[i];
    if (!lk_decode_base64url(parts[2], (unsigned char *)scratch, &signature.length)) return LATCHKEY_FILE_FORMAT;
    if (!is_ed25519) return LATCHKEY_FILE_ALGORITHM;
    if (!is_of_type) return LATCHKEY_FILE_TYPE;
    if (key == NULL) return LATCHKEY_FILE_KEY;
    const lk_text message = {jws.at, parts[0].length + 1 + parts[1].length};
    if (!lk_has_signed(expected, key, message, signature)) return LATCHKEY_FILE_SIGNATURE;
    return lk_read_part(parts[1], scratch, payload) ? LATCHKEY_FILE_GOOD : LATCHKEY_FILE_FORMAT;
}

/** Reads a time in seconds, which may be null. */
static bool lk_read_seconds(lk_json value, bool may_be_null, int64_t *time) {
    *time = LATCHKEY_NONE;
    if (may_be_null && lk_json_is_null(value)) return true;
    if (!lk_json_integer(value, time)) return false;
    *time *= LK_SECOND_MS;
    return true;
}

static bool lk_read_claims(lk_json claims, lk_file *file) {
    static const char *const texts[] = {"iss", "jti", "lic", "keyHint", "productId", "variant", "licenseType"};
    static const char *const purposes[] = {"grace", "offline", "borrow"};
    const lk_json fp = lk_json_get(claims, "fp"), products = lk_json_get(claims, "products");
    lk_json product = {NULL, NULL};
    int64_t version;
    int purpose = 0;
    if (!lk_json_integer(lk_json_get(claims, "v"), &version) || version != 1) return false;
    for (size_t i = 0; i < LK_COUNT(texts); i++)
        if (!lk_json_is_text(lk_json_get(claims, texts[i]))) return false;
    if (!lk_json_is_null(fp) && !lk_json_is_text(fp)) return false;
    while (purpose < 3 && !lk_json_equals(lk_json_get(claims, "purpose"), purposes[purpose])) purpose++;
    if (purpose == 3 || !lk_json_is(products, '[')) return false;
    while (lk_json_next(products, &product, NULL))
        if (!lk_json_is_text(product)) return false;
    file->claims = claims;
    file->purpose = (latchkey_purpose)purpose;
    (void)lk_read_seconds(lk_json_get(claims, "updatesUntil"), false, &file->updates_until);
    lk_json_show(lk_json_get(claims, "maxVersion"), file->max_version, sizeof file->max_version);
    return lk_read_seconds(lk_json_get(claims, "iat"), false, &file->issued_at) &&
           lk_read_seconds(lk_json_get(claims, "renewAfter"), false, &file->renew_after) &&
           lk_read_seconds(lk_json_get(claims, "exp"), true, &file->ends_at) &&
           lk_read_seconds(lk_json_get(claims, "licenseExpiresAt"), true, &file->license_expires_at);
}

/** The hash by which a license file names a machine: base64url of SHA-256. */
static void lk_hash_fingerprint(const char *fingerprint, char hash[44]) {
    static const char prefix[] = "latchkey-fp:";
    unsigned char digest[32];
    lk_sha256(prefix, sizeof prefix - 1, fingerprint, strlen(fingerprint), digest);
    (void)lk_encode_base64url(hash, digest, sizeof digest);
}

static latchkey_file_problem lk_check_claims(const lk_expected *expected, const lk_file *file) {
    const lk_json products = lk_json_get(file->claims, "products"), fp = lk_json_get(file->claims, "fp");
    lk_json product = {NULL, NULL};
    bool is_for_product = false;
    char hash[44];
    if (!lk_json_equals(lk_json_get(file->claims, "iss"), expected->issuer)) return LATCHKEY_FILE_ISSUER;
    while (lk_json_next(products, &product, NULL))
        is_for_product = is_for_product || lk_json_equals(product, expected->product_id);
    if (!is_for_product) return LATCHKEY_FILE_PRODUCT;
    if (expected->fingerprint != NULL && !lk_json_is_null(fp)) {
        lk_hash_fingerprint(expected->fingerprint, hash);
        if (!lk_json_equals(fp, hash)) return LATCHKEY_FILE_MACHINE;
    }
    const bool has_ended =
        expected->now != LATCHKEY_NONE && file->ends_at != LATCHKEY_NONE && file->ends_at <= expected->now;
    return has_ended ? LATCHKEY_FILE_EXPIRED : LATCHKEY_FILE_GOOD;
}

static void lk_release_file(const lk_memory *memory, lk_file *file) {
    lk_free(memory, file->block);
    memset(file, 0, sizeof *file);
}

/** Verifies a license file. `file` receives what `lk_release_file` frees, and is empty unless the file is good. */
static latchkey_file_problem lk_verify_file(const lk_expected *expected, lk_text text, lk_file *file) {
    latchkey_file_problem problem;
    memset(file, 0, sizeof *file);
    if (text.length > LK_LARGEST_FILE) return LATCHKEY_FILE_FORMAT;
    char *jws = (char *)lk_allocate(expected->memory, text.length + 1);
    file->block = (lk_block *)lk_allocate(expected->memory, sizeof(lk_block) + text.length + 1);
    if (jws == NULL || file->block == NULL) {
        problem = LATCHKEY_FILE_NO_MEMORY;
    } else {
        lk_json claims = {NULL, NULL};
        char *payload = (char *)(file->block + 1);
        problem = lk_verify_jws(expected, lk_without_armour(text, jws), "latchkey-license+jwt", payload, &claims);
        if (problem == LATCHKEY_FILE_GOOD && !lk_read_claims(claims, file)) problem = LATCHKEY_FILE_CLAIMS;
        if (problem == LATCHKEY_FILE_GOOD) problem = lk_check_claims(expected, file);
    }
    lk_free(expected->memory, jws);
    if (problem != LATCHKEY_FILE_GOOD) lk_release_file(expected->memory, file);
    return problem;
}
