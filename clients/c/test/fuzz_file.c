/*
 * Fuzzes the reader of license files and of key lists. Signatures are taken for genuine, as the reader of the claims
 * would see nothing of a fuzzer otherwise.
 */
#include "../latchkey.c"

#include "check.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool accept_every_other(void *context, const unsigned char key[32], const void *message, size_t length,
                               const unsigned char signature[64]) {
    (void)context;
    (void)key;
    return length > 0 && ((const unsigned char *)message)[length - 1] != 'Q' && signature[0] != 1;
}

static void read_lists(const latchkey_options *options, const char *text, size_t size) {
    const lk_memory memory = {lk_reallocate_by_default, NULL};
    lk_key *keys = NULL;
    lk_key_ring ring;
    lk_json lists;
    if (!lk_json_read(text, size, &lists) || !lk_json_is(lists, '[')) return;
    for (lk_json list = {NULL, NULL}; lk_json_next(lists, &list, NULL);)
        if (!lk_json_is_text(list)) return;
    CHECK(lk_take_keys(&memory, options, &keys));
    const lk_expected expected = {&memory, &options->verifier, keys, 1, options->issuer, options->product_id, NULL, 0};
    CHECK(lk_follow_key_lists(&expected, options, lists, &ring) && ring.count >= 1);
    lk_release_ring(&ring);
    lk_free(&memory, keys);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const latchkey_public_key key = {"k1", "zlPaV5z2JG9f9nR-0994RctE6u-oNNtniL92jy0d3C0"};
    latchkey_options options;
    latchkey_claims claims;
    char *text = (char *)malloc(size + 1), *genuine = (char *)malloc(size * 2 + 512);
    memset(&options, 0, sizeof options);
    options.public_keys = &key;
    options.public_key_count = 1;
    options.issuer = "urn:latchkey:x";
    options.product_id = "paint";
    options.fingerprint = "fp";
    options.verifier.verify = accept_every_other;
    CHECK(text != NULL && genuine != NULL);
    if (size > 0) memcpy(text, data, size);
    text[size] = '\0';
    (void)latchkey_read_file(&options, text, size, 0, &claims);
    read_lists(&options, text, size);
    /* The same bytes as the payload of a file that is well formed up to there. */
    char encoded[90];
    const char header[] = "{\"alg\":\"EdDSA\",\"typ\":\"latchkey-license+jwt\",\"kid\":\"k1\"}";
    const unsigned char signature[64] = {0};
    size_t length = lk_encode_base64url(genuine, (const unsigned char *)header, sizeof header - 1);
    genuine[length++] = '.';
    length += lk_encode_base64url(genuine + length, (const unsigned char *)text, size);
    genuine[length++] = '.';
    (void)lk_encode_base64url(encoded, signature, sizeof signature);
    memcpy(genuine + length, encoded, 87);
    length += 86;
    if (latchkey_read_file(&options, genuine, length, LATCHKEY_NONE, &claims) == LATCHKEY_FILE_GOOD)
        CHECK(claims.facts.product_id[LATCHKEY_TEXT_SIZE - 1] == '\0' && claims.issued_at != LATCHKEY_NONE);
    free(text);
    free(genuine);
    return 0;
}
