/* base64url without padding (RFC 4648). */

static const char LK_BASE64URL[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/** Encodes `length` bytes; `out` has room for (length * 4 + 2) / 3 + 1 characters. Returns their number. */
static size_t lk_encode_base64url(char *out, const unsigned char *bytes, size_t length) {
    size_t written = 0;
    for (size_t bit = 0; bit < length * 8; bit += 6) {
        unsigned pair = (unsigned)bytes[bit / 8] << 8 | (bit / 8 + 1 < length ? bytes[bit / 8 + 1] : 0);
        out[written++] = LK_BASE64URL[pair >> (10 - bit % 8) & 63];
    }
    out[written] = '\0';
    return written;
}

/** The value of a letter; -1 for any other. */
static int lk_sextet(char letter) {
    if (letter >= 'A' && letter <= 'Z') return letter - 'A';
    if (letter >= 'a' && letter <= 'z') return letter - 'a' + 26;
    if (lk_is_digit(letter)) return letter - '0' + 52;
    return letter == '-' ? 62 : letter == '_' ? 63 : -1;
}

/**
 * Decodes a text in place or into `out`, which has room for 3/4 of it. Refuses the spellings with stray bits at the
 * end, so that every value has one spelling.
 */
static bool lk_decode_base64url(lk_text text, unsigned char *out, size_t *length) {
    unsigned bits = 0, left = 0;
    *length = 0;
    for (size_t i = 0; i < text.length; i++) {
        const int sextet = lk_sextet(text.at[i]);
        if (sextet < 0) return false;
        bits = (bits << 6 | (unsigned)sextet) & 0xFFFF;
        left += 6;
        if (left < 8) continue;
        left -= 8;
        out[(*length)++] = (unsigned char)(bits >> left);
    }
    return text.length > 0 && text.length % 4 != 1 && (bits & ((1u << left) - 1)) == 0;
}
