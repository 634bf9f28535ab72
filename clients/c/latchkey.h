/*
 * The client of Latchkey for C: licenses an app, keeps it running while the service cannot be reached, and shares one
 * activation with the clients of all languages on the machine. docs/apps/client-behaviour.md states its behaviour.
 *
 * Add latchkey.c and one adapter for HTTP to the program. The client has no thread and no global variable. Every
 * function may be called from any thread. `latchkey_get_state`, `latchkey_may_run`, `latchkey_feature` and
 * `latchkey_next_check` never wait and make no call, so the thread of a window may call them. All others read files and
 * make calls, and wait for each other: call them from a thread of the app's own.
 */
#ifndef LATCHKEY_H
#define LATCHKEY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define LATCHKEY_VERSION "1.0.0"

/** The value of a time or number that is unknown, or of an end that never comes. */
#define LATCHKEY_NONE INT64_MIN
/** Sizes of texts in a state, with their NUL. Longer texts are cut between characters. */
#define LATCHKEY_TEXT_SIZE 256
#define LATCHKEY_NAME_SIZE 64
#define LATCHKEY_TIME_SIZE 32
/** The longest text of a feature, with its NUL. */
#define LATCHKEY_FEATURE_SIZE 804
/** The largest answer that is read, in bytes. */
#define LATCHKEY_LARGEST_ANSWER 65536

typedef struct latchkey_client latchkey_client;

/* ---- The state -------------------------------------------------------------------------------------------------- */

typedef enum latchkey_status {
    LATCHKEY_UNLICENSED, /* no license key and no license file is stored */
    LATCHKEY_LICENSED,   /* the service accepted the license, or the stored state licenses the app */
    LATCHKEY_GRACE,      /* the service cannot be asked; the app goes on */
    LATCHKEY_LAPSED,     /* the service cannot be asked, and nothing licenses the app any more */
    LATCHKEY_WAITING,    /* every seat of the floating license is taken; the client asks again by itself */
    LATCHKEY_RELEASED,   /* the machine has lost its slot; `latchkey_activate` takes one again if one is free */
    LATCHKEY_REFUSED     /* the service refused the license */
} latchkey_status;

/** The cause of a missing or bad answer. */
typedef enum latchkey_problem {
    LATCHKEY_PROBLEM_NONE,
    LATCHKEY_PROBLEM_NETWORK,
    LATCHKEY_PROBLEM_TLS,
    LATCHKEY_PROBLEM_TIMEOUT,
    LATCHKEY_PROBLEM_ANSWER,            /* the answer is not the service's */
    LATCHKEY_PROBLEM_BUSY,              /* the service asks to wait */
    LATCHKEY_PROBLEM_LICENSE_NOT_FOUND, /* the service has lost the license */
    LATCHKEY_PROBLEM_TOKEN,             /* the service has lost the activation */
    LATCHKEY_PROBLEM_REQUEST,           /* the service considers the request invalid */
    LATCHKEY_PROBLEM_CLOCK,             /* the license has expired by the service's clock alone, which is ahead */
    LATCHKEY_PROBLEM_NOT_ASKED          /* no call so far */
} latchkey_problem;

/** The machine's clock compared with the time of the service; a day of difference is right. */
typedef enum latchkey_clock_condition {
    LATCHKEY_CLOCK_RIGHT,
    LATCHKEY_CLOCK_BEHIND,
    LATCHKEY_CLOCK_AHEAD
} latchkey_clock_condition;

/** The known facts about a license, for display. Unknown texts are empty, unknown numbers LATCHKEY_NONE. */
typedef struct latchkey_facts {
    char license_key_hint[LATCHKEY_NAME_SIZE]; /* the last group of the key */
    char product_id[LATCHKEY_TEXT_SIZE];
    char variant[LATCHKEY_TEXT_SIZE];
    char license_type[LATCHKEY_NAME_SIZE]; /* per-machine, floating, site, or a type newer than this client */
    char max_version[LATCHKEY_NAME_SIZE];  /* the newest version that the license covers; empty for all */
    int64_t license_expires_at;            /* milliseconds since 1970, as all times here */
    int64_t grace_until;                   /* until when an expired license is accepted */
    int64_t updates_until;                 /* builds until this time are covered */
    int64_t days_remaining;                /* as of the last answer */
    int64_t machines_used;
    int64_t max_machines; /* -1 for no limit */
} latchkey_facts;

/** The state of the license on this machine: plain data. */
typedef struct latchkey_state {
    latchkey_status status;
    /** The verdict: whether the app may be used. */
    bool may_run;
    /** Of LICENSED: whether the service accepted the license in this process. */
    bool is_from_server;
    bool has_facts;
    latchkey_facts facts;
    /** Of LICENSED and GRACE: when the app stops without another answer. */
    int64_t until;
    /** Of GRACE and LAPSED: the last time without the problem. Of REFUSED: the time of the refusal. */
    int64_t since;
    /** Of GRACE and LAPSED. The text is for a log, in English, and has no secret. */
    latchkey_problem problem;
    char problem_detail[LATCHKEY_TEXT_SIZE];
    /** Of REFUSED: the code, such as `license_expired`. */
    char why[LATCHKEY_NAME_SIZE];
    latchkey_clock_condition clock;
    /** Why the stored state cannot be read or written; empty if it can. */
    char storage_problem[LATCHKEY_TEXT_SIZE];
} latchkey_state;

typedef enum latchkey_feature_kind {
    LATCHKEY_FEATURE_NONE,
    LATCHKEY_FEATURE_FLAG,
    LATCHKEY_FEATURE_NUMBER,
    LATCHKEY_FEATURE_TEXT
} latchkey_feature_kind;

/** The value of a feature. */
typedef struct latchkey_feature_value {
    latchkey_feature_kind kind;
    bool flag;
    int64_t number;
    char text[LATCHKEY_FEATURE_SIZE];
} latchkey_feature_value;

/* ---- Errors ----------------------------------------------------------------------------------------------------- */

typedef enum latchkey_result {
    LATCHKEY_OK,
    LATCHKEY_ERROR_REFUSED,     /* the service refused: `code`, and `limit`, `retry_after_ms` and `resets_at` if any */
    LATCHKEY_ERROR_UNREACHABLE, /* no answer: `problem`; nothing has changed */
    LATCHKEY_ERROR_FILE,        /* the license file is not valid here: `file_problem` */
    LATCHKEY_ERROR_NO_KEY,      /* there is no license key to activate, or to count uses of */
    LATCHKEY_ERROR_NO_FINGERPRINT, /* the machine cannot be identified at the moment */
    LATCHKEY_ERROR_OPTION,         /* an option, or a field of a use, is missing or not valid: `message` names it */
    LATCHKEY_ERROR_MEMORY          /* out of memory; the verdict about the license is unchanged, or an outage */
} latchkey_result;

/** The first failed check of a license file, in the order of the checks. */
typedef enum latchkey_file_problem {
    LATCHKEY_FILE_GOOD,
    LATCHKEY_FILE_FORMAT,
    LATCHKEY_FILE_ALGORITHM,
    LATCHKEY_FILE_TYPE,
    LATCHKEY_FILE_KEY,
    LATCHKEY_FILE_SIGNATURE,
    LATCHKEY_FILE_CLAIMS,
    LATCHKEY_FILE_ISSUER,
    LATCHKEY_FILE_PRODUCT,
    LATCHKEY_FILE_MACHINE,
    LATCHKEY_FILE_EXPIRED,
    LATCHKEY_FILE_REFUSED, /* the service refused the license after the file was made */
    LATCHKEY_FILE_NO_MEMORY
} latchkey_file_problem;

/** A use of a meter of the license. */
typedef struct latchkey_use {
    const char *meter;
    /** From 0 to 1,000,000,000; 0 asks, and counts nothing. */
    int64_t units;
    /** Names the use, so that it counts once however often it is sent; NULL lets the client draw one. */
    const char *request_id;
} latchkey_use;

/** What became of a use. Texts are cut like those of a state. */
typedef struct latchkey_consumption {
    /** No answer yet: the use is stored and will be sent. The numbers below are unknown then. */
    bool is_queued;
    char meter[LATCHKEY_TEXT_SIZE];
    /** Repeats a use of which LATCHKEY_ERROR_MEMORY left open whether it was counted. */
    char request_id[LATCHKEY_TEXT_SIZE];
    int64_t units;
    int64_t used;
    int64_t limit;     /* of the period; beyond it units may be sold, too */
    int64_t remaining; /* LATCHKEY_NONE without an end */
    int64_t resets_at; /* the end of the period; LATCHKEY_NONE without one */
} latchkey_consumption;

/** Details of an error. */
typedef struct latchkey_error {
    latchkey_result result;
    latchkey_problem problem;
    latchkey_file_problem file_problem;
    char code[LATCHKEY_NAME_SIZE];
    char message[LATCHKEY_TEXT_SIZE]; /* for a log, in English */
    int64_t limit; /* the machines of the license with `machine_limit`, the users with `user_limit` */
    int64_t retry_after_ms;
    int64_t resets_at; /* with `meter_limit`: the end of the period, if it has one */
} latchkey_error;

/** Names as in docs/apps/client-behaviour.md: `licensed`, `network`, `signature`. */
const char *latchkey_status_name(latchkey_status status);
const char *latchkey_problem_name(latchkey_problem problem);
const char *latchkey_file_problem_name(latchkey_file_problem problem);
/** Writes a time as ISO 8601 in UTC. Returns its length. */
int latchkey_format_time(int64_t time, char text[LATCHKEY_TIME_SIZE]);

/* ---- Callbacks -------------------------------------------------------------------------------------------------- */

/** One request. `body` is JSON, or NULL for a GET. */
typedef struct latchkey_request {
    const char *url;
    const char *body;
    size_t body_length;
    /** For the whole answer. */
    int64_t timeout_ms;
} latchkey_request;

/** Receives an answer, see the functions below. */
typedef struct latchkey_answer latchkey_answer;

typedef enum latchkey_sent {
    LATCHKEY_SENT,
    LATCHKEY_SENT_NOTHING, /* no complete answer; redirects count as this, too */
    LATCHKEY_SENT_TLS,     /* the certificate is not trusted */
    LATCHKEY_SENT_TIMEOUT
} latchkey_sent;

/**
 * Sends a request and waits for the whole answer. Must check certificates and follow no redirect. Sends the header
 * `Content-Type: application/json` with a body.
 */
typedef struct latchkey_transport {
    latchkey_sent (*send)(void *context, const latchkey_request *request, latchkey_answer *answer);
    void *context;
} latchkey_transport;

void latchkey_answer_status(latchkey_answer *answer, int status);
/** Names are compared without regard to case. */
void latchkey_answer_header(latchkey_answer *answer, const char *name, size_t name_length, const char *value,
                            size_t value_length);
/** Returns false if the answer is too large or memory runs out; the transport then gives up. */
bool latchkey_answer_body(latchkey_answer *answer, const void *bytes, size_t length);
/** A text for the log, if there is no answer. */
void latchkey_answer_problem(latchkey_answer *answer, const char *text);

/** Receives the text of a read. */
typedef struct latchkey_sink latchkey_sink;
bool latchkey_sink_add(latchkey_sink *sink, const void *bytes, size_t length);

typedef enum latchkey_stored {
    LATCHKEY_STORED,
    LATCHKEY_STORED_NOTHING, /* of a read: nothing is stored */
    LATCHKEY_STORED_FAILED,  /* `why` says why */
    LATCHKEY_STORED_ANEW     /* of a write: the lock was lost, so that the client reads and writes anew */
} latchkey_stored;

/**
 * Stores the state, one text of at most 256 KiB. Without `read` the client keeps files in the option `directory`.
 * `lock`, `unlock`, `set_aside`, `written_at`, `beat` and `leave` may be NULL.
 */
typedef struct latchkey_store {
    latchkey_stored (*read)(void *context, latchkey_sink *text, char why[LATCHKEY_TEXT_SIZE]);
    latchkey_stored (*write)(void *context, const char *text, size_t length, char why[LATCHKEY_TEXT_SIZE]);
    latchkey_stored (*remove)(void *context, char why[LATCHKEY_TEXT_SIZE]);
    /** Keeps other processes from changing the state until `unlock`. */
    void (*lock)(void *context);
    void (*unlock)(void *context);
    /** Moves an unreadable text aside, for support. */
    void (*set_aside)(void *context, const char *text, size_t length);
    /** The time of the last write by the machine's clock, or LATCHKEY_NONE. */
    int64_t (*written_at)(void *context);
    /** Records that this process is alive. */
    void (*beat)(void *context);
    /** Removes this process, and returns whether it was the last one. */
    bool (*leave)(void *context);
    void *context;
} latchkey_store;

/** The clocks of the machine, in milliseconds. */
typedef struct latchkey_clock {
    /** Since 1970. */
    int64_t (*now)(void *context);
    /** Since any moment; never goes back. */
    int64_t (*monotonic)(void *context);
    /** Whether `monotonic` goes on while the machine sleeps. */
    bool counts_sleep;
    void *context;
} latchkey_clock;

/** Verifies an Ed25519 signature, by a library that the app has anyway. Without it the client's own code does. */
typedef struct latchkey_verifier {
    bool (*verify)(void *context, const unsigned char key[32], const void *message, size_t length,
                   const unsigned char signature[64]);
    void *context;
} latchkey_verifier;

/* ---- The client ------------------------------------------------------------------------------------------------- */

/** A public key of the service that signs license files, as `list-signing-keys --as c` prints it. */
typedef struct latchkey_public_key {
    const char *kid;
    const char *x;
} latchkey_public_key;

/** Whether `latchkey_close` frees a floating seat: of pools with up to ten seats, always, or never. */
typedef enum latchkey_release {
    LATCHKEY_RELEASE_SMALL_POOLS,
    LATCHKEY_RELEASE_ALWAYS,
    LATCHKEY_RELEASE_NEVER
} latchkey_release;

/** Begin with `latchkey_options options = {0}`; a field with 0 has its default. The client copies all texts. */
typedef struct latchkey_options {
    /** `https` addresses of the service, tried in this order. */
    const char *const *servers;
    size_t server_count;
    /** The product, as licenses name it. */
    const char *product_id;
    /** Keys and issuer of license files, compiled into the app. With them only a signed file keeps it running offline.
     */
    const latchkey_public_key *public_keys;
    size_t public_key_count;
    const char *issuer;
    /** Ids of stolen signing keys, which are ignored in all key lists. */
    const char *const *stolen_keys;
    size_t stolen_key_count;
    latchkey_transport transport;
    /** The folder of the stored state; by default the folder of this user that all clients share. */
    const char *directory;
    latchkey_store store;
    /** Identifies the machine in up to 512 bytes; by default the id that the system keeps. */
    const char *fingerprint;
    /** The same as a function, which writes a text into `fingerprint` or returns false if it cannot at the moment. */
    bool (*find_fingerprint)(void *context, char fingerprint[513]);
    void *fingerprint_context;
    /** The user's name for the machine; by default the name of the computer. */
    const char *hostname;
    /** The person who uses the app, such as the address of the signed-in account, for licenses with named users. */
    const char *user;
    /** Date (ISO 8601) and version of this build, compiled into the app. */
    const char *build_date;
    const char *version;
    /** The longest time between two heartbeats, by default five minutes, and for a whole answer, ten seconds. */
    int64_t heartbeat_ms;
    int64_t request_timeout_ms;
    latchkey_release release;
    /** Leaves it to the user whether a machine that lost its slot activates again. */
    bool asks_before_activating;
    /** How long a good answer counts without `public_keys`: by default 30 days, for floating licenses 24 hours. */
    int64_t grace_ms;
    int64_t grace_floating_ms;
    /** The most uses of meters that wait in the stored state for an answer, up to 500; 0 lets none wait. */
    int offline_uses;
    /** Called after every change of the state, by the thread that works. May only read the client. */
    void (*on_change)(void *context, const latchkey_state *state);
    /** Called for a stored use that the service refused, and that was dropped. May only read the client. */
    void (*on_use_refused)(void *context, const latchkey_use *use, const char *code);
    /** Called for problems of the storage. */
    void (*on_log)(void *context, const char *text);
    void *context;
    /** As `realloc`; a size of 0 frees. */
    void *(*reallocate)(void *context, void *block, size_t size);
    void *memory_context;
    latchkey_clock clock;
    latchkey_verifier verifier;
    /** Draws a number from 0 up to 1; for tests. */
    double (*random)(void *context);
    void *random_context;
} latchkey_options;

/** Creates a client, which does nothing yet. Returns NULL for an error; `error` may be NULL here and below. */
latchkey_client *latchkey_create(const latchkey_options *options, latchkey_error *error);
/** Frees a client, without a call. No other function may be running. */
void latchkey_destroy(latchkey_client *client);

/**
 * Reads the stored state. If that does not let the app run, asks the service at once; otherwise the next
 * `latchkey_work` does.
 */
latchkey_result latchkey_start(latchkey_client *client, latchkey_error *error);
/**
 * Makes the checks and heartbeats that are due, and notices what other processes did. Returns the milliseconds until
 * the next call of this function, at most 2,000. Call it from a thread of the app, or a timer that may wait.
 */
int64_t latchkey_work(latchkey_client *client);
/** Binds a license key to this machine; NULL for the stored one. Without a free floating seat the state is WAITING. */
latchkey_result latchkey_activate(latchkey_client *client, const char *license_key, latchkey_error *error);
/**
 * Takes the trial of this machine, without a key; does nothing while the app may run. A machine has one trial of a
 * product. `variant` and `email` may be NULL. Refusals have codes such as `trial_over`, and change nothing.
 */
latchkey_result latchkey_start_trial(latchkey_client *client, const char *variant, const char *email,
                                     latchkey_error *error);
/**
 * Counts a use. Without an answer it waits in the stored state, if the option `offline_uses` allows it, and is sent
 * later. After an error other than LATCHKEY_ERROR_MEMORY nothing was counted or stored. `consumption` may be NULL.
 */
latchkey_result latchkey_consume(latchkey_client *client, const latchkey_use *use, latchkey_consumption *consumption,
                                 latchkey_error *error);
/** Asks the service now, but not within two seconds after the last check, nor in a pause that the service asked for. */
latchkey_result latchkey_check(latchkey_client *client, latchkey_error *error);
/** Frees the slot of this machine and forgets the license. */
latchkey_result latchkey_deactivate(latchkey_client *client, latchkey_error *error);
/** Imports a license file that was made for a machine without a network. */
latchkey_result latchkey_import_file(latchkey_client *client, const char *text, latchkey_error *error);
/** Writes the text from which the vendor makes a license file. Free it by `latchkey_free_text`; NULL for an error. */
char *latchkey_export_request(latchkey_client *client, const char *license_key, latchkey_error *error);
void latchkey_free_text(latchkey_client *client, char *text);
/** Stops the checks, keeps key and token, and frees a floating seat as the option `release` says. */
void latchkey_close(latchkey_client *client);

/** The state at this moment. */
void latchkey_get_state(latchkey_client *client, latchkey_state *state);
bool latchkey_may_run(latchkey_client *client);
/** The value of a feature of the license; returns false if the license has none, or if the app may not run. */
bool latchkey_feature(latchkey_client *client, const char *name, latchkey_feature_value *value);
/** Milliseconds until the next automatic check; LATCHKEY_NONE if none is planned. */
int64_t latchkey_next_check(latchkey_client *client);

/* ---- License files without a client ----------------------------------------------------------------------------- */

/** The purpose of a file: fetched by the client, or made for a machine without a network. */
typedef enum latchkey_purpose {
    LATCHKEY_PURPOSE_GRACE,
    LATCHKEY_PURPOSE_OFFLINE,
    LATCHKEY_PURPOSE_BORROW
} latchkey_purpose;

/** What a valid license file says. Times are milliseconds since 1970; LATCHKEY_NONE for no end. */
typedef struct latchkey_claims {
    latchkey_purpose purpose;
    latchkey_facts facts;
    int64_t issued_at;
    int64_t renew_after;
    int64_t ends_at;
} latchkey_claims;

/**
 * Verifies a license file with `public_keys`, `issuer`, `product_id`, `fingerprint` (NULL for files of any machine) and
 * `verifier` of the options.
 *
 * @param now milliseconds since 1970; LATCHKEY_NONE accepts expired files, too
 * @param claims may be NULL
 */
latchkey_file_problem latchkey_read_file(const latchkey_options *options, const char *text, size_t length, int64_t now,
                                         latchkey_claims *claims);

#ifdef __cplusplus
}
#endif

#endif
