/*
 * The present time. The machine's clock may be wrong by years, set back to extend a grace, or corrected after it was
 * wrong. So the time counts from known moments, plus the progress of the machine's clock since then (rules 3.1 to 3.7).
 */

/** A moment with a known time, and the machine's clock at that moment. */
typedef struct lk_moment {
    bool is_known;
    int64_t time, local;
} lk_moment;

typedef struct lk_times {
    /** The newest time of the service; a later one that two readings an hour apart prove; the last reading. */
    lk_moment trusted, confirmed, seen;
} lk_times;

typedef struct lk_clock {
    latchkey_clock machine;
    lk_times times;
    /** A moment of this process, with `local` by its monotonic clock. */
    lk_moment anchor;
} lk_clock;

static int64_t lk_local(const lk_clock *clock) { return clock->machine.now(clock->machine.context); }

static int64_t lk_monotonic(const lk_clock *clock) { return clock->machine.monotonic(clock->machine.context); }

static int64_t lk_later(int64_t one, int64_t other) { return one > other ? one : other; }

static int64_t lk_earlier(int64_t one, int64_t other) { return one < other ? one : other; }

/** Advances with the machine's clock, but does not go back with it: the elapsed time is unknown then. */
static int64_t lk_counted_from(const lk_moment *moment, int64_t local) {
    return local >= moment->local ? moment->time + (local - moment->local) : lk_later(moment->time, local);
}

static int64_t lk_time_by(const lk_times *times, int64_t local) {
    int64_t time = LATCHKEY_NONE;
    if (times->trusted.is_known) time = lk_counted_from(&times->trusted, local);
    if (times->confirmed.is_known) time = lk_later(time, lk_counted_from(&times->confirmed, local));
    return time == LATCHKEY_NONE ? local : time;
}

static int64_t lk_now(const lk_clock *clock) {
    const int64_t stored = lk_time_by(&clock->times, lk_local(clock));
    if (!clock->anchor.is_known) return stored;
    const int64_t counted = clock->anchor.time + (lk_monotonic(clock) - clock->anchor.local);
    return clock->machine.counts_sleep ? counted : lk_later(counted, stored);
}

static void lk_anchor(lk_clock *clock, int64_t time) {
    const lk_moment anchor = {true, time, lk_monotonic(clock)};
    clock->anchor = anchor;
}

static bool lk_is_later(const lk_moment *moment, const lk_moment *than) {
    return moment->is_known && (!than->is_known || moment->time > than->time);
}

/** Restores the stored times. After the first call, takes over only later ones, which another process learned. */
static void lk_restore_times(lk_clock *clock, const lk_times *times) {
    if (!clock->anchor.is_known) {
        clock->times = *times;
        lk_anchor(clock, lk_time_by(times, lk_local(clock)));
        return;
    }
    const bool is_newer = lk_is_later(&times->trusted, &clock->times.trusted);
    if (!is_newer && !lk_is_later(&times->confirmed, &clock->times.confirmed)) return;
    const int64_t before = lk_now(clock), time = lk_time_by(times, lk_local(clock));
    clock->times = *times;
    if (is_newer || time > before) lk_anchor(clock, time);
}

/** Learns the time from the service; LATCHKEY_NONE teaches nothing. */
static void lk_learn(lk_clock *clock, int64_t time) {
    if (time == LATCHKEY_NONE) return;
    const lk_times times = {{true, time, lk_local(clock)}, {false, 0, 0}, {false, 0, 0}};
    clock->times = times;
    lk_anchor(clock, time);
}

/** A genuine text was made at this time, so it is not earlier now. */
static void lk_at_least(lk_clock *clock, int64_t time) {
    if (time != LATCHKEY_NONE && time > lk_now(clock)) lk_learn(clock, time);
}

/**
 * Reads the machine's clock. One reading proves nothing: a machine without a battery starts in any year. Of two
 * readings an hour apart, the earlier one becomes a lower bound. Returns whether there is something new to store.
 */
static bool lk_look(lk_clock *clock) {
    const lk_moment reading = {true, lk_now(clock), lk_local(clock)};
    lk_times *times = &clock->times;
    if (times->seen.is_known && reading.time >= times->seen.time) {
        if (reading.time - times->seen.time < LK_HOUR_MS) return false;
        times->confirmed = times->seen;
    }
    times->seen = reading;
    return true;
}

static latchkey_clock_condition lk_condition(const lk_clock *clock) {
    const int64_t ahead = lk_local(clock) - lk_now(clock);
    if (ahead > LK_DAY_MS) return LATCHKEY_CLOCK_AHEAD;
    return ahead < -LK_DAY_MS ? LATCHKEY_CLOCK_BEHIND : LATCHKEY_CLOCK_RIGHT;
}
