/*
 * Verifies Ed25519 signatures (RFC 8032). Nothing here is secret, so time need not be constant.
 *
 * A number modulo p = 2^255 - 19 is 16 limbs of 16 bits with room for sums. A point is in extended coordinates:
 * x = X/Z, y = Y/Z, xy = T/Z.
 */

typedef int64_t lk_number[16];

typedef struct lk_point {
    lk_number x, y, z, t;
} lk_point;

static const lk_number LK_ONE = {1};
static const lk_number LK_D = {0x78a3, 0x1359, 0x4dca, 0x75eb, 0xd8ab, 0x4141, 0x0a4d, 0x0070,
                               0xe898, 0x7779, 0x4079, 0x8cc7, 0xfe73, 0x2b6f, 0x6cee, 0x5203};
static const lk_number LK_ROOT_OF_MINUS_ONE = {0xa0b0, 0x4a0e, 0x1b27, 0xc4ee, 0xe478, 0xad2f, 0x1806, 0x2f43,
                                               0xd7a7, 0x3dfb, 0x0099, 0x2b4d, 0xdf0b, 0x4fc1, 0x2480, 0x2b83};
/** The base point: y = 4/5 and an even x. */
static const unsigned char LK_BASE[32] = {0x58, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66,
                                          0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66,
                                          0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66};
/** The order of the base point, L, in 32-bit words. */
static const uint32_t LK_ORDER[8] = {0x5cf5d3ed, 0x5812631a, 0xa2f79cd6, 0x14def9de, 0, 0, 0, 0x10000000};

static void lk_carry(lk_number a) {
    for (int i = 0; i < 16; i++) {
        int64_t carry = a[i] >> 16;
        a[i] -= carry * 65536;
        if (i < 15)
            a[i + 1] += carry;
        else
            a[0] += 38 * carry;
    }
}

static void lk_sum(lk_number sum, const lk_number a, const lk_number b) {
    for (int i = 0; i < 16; i++) sum[i] = a[i] + b[i];
}

static void lk_difference(lk_number difference, const lk_number a, const lk_number b) {
    for (int i = 0; i < 16; i++) difference[i] = a[i] - b[i];
}

static void lk_product(lk_number product, const lk_number a, const lk_number b) {
    int64_t wide[31] = {0};
    for (int i = 0; i < 16; i++)
        for (int j = 0; j < 16; j++) wide[i + j] += a[i] * b[j];
    for (int i = 0; i < 15; i++) wide[i] += 38 * wide[i + 16];
    memcpy(product, wide, sizeof(lk_number));
    lk_carry(product);
    lk_carry(product);
}

/** The least residue in 32 bytes, the lowest first. */
static void lk_encode_number(unsigned char bytes[32], const lk_number a) {
    lk_number least, reduced;
    memcpy(least, a, sizeof least);
    for (int i = 0; i < 3; i++) lk_carry(least);
    for (int time = 0; time < 2; time++) {
        int64_t borrow = 0;
        for (int i = 0; i < 16; i++) {
            int64_t limb = least[i] - (i == 0 ? 0xffed : i == 15 ? 0x7fff : 0xffff) - borrow;
            borrow = limb < 0;
            reduced[i] = limb + borrow * 65536;
        }
        if (!borrow) memcpy(least, reduced, sizeof least);
    }
    for (int i = 0; i < 32; i++) bytes[i] = (unsigned char)(least[i / 2] >> 8 * (i % 2));
}

static bool lk_is_same_number(const lk_number a, const lk_number b) {
    unsigned char one[32], other[32];
    lk_encode_number(one, a);
    lk_encode_number(other, b);
    return memcmp(one, other, sizeof one) == 0;
}

static bool lk_is_odd(const lk_number a) {
    unsigned char bytes[32];
    lk_encode_number(bytes, a);
    return bytes[0] & 1;
}

/** `a` to the power of 2^bits - `minus`, where `minus` is below 2^5: p - 2 inverts, (p - 5) / 8 helps with a root. */
static void lk_power(lk_number power, const lk_number a, int bits, int minus) {
    lk_number result;
    memcpy(result, LK_ONE, sizeof result);
    for (int bit = bits - 1; bit >= 0; bit--) {
        lk_product(result, result, result);
        if (bit >= 5 || ((32 - minus) >> bit & 1)) lk_product(result, result, a);
    }
    memcpy(power, result, sizeof result);
}

static void lk_add_points(lk_point *sum, const lk_point *p, const lk_point *q) {
    lk_number a, b, c, d, e, f;
    lk_difference(a, p->y, p->x);
    lk_difference(b, q->y, q->x);
    lk_product(a, a, b);
    lk_sum(b, p->x, p->y);
    lk_sum(c, q->x, q->y);
    lk_product(b, b, c);
    lk_product(c, p->t, q->t);
    lk_product(c, c, LK_D);
    lk_sum(c, c, c);
    lk_product(d, p->z, q->z);
    lk_sum(d, d, d);
    lk_difference(e, b, a);
    lk_sum(a, b, a);
    lk_difference(f, d, c);
    lk_sum(d, d, c);
    lk_product(sum->x, e, f);
    lk_product(sum->y, d, a);
    lk_product(sum->z, f, d);
    lk_product(sum->t, e, a);
}

static void lk_encode_point(unsigned char bytes[32], const lk_point *point) {
    lk_number inverse, x, y;
    lk_power(inverse, point->z, 255, 21);
    lk_product(x, point->x, inverse);
    lk_product(y, point->y, inverse);
    lk_encode_number(bytes, y);
    bytes[31] |= (unsigned char)(lk_is_odd(x) << 7);
}

/** Returns false for bytes that are no point, or not the one encoding of a point. */
static bool lk_decode_point(lk_point *point, const unsigned char bytes[32]) {
    unsigned char again[32];
    lk_number square, over, root;
    for (int i = 0; i < 16; i++) point->y[i] = bytes[2 * i] | (int64_t)bytes[2 * i + 1] << 8;
    point->y[15] &= 0x7fff;
    memcpy(point->z, LK_ONE, sizeof point->z);
    /* x^2 = (y^2 - 1) / (d y^2 + 1) */
    lk_product(square, point->y, point->y);
    lk_product(over, square, LK_D);
    lk_difference(square, square, LK_ONE);
    lk_sum(over, over, LK_ONE);
    /* The candidate for x is u v^3 (u v^7)^((p - 5) / 8), RFC 8032 section 5.1.3. */
    lk_product(root, over, over);
    lk_product(root, root, root);
    lk_product(root, root, over);
    lk_product(root, root, over);
    lk_product(root, root, over);
    lk_product(root, root, square);
    lk_power(root, root, 252, 3);
    lk_product(root, root, square);
    for (int i = 0; i < 3; i++) lk_product(root, root, over);
    lk_product(point->x, root, root);
    lk_product(point->x, point->x, over);
    if (!lk_is_same_number(point->x, square)) lk_product(root, root, LK_ROOT_OF_MINUS_ONE);
    lk_product(point->x, root, root);
    lk_product(point->x, point->x, over);
    if (!lk_is_same_number(point->x, square)) return false;
    memcpy(point->x, root, sizeof root);
    if (lk_is_odd(point->x) != bytes[31] >> 7) {
        const lk_number zero = {0};
        lk_difference(point->x, zero, point->x);
    }
    lk_product(point->t, point->x, point->y);
    lk_encode_point(again, point);
    return memcmp(again, bytes, sizeof again) == 0;
}

static void lk_identity(lk_point *point) {
    memset(point, 0, sizeof *point);
    point->y[0] = point->z[0] = 1;
}

/** Whether eight times a point is nothing. Such a point as a key makes one signature good for any message. */
static bool lk_is_small(const lk_point *point) {
    lk_point eight = *point;
    const lk_number zero = {0};
    for (int i = 0; i < 3; i++) lk_add_points(&eight, &eight, &eight);
    return lk_is_same_number(eight.x, zero) && lk_is_same_number(eight.y, eight.z);
}

static bool lk_is_below_order(const uint32_t words[8]) {
    for (int i = 7; i >= 0; i--)
        if (words[i] != LK_ORDER[i]) return words[i] < LK_ORDER[i];
    return false;
}

/** A little-endian number of `count` bytes modulo L. */
static void lk_reduce(uint32_t rest[8], const unsigned char *bytes, int count) {
    memset(rest, 0, 8 * sizeof rest[0]);
    for (int bit = 8 * count - 1; bit >= 0; bit--) {
        for (int i = 7; i > 0; i--) rest[i] = rest[i] << 1 | rest[i - 1] >> 31;
        rest[0] = rest[0] << 1 | (bytes[bit / 8] >> bit % 8 & 1);
        if (lk_is_below_order(rest)) continue;
        int64_t borrow = 0;
        for (int i = 0; i < 8; i++) {
            borrow += (int64_t)rest[i] - LK_ORDER[i];
            rest[i] = (uint32_t)borrow;
            borrow >>= 32;
        }
    }
}

/**
 * Whether the owner of a public key signed a message. Strict, as everything that OpenSSL, Go and others accept or
 * refuse differently is refused: keys and signatures in a second spelling, and points of small order.
 */
static bool lk_ed25519_verify(const unsigned char key[32], const void *message, size_t length,
                              const unsigned char signature[64]) {
    lk_point owner, base, both, result;
    lk_sha512 hash;
    unsigned char digest[64], encoded[32];
    uint32_t challenge[8], scalar[8];
    for (int i = 0; i < 8; i++) {
        const unsigned char *word = signature + 32 + 4 * i;
        scalar[i] = word[0] | (uint32_t)word[1] << 8 | (uint32_t)word[2] << 16 | (uint32_t)word[3] << 24;
    }
    if (!lk_is_below_order(scalar) || !lk_decode_point(&owner, key) || lk_is_small(&owner)) return false;
    lk_sha512_begin(&hash);
    lk_sha512_add(&hash, signature, 32);
    lk_sha512_add(&hash, key, 32);
    lk_sha512_add(&hash, message, length);
    lk_sha512_end(&hash, digest);
    lk_reduce(challenge, digest, 64);
    /* scalar * base - challenge * owner must be the point of the signature. */
    lk_number zero = {0};
    lk_difference(owner.x, zero, owner.x);
    lk_difference(owner.t, zero, owner.t);
    lk_decode_point(&base, LK_BASE);
    lk_add_points(&both, &base, &owner);
    lk_identity(&result);
    for (int bit = 255; bit >= 0; bit--) {
        int which = (int)(scalar[bit / 32] >> bit % 32 & 1) | (int)(challenge[bit / 32] >> bit % 32 & 1) << 1;
        lk_add_points(&result, &result, &result);
        if (which > 0) lk_add_points(&result, &result, which == 1 ? &base : which == 2 ? &owner : &both);
    }
    lk_encode_point(encoded, &result);
    return memcmp(encoded, signature, sizeof encoded) == 0 && !lk_is_small(&result);
}
