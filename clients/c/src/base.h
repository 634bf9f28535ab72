/* Types that every part of the client shares. All functions are static: latchkey.c includes every part. */
#ifndef LK_BASE_H
#define LK_BASE_H

/* The functions of POSIX, which strict C11 hides. */
#if !defined(_WIN32) && !defined(__APPLE__) && !defined(_GNU_SOURCE)
#define _GNU_SOURCE
#endif
/* rand_s, and the functions of Windows 8. */
#ifdef _WIN32
#ifndef _CRT_RAND_S
#define _CRT_RAND_S
#endif
#ifndef _WIN32_WINNT
#define _WIN32_WINNT 0x0602
#endif
#endif

#include "../latchkey.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LK_SECOND_MS INT64_C(1000)
#define LK_HOUR_MS (3600 * LK_SECOND_MS)
#define LK_DAY_MS (24 * LK_HOUR_MS)

#define LK_COUNT(array) (sizeof(array) / sizeof((array)[0]))

/** A part of a text that somebody else keeps. `at` is NULL for no text. */
typedef struct lk_text {
    const char *at;
    size_t length;
} lk_text;

/** The app's allocator, see `latchkey_options`. */
typedef struct lk_memory {
    void *(*reallocate)(void *context, void *block, size_t size);
    void *context;
} lk_memory;

/** The begin of memory that is freed when an operation of the client ends. */
typedef struct lk_block {
    struct lk_block *next;
} lk_block;

/**
 * A growing text. After an allocation has failed, further additions do nothing, so that a caller checks `has_failed`
 * once at the end.
 */
typedef struct lk_buffer {
    const lk_memory *memory;
    char *at;
    size_t length, size;
    bool has_failed;
} lk_buffer;

static void *lk_reallocate_by_default(void *context, void *block, size_t size) {
    (void)context;
    if (size > 0) return realloc(block, size);
    free(block);
    return NULL;
}

static void *lk_allocate(const lk_memory *memory, size_t size) {
    return memory->reallocate(memory->context, NULL, size > 0 ? size : 1);
}

static void lk_free(const lk_memory *memory, void *block) {
    if (block != NULL) (void)memory->reallocate(memory->context, block, 0);
}

static void lk_add(lk_buffer *buffer, const void *bytes, size_t length) {
    if (buffer->has_failed || length == 0) return;
    if (length >= buffer->size - buffer->length) {
        size_t size = (buffer->length + length + 1) * 3 / 2 + 64;
        char *larger = (char *)buffer->memory->reallocate(buffer->memory->context, buffer->at, size);
        if (larger == NULL) {
            buffer->has_failed = true;
            return;
        }
        buffer->at = larger;
        buffer->size = size;
    }
    memcpy(buffer->at + buffer->length, bytes, length);
    buffer->length += length;
    buffer->at[buffer->length] = '\0';
}

static void lk_add_text(lk_buffer *buffer, const char *text) { lk_add(buffer, text, strlen(text)); }

static void lk_release(lk_buffer *buffer) {
    lk_free(buffer->memory, buffer->at);
    buffer->at = NULL;
    buffer->length = buffer->size = 0;
}

static lk_text lk_text_of(const char *text) {
    lk_text whole = {text, text == NULL ? 0 : strlen(text)};
    return whole;
}

/** Whether two texts, either of which may be NULL, are the same. */
static bool lk_same(const char *one, const char *other) {
    return one == other || (one != NULL && other != NULL && strcmp(one, other) == 0);
}

static bool lk_is_digit(char letter) { return letter >= '0' && letter <= '9'; }

static char lk_lower(char letter) { return letter >= 'A' && letter <= 'Z' ? (char)(letter + 32) : letter; }

/** Copies as much of a text as fits, and never a part of a UTF-8 character. */
static void lk_copy(char *to, size_t size, lk_text from) {
    size_t length = from.length < size ? from.length : size - 1;
    while (length < from.length && length > 0 && ((unsigned char)from.at[length] & 0xC0) == 0x80) length--;
    if (length > 0) memcpy(to, from.at, length);
    to[length] = '\0';
}

#endif
