/* When the next check is due (rules 5.4 to 5.6, 12.2 and 12.4). */

/** Pause before another attempt to read the stored state, or to find the fingerprint. */
#define LK_UNREAD_PAUSE_MS (60 * LK_SECOND_MS)

/** 22 hours and up to 4 more, so that many apps do not ask at once. */
static int64_t lk_until_daily_check(const latchkey_client *self) {
    return 22 * LK_HOUR_MS + (int64_t)(lk_random(self) * (double)(4 * LK_HOUR_MS));
}

/** A time plus or minus a tenth. */
static int64_t lk_spread(const latchkey_client *self, double time) {
    return (int64_t)(time * (0.9 + lk_random(self) * 0.2));
}

/** A random time in the upper half of `first`, which is doubled `times` times, but at most `longest`. */
static int64_t lk_back_off(const latchkey_client *self, int64_t first, int times, int64_t longest) {
    const double step = (double)(times > 20 ? longest : lk_earlier(longest, first << times));
    return (int64_t)(step / 2 + lk_random(self) * step / 2);
}

/** The interval of heartbeats: a third of the time for which the seat is held, at most what the app wants. */
static double lk_beat_interval(const latchkey_client *self, int64_t held_ms) {
    const double third = (double)held_ms / 3, most = (double)self->options.heartbeat_ms;
    return third < most ? third : most;
}

static int64_t lk_until_heartbeat(const latchkey_client *self) {
    const int64_t seat = self->stored.seat_until;
    const double interval = seat == LATCHKEY_NONE ? (double)self->options.heartbeat_ms
                                                  : lk_beat_interval(self, seat - lk_now(&self->clock));
    return lk_spread(self, interval > LK_SECOND_MS ? interval : LK_SECOND_MS);
}

static int64_t lk_until_next(const latchkey_client *self) {
    const bool is_refused = self->stored.refusal != NULL || (self->outcome == LK_GOOD && !lk_is_covered(self));
    if (is_refused || self->outcome == LK_IS_RELEASED) return lk_spread(self, LK_HOUR_MS);
    if (self->outcome == LK_NOT_ASKED) return 0;
    if (self->outcome == LK_IS_WAITING)
        return lk_back_off(self, 60 * LK_SECOND_MS, self->polls - 1, 300 * LK_SECOND_MS);
    if (self->outcome == LK_PROBLEM)
        return lk_back_off(self, 5 * LK_SECOND_MS, self->failures - 1,
                           lk_is_floating(self) ? 60 * LK_SECOND_MS : LK_HOUR_MS);
    return lk_is_floating(self) ? lk_until_heartbeat(self) : lk_until_daily_check(self);
}

static int64_t lk_pause(const latchkey_client *self) {
    return lk_later(0, self->not_before - lk_monotonic(&self->clock));
}

/** Milliseconds until the next check; LATCHKEY_NONE if there is nothing to check. */
static int64_t lk_until_check(const latchkey_client *self) {
    if (self->fingerprint_problem[0] != '\0') return LK_UNREAD_PAUSE_MS;
    if (self->stored.license_key == NULL) return self->is_unread ? LK_UNREAD_PAUSE_MS : LATCHKEY_NONE;
    return lk_later(lk_pause(self), lk_until_next(self));
}

static void lk_checked_fully(latchkey_client *self) {
    self->full_check_due = lk_monotonic(&self->clock) + lk_until_daily_check(self);
}
