/* SHA-256 and SHA-512 (FIPS 180-4). The constants of SHA-256 are the upper halves of those of SHA-512. */

static const uint64_t LK_SHA_BEGIN[8] = {0x6a09e667f3bcc908, 0xbb67ae8584caa73b, 0x3c6ef372fe94f82b,
                                         0xa54ff53a5f1d36f1, 0x510e527fade682d1, 0x9b05688c2b3e6c1f,
                                         0x1f83d9abfb41bd6b, 0x5be0cd19137e2179};

static const uint64_t LK_SHA_ROUND[80] = {
    0x428a2f98d728ae22, 0x7137449123ef65cd, 0xb5c0fbcfec4d3b2f, 0xe9b5dba58189dbbc, 0x3956c25bf348b538,
    0x59f111f1b605d019, 0x923f82a4af194f9b, 0xab1c5ed5da6d8118, 0xd807aa98a3030242, 0x12835b0145706fbe,
    0x243185be4ee4b28c, 0x550c7dc3d5ffb4e2, 0x72be5d74f27b896f, 0x80deb1fe3b1696b1, 0x9bdc06a725c71235,
    0xc19bf174cf692694, 0xe49b69c19ef14ad2, 0xefbe4786384f25e3, 0x0fc19dc68b8cd5b5, 0x240ca1cc77ac9c65,
    0x2de92c6f592b0275, 0x4a7484aa6ea6e483, 0x5cb0a9dcbd41fbd4, 0x76f988da831153b5, 0x983e5152ee66dfab,
    0xa831c66d2db43210, 0xb00327c898fb213f, 0xbf597fc7beef0ee4, 0xc6e00bf33da88fc2, 0xd5a79147930aa725,
    0x06ca6351e003826f, 0x142929670a0e6e70, 0x27b70a8546d22ffc, 0x2e1b21385c26c926, 0x4d2c6dfc5ac42aed,
    0x53380d139d95b3df, 0x650a73548baf63de, 0x766a0abb3c77b2a8, 0x81c2c92e47edaee6, 0x92722c851482353b,
    0xa2bfe8a14cf10364, 0xa81a664bbc423001, 0xc24b8b70d0f89791, 0xc76c51a30654be30, 0xd192e819d6ef5218,
    0xd69906245565a910, 0xf40e35855771202a, 0x106aa07032bbd1b8, 0x19a4c116b8d2d0c8, 0x1e376c085141ab53,
    0x2748774cdf8eeb99, 0x34b0bcb5e19b48a8, 0x391c0cb3c5c95a63, 0x4ed8aa4ae3418acb, 0x5b9cca4f7763e373,
    0x682e6ff3d6b2b8a3, 0x748f82ee5defb2fc, 0x78a5636f43172f60, 0x84c87814a1f0ab72, 0x8cc702081a6439ec,
    0x90befffa23631e28, 0xa4506cebde82bde9, 0xbef9a3f7b2c67915, 0xc67178f2e372532b, 0xca273eceea26619c,
    0xd186b8c721c0c207, 0xeada7dd6cde0eb1e, 0xf57d4f7fee6ed178, 0x06f067aa72176fba, 0x0a637dc5a2c898a6,
    0x113f9804bef90dae, 0x1b710b35131c471b, 0x28db77f523047d84, 0x32caab7b40c72493, 0x3c9ebe0a15c9bebc,
    0x431d67c49c100d4c, 0x4cc5d4becb3e42b6, 0x597f299cfc657e2a, 0x5fcb6fab3ad6faec, 0x6c44198c4a475817};

typedef struct lk_sha512 {
    uint64_t state[8];
    unsigned char block[128];
    uint64_t bytes;
} lk_sha512;

static uint64_t lk_rotate(uint64_t word, int by) { return (word >> by) | (word << (64 - by)); }

static uint32_t lk_rotate32(uint32_t word, int by) { return (word >> by) | (word << (32 - by)); }

static void lk_sha512_block(lk_sha512 *hash) {
    uint64_t words[80], s[8], sum, choice, majority;
    for (int i = 0; i < 16; i++) {
        words[i] = 0;
        for (int byte = 0; byte < 8; byte++) words[i] = words[i] << 8 | hash->block[8 * i + byte];
    }
    for (int i = 16; i < 80; i++) {
        uint64_t early = words[i - 15], late = words[i - 2];
        words[i] = words[i - 16] + (lk_rotate(early, 1) ^ lk_rotate(early, 8) ^ early >> 7) + words[i - 7] +
                   (lk_rotate(late, 19) ^ lk_rotate(late, 61) ^ late >> 6);
    }
    memcpy(s, hash->state, sizeof s);
    for (int i = 0; i < 80; i++) {
        choice = (s[4] & s[5]) ^ (~s[4] & s[6]);
        majority = (s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]);
        sum = s[7] + (lk_rotate(s[4], 14) ^ lk_rotate(s[4], 18) ^ lk_rotate(s[4], 41)) + choice + LK_SHA_ROUND[i] +
              words[i];
        memmove(s + 1, s, 7 * sizeof s[0]);
        s[4] += sum;
        s[0] = sum + (lk_rotate(s[1], 28) ^ lk_rotate(s[1], 34) ^ lk_rotate(s[1], 39)) + majority;
    }
    for (int i = 0; i < 8; i++) hash->state[i] += s[i];
}

static void lk_sha512_begin(lk_sha512 *hash) {
    memcpy(hash->state, LK_SHA_BEGIN, sizeof hash->state);
    hash->bytes = 0;
}

static void lk_sha512_add(lk_sha512 *hash, const void *data, size_t length) {
    const unsigned char *bytes = (const unsigned char *)data;
    for (size_t i = 0; i < length; i++) {
        hash->block[hash->bytes++ % 128] = bytes[i];
        if (hash->bytes % 128 == 0) lk_sha512_block(hash);
    }
}

static void lk_sha512_end(lk_sha512 *hash, unsigned char digest[64]) {
    const uint64_t bits = hash->bytes * 8;
    lk_sha512_add(hash, "\x80", 1);
    while (hash->bytes % 128 != 112) lk_sha512_add(hash, "", 1);
    /* The length has 128 bits, of which messages here need 64. */
    lk_sha512_add(hash, "\0\0\0\0\0\0\0", 8);
    for (int shift = 56; shift >= 0; shift -= 8) {
        unsigned char byte = (unsigned char)(bits >> shift);
        lk_sha512_add(hash, &byte, 1);
    }
    for (int i = 0; i < 64; i++) digest[i] = (unsigned char)(hash->state[i / 8] >> (56 - 8 * (i % 8)));
}

static void lk_sha256_block(uint32_t state[8], const unsigned char block[64]) {
    uint32_t words[64], s[8], sum, choice, majority;
    for (int i = 0; i < 16; i++)
        words[i] = (uint32_t)block[4 * i] << 24 | (uint32_t)block[4 * i + 1] << 16 | (uint32_t)block[4 * i + 2] << 8 |
                   block[4 * i + 3];
    for (int i = 16; i < 64; i++) {
        uint32_t early = words[i - 15], late = words[i - 2];
        words[i] = words[i - 16] + (lk_rotate32(early, 7) ^ lk_rotate32(early, 18) ^ early >> 3) + words[i - 7] +
                   (lk_rotate32(late, 17) ^ lk_rotate32(late, 19) ^ late >> 10);
    }
    memcpy(s, state, sizeof s);
    for (int i = 0; i < 64; i++) {
        choice = (s[4] & s[5]) ^ (~s[4] & s[6]);
        majority = (s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]);
        sum = s[7] + (lk_rotate32(s[4], 6) ^ lk_rotate32(s[4], 11) ^ lk_rotate32(s[4], 25)) + choice +
              (uint32_t)(LK_SHA_ROUND[i] >> 32) + words[i];
        memmove(s + 1, s, 7 * sizeof s[0]);
        s[4] += sum;
        s[0] = sum + (lk_rotate32(s[1], 2) ^ lk_rotate32(s[1], 13) ^ lk_rotate32(s[1], 22)) + majority;
    }
    for (int i = 0; i < 8; i++) state[i] += s[i];
}

/** Hashes `prefix` and `text` as one text. */
static void lk_sha256(const void *prefix, size_t prefix_length, const void *text, size_t length,
                      unsigned char digest[32]) {
    const size_t total = prefix_length + length, padded = (total + 9 + 63) / 64 * 64;
    uint32_t state[8];
    unsigned char block[64];
    for (int i = 0; i < 8; i++) state[i] = (uint32_t)(LK_SHA_BEGIN[i] >> 32);
    for (size_t i = 0; i < padded; i++) {
        unsigned char byte = 0;
        if (i < prefix_length)
            byte = ((const unsigned char *)prefix)[i];
        else if (i < total)
            byte = ((const unsigned char *)text)[i - prefix_length];
        else if (i == total)
            byte = 0x80;
        else if (i >= padded - 8)
            byte = (unsigned char)((uint64_t)total * 8 >> 8 * (padded - 1 - i));
        block[i % 64] = byte;
        if (i % 64 == 63) lk_sha256_block(state, block);
    }
    for (int i = 0; i < 32; i++) digest[i] = (unsigned char)(state[i / 4] >> (24 - 8 * (i % 4)));
}
