/* The checks of the tests. */
#ifndef LATCHKEY_CHECK_H
#define LATCHKEY_CHECK_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/** Ends the test if a condition does not hold. */
#define CHECK(condition)                                                                                               \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            (void)fprintf(stderr, "%s:%d: %s does not hold\n", __FILE__, __LINE__, #condition);                        \
            abort();                                                                                                   \
        }                                                                                                              \
    } while (0)

/** The same with a name of the case. */
#define CHECK_CASE(condition, name)                                                                                    \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            (void)fprintf(stderr, "%s:%d: %s does not hold for: %s\n", __FILE__, __LINE__, #condition, name);          \
            abort();                                                                                                   \
        }                                                                                                              \
    } while (0)

#endif
