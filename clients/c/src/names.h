/* The names of statuses and problems. */

const char *latchkey_status_name(latchkey_status status) {
    static const char *const names[] = {"unlicensed", "licensed", "grace", "lapsed", "waiting", "released", "refused"};
    return names[status];
}

const char *latchkey_problem_name(latchkey_problem problem) {
    static const char *const names[] = {"",      "network", "tls",   "timeout",  "answer", "busy", "license_not_found",
                                        "token", "request", "clock", "not_asked"};
    return names[problem];
}

const char *latchkey_file_problem_name(latchkey_file_problem problem) {
    static const char *const names[] = {"good",   "format",  "algorithm", "type",    "key",     "signature", "claims",
                                        "issuer", "product", "machine",   "expired", "refused", "no memory"};
    return names[problem];
}
