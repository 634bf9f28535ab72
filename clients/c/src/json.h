/*
 * Reads JSON (RFC 8259) without allocating: a whole text is checked once, and a value is then a part of it. Texts are
 * UTF-8 and come from strangers, so nothing here recurses.
 */

/** Arrays and objects inside of each other; deeper texts are no valid answers. */
#define LK_DEEPEST 256

/** A value inside of a checked text; `at` is NULL for an absent one. */
typedef struct lk_json {
    const char *at, *end;
} lk_json;

static const char *lk_skip_space(const char *at, const char *end) {
    while (at < end && (*at == ' ' || *at == '\t' || *at == '\n' || *at == '\r')) at++;
    return at;
}

static int lk_hex(char letter) {
    if (lk_is_digit(letter)) return letter - '0';
    letter = lk_lower(letter);
    return letter >= 'a' && letter <= 'f' ? letter - 'a' + 10 : -1;
}

/** Length of the UTF-8 character at `at`; 0 if the bytes are none. */
static size_t lk_utf8_length(const char *text, const char *end) {
    const unsigned char *at = (const unsigned char *)text;
    const size_t left = (size_t)(end - text);
    const size_t length = at[0] < 0x80   ? 1
                          : at[0] < 0xC2 ? 0
                          : at[0] < 0xE0 ? 2
                          : at[0] < 0xF0 ? 3
                          : at[0] < 0xF5 ? 4
                                         : 0;
    if (length == 0 || length > left) return 0;
    for (size_t i = 1; i < length; i++)
        if ((at[i] & 0xC0) != 0x80) return 0;
    if ((at[0] == 0xE0 && at[1] < 0xA0) || (at[0] == 0xED && at[1] > 0x9F)) return 0;
    if ((at[0] == 0xF0 && at[1] < 0x90) || (at[0] == 0xF4 && at[1] > 0x8F)) return 0;
    return length;
}

/** The end of the string that begins at `at`; NULL if it is not valid. */
static const char *lk_check_string(const char *at, const char *end) {
    if (at == end || *at != '"') return NULL;
    for (at++; at < end && *at != '"';) {
        if ((unsigned char)*at < 0x20) return NULL;
        if (*at != '\\') {
            size_t length = lk_utf8_length(at, end);
            if (length == 0) return NULL;
            at += length;
            continue;
        }
        if (++at == end || strchr("\"\\/bfnrtu", *at) == NULL || *at == '\0') return NULL;
        if (*at++ != 'u') continue;
        for (int i = 0; i < 4; i++, at++)
            if (at == end || lk_hex(*at) < 0) return NULL;
    }
    return at < end ? at + 1 : NULL;
}

static const char *lk_check_digits(const char *at, const char *end) {
    if (at == end || !lk_is_digit(*at)) return NULL;
    while (at < end && lk_is_digit(*at)) at++;
    return at;
}

static const char *lk_check_number(const char *at, const char *end) {
    if (at < end && *at == '-') at++;
    at = at < end && *at == '0' ? at + 1 : lk_check_digits(at, end);
    if (at != NULL && at < end && *at == '.') at = lk_check_digits(at + 1, end);
    if (at != NULL && at < end && lk_lower(*at) == 'e') {
        at++;
        if (at < end && (*at == '+' || *at == '-')) at++;
        at = lk_check_digits(at, end);
    }
    return at;
}

static const char *lk_check_scalar(const char *at, const char *end) {
    static const char *const words[] = {"true", "false", "null"};
    if (*at == '"') return lk_check_string(at, end);
    for (size_t i = 0; i < LK_COUNT(words); i++) {
        size_t length = strlen(words[i]);
        if ((size_t)(end - at) >= length && memcmp(at, words[i], length) == 0) return at + length;
    }
    return lk_check_number(at, end);
}

/** The place after the name of a member and its colon; NULL if there is none. */
static const char *lk_check_name(const char *at, const char *end) {
    at = lk_check_string(lk_skip_space(at, end), end);
    if (at == NULL) return NULL;
    at = lk_skip_space(at, end);
    return at < end && *at == ':' ? at + 1 : NULL;
}

/** Checks a whole text. Returns false if it is not JSON. */
static bool lk_json_read(const char *text, size_t length, lk_json *value) {
    unsigned char is_object[LK_DEEPEST / 8] = {0};
    const char *const end = text + length;
    const char *at = lk_skip_space(text, end);
    int depth = 0;
    value->at = at;
    for (;;) {
        at = lk_skip_space(at, end);
        if (at == end) return false;
        if (*at == '{' || *at == '[') {
            const bool opens_object = *at == '{';
            if (depth == LK_DEEPEST) return false;
            is_object[depth / 8] =
                (unsigned char)((is_object[depth / 8] & ~(1 << depth % 8)) | opens_object << depth % 8);
            depth++;
            at = lk_skip_space(at + 1, end);
            if (at == end) return false;
            if (*at != (opens_object ? '}' : ']')) {
                if (opens_object && (at = lk_check_name(at, end)) == NULL) return false;
                continue;
            }
        } else {
            at = lk_check_scalar(at, end);
            if (at == NULL) return false;
            if (depth == 0) break;
            at = lk_skip_space(at, end);
        }
        /* After a value: everything that ends here, then a comma. */
        while (depth > 0 && at < end && *at == (is_object[(depth - 1) / 8] >> (depth - 1) % 8 & 1 ? '}' : ']')) {
            depth--;
            at = lk_skip_space(at + 1, end);
        }
        if (depth == 0) break;
        if (at == end || *at++ != ',') return false;
        if ((is_object[(depth - 1) / 8] >> (depth - 1) % 8 & 1) && (at = lk_check_name(at, end)) == NULL) return false;
    }
    value->end = at;
    return lk_skip_space(at, end) == end;
}

/** The place after a string of a checked text. */
static const char *lk_after_string(const char *at) {
    for (at++; *at != '"'; at++)
        if (*at == '\\') at++;
    return at + 1;
}

/** The place after a value of a checked text. */
static const char *lk_after_value(const char *at, const char *end) {
    int depth = 0;
    if (*at == '"') return lk_after_string(at);
    if (*at != '{' && *at != '[') {
        while (at < end && strchr(",]} \t\n\r", *at) == NULL) at++;
        return at;
    }
    do {
        if (*at == '"') {
            at = lk_after_string(at);
        } else {
            depth += (*at == '{' || *at == '[') - (*at == '}' || *at == ']');
            at++;
        }
    } while (depth > 0);
    return at;
}

static unsigned lk_four_hex(const char *at) {
    return (unsigned)(lk_hex(at[0]) << 12 | lk_hex(at[1]) << 8 | lk_hex(at[2]) << 4 | lk_hex(at[3]));
}

/** Decodes one character of a checked string and moves on. Half a surrogate pair becomes U+FFFD. */
static size_t lk_decode_letter(const char **at, char letter[4]) {
    static const char escapes[] = "bfnrt", meant[] = "\b\f\n\r\t";
    const char *place = *at;
    if (*place != '\\') {
        const unsigned char first = (unsigned char)*place;
        const size_t length = first < 0x80 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
        memcpy(letter, place, length);
        *at = place + length;
        return length;
    }
    *at = place + 2;
    if (place[1] != 'u') {
        const char *escape = strchr(escapes, place[1]);
        *letter = escape == NULL ? place[1] : meant[escape - escapes];
        return 1;
    }
    unsigned code = lk_four_hex(place + 2);
    *at = place + 6;
    if (code >= 0xD800 && code < 0xE000) {
        unsigned low = code < 0xDC00 && place[6] == '\\' && place[7] == 'u' ? lk_four_hex(place + 8) : 0;
        if (low >= 0xDC00 && low < 0xE000) {
            code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
            *at = place + 12;
        } else {
            code = 0xFFFD;
        }
    }
    const size_t length = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    static const unsigned char begins[] = {0, 0, 0xC0, 0xE0, 0xF0};
    for (size_t i = length - 1; i > 0; i--, code >>= 6) letter[i] = (char)(0x80 | (code & 0x3F));
    letter[0] = (char)(begins[length] | code);
    return length;
}

static bool lk_json_is(lk_json value, char first) { return value.at != NULL && *value.at == first; }

static bool lk_json_is_true(lk_json value) { return lk_json_is(value, 't'); }

static bool lk_json_is_false(lk_json value) { return lk_json_is(value, 'f'); }

static bool lk_json_is_null(lk_json value) { return lk_json_is(value, 'n'); }

/** Whether a value is a string that has no NUL, and so is a text in C. */
static bool lk_json_is_text(lk_json value) {
    char letter[4];
    if (!lk_json_is(value, '"')) return false;
    for (const char *at = value.at + 1; *at != '"';)
        if (lk_decode_letter(&at, letter) == 1 && letter[0] == '\0') return false;
    return true;
}

/** Whether a value is the string `text`. */
static bool lk_json_equals_text(lk_json value, lk_text text) {
    char letter[4];
    if (!lk_json_is(value, '"')) return false;
    for (const char *at = value.at + 1; *at != '"';) {
        const size_t length = lk_decode_letter(&at, letter);
        if (length > text.length || memcmp(text.at, letter, length) != 0) return false;
        text.at += length;
        text.length -= length;
    }
    return text.length == 0;
}

static bool lk_json_equals(lk_json value, const char *text) { return lk_json_equals_text(value, lk_text_of(text)); }

/** Decodes a string; `out` has room for the length of the value. Returns the length, without the NUL that it adds. */
static size_t lk_json_decode(lk_json value, char *out) {
    size_t length = 0;
    for (const char *at = value.at + 1; *at != '"';) length += lk_decode_letter(&at, out + length);
    out[length] = '\0';
    return length;
}

/** Decodes as much of a string as fits; empty for any other value. */
static void lk_json_show(lk_json value, char *out, size_t size) {
    size_t length = 0;
    char letter[4];
    out[0] = '\0';
    if (!lk_json_is_text(value)) return;
    for (const char *at = value.at + 1; *at != '"';) {
        const size_t more = lk_decode_letter(&at, letter);
        if (length + more >= size) break;
        memcpy(out + length, letter, more);
        length += more;
    }
    out[length] = '\0';
}

/**
 * Moves to the next member of an object or item of an array. Begin with a zero `value`.
 *
 * @param name receives the name of a member; NULL for arrays
 */
static bool lk_json_next(lk_json whole, lk_json *value, lk_json *name) {
    const char *at = lk_skip_space(value->at == NULL ? whole.at + 1 : value->end, whole.end);
    if (*at == ',') at = lk_skip_space(at + 1, whole.end);
    if (*at == '}' || *at == ']') return false;
    if (name != NULL) {
        name->at = at;
        name->end = lk_after_string(at);
        at = lk_skip_space(lk_skip_space(name->end, whole.end) + 1, whole.end);
    }
    value->at = at;
    value->end = lk_after_value(at, whole.end);
    return true;
}

/** A member of an object; of several with one name the last. Absent if `object` is no object, too. */
static lk_json lk_json_get(lk_json object, const char *wanted) {
    lk_json found = {NULL, NULL}, value = {NULL, NULL}, name;
    if (!lk_json_is(object, '{')) return found;
    while (lk_json_next(object, &value, &name))
        if (lk_json_equals(name, wanted)) found = value;
    return found;
}

/**
 * Reads a number, rounded towards zero. Own code, because the functions of C follow the language of the user.
 *
 * @param whole receives whether nothing was rounded; may be NULL
 * @returns false if the value is no number, or has more than 18 digits before the point
 */
static bool lk_json_number(lk_json value, int64_t *number, bool *whole) {
    const char *at = value.at;
    int64_t digits = 0;
    int exponent = 0, written = 0, sign = 1;
    bool is_after_point = false, is_whole = true;
    if (at == NULL || (*at != '-' && !lk_is_digit(*at))) return false;
    const bool is_negative = *at == '-';
    for (at += is_negative; at < value.end && lk_lower(*at) != 'e'; at++) {
        if (*at == '.') {
            is_after_point = true;
        } else if (digits < INT64_MAX / 100) {
            digits = digits * 10 + (*at - '0');
            exponent -= is_after_point;
        } else {
            is_whole = is_whole && *at == '0';
            exponent += !is_after_point;
        }
    }
    if (at < value.end) {
        at++;
        if (*at == '-') sign = -1;
        for (at += *at == '-' || *at == '+'; at < value.end; at++)
            if (written < 10000) written = written * 10 + (*at - '0');
        exponent += sign * written;
    }
    for (; exponent < 0 && digits != 0; exponent++, digits /= 10) is_whole = is_whole && digits % 10 == 0;
    for (; exponent > 0 && digits != 0; exponent--, digits *= 10)
        if (digits > INT64_MAX / 100) return false;
    *number = is_negative ? -digits : digits;
    if (whole != NULL) *whole = is_whole;
    return true;
}

/** Reads a whole number that JavaScript holds exactly. */
static bool lk_json_integer(lk_json value, int64_t *number) {
    const int64_t most = INT64_C(9007199254740991);
    bool whole;
    return lk_json_number(value, number, &whole) && whole && *number <= most && *number >= -most;
}

/** Appends an item to an array, or a member to an object, of which the bracket was written before. */
static void lk_add_item(lk_buffer *list, lk_json item) {
    if (list->length > 1) lk_add_text(list, ",");
    lk_add(list, item.at, (size_t)(item.end - item.at));
}

/** Appends a text as a JSON string, spelled as `JSON.stringify` of JavaScript spells it. */
static void lk_add_json(lk_buffer *buffer, const char *text) {
    static const char escapes[] = "bfnrt", meant[] = "\b\f\n\r\t";
    char escaped[8];
    lk_add_text(buffer, "\"");
    for (; *text != '\0'; text++) {
        const char *escape = strchr(meant, *text);
        if (escape != NULL)
            (void)snprintf(escaped, sizeof escaped, "\\%c", escapes[escape - meant]);
        else if (*text == '"' || *text == '\\')
            (void)snprintf(escaped, sizeof escaped, "\\%c", *text);
        else if ((unsigned char)*text < 0x20)
            (void)snprintf(escaped, sizeof escaped, "\\u%04x", (unsigned)*text);
        else
            (void)snprintf(escaped, sizeof escaped, "%c", *text);
        lk_add_text(buffer, escaped);
    }
    lk_add_text(buffer, "\"");
}
