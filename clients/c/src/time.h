/* Times: milliseconds since 1970 in UTC. Own code, because the functions of C follow the language and the time zone. */

/** The last moment of a date in JavaScript. */
#define LK_LAST_DATE_MS INT64_C(8640000000000000)
/** The years 0 to 9999, the only ones that are written. */
#define LK_EARLIEST_MS INT64_C(-62167219200000)
#define LK_LATEST_MS INT64_C(253402300799999)

/** Days from 1970 to a date. Years begin in March here, so that a leap day is the last of a year. */
static int64_t lk_days(int64_t year, int month, int day) {
    year -= month < 3;
    const int64_t era = (year >= 0 ? year : year - 399) / 400;
    const int64_t year_of_era = year - era * 400;
    const int64_t day_of_year = (153 * (month + (month < 3 ? 9 : -3)) + 2) / 5 + day - 1;
    return era * 146097 + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year - 719468;
}

static bool lk_time_of(int64_t year, int month, int day, int hour, int minute, int second, int64_t *time) {
    static const int lengths[] = {31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    if (month < 1 || month > 12 || day < 1 || day > lengths[month - 1]) return false;
    if (hour > 24 || minute > 59 || second > 59 || (hour == 24 && minute + second > 0)) return false;
    *time = ((lk_days(year, month, day) * 24 + hour) * 60 + minute) * 60 * LK_SECOND_MS + second * LK_SECOND_MS;
    return true;
}

/** Reads `count` digits and moves on. */
static bool lk_read_digits(const char **at, int count, int *number) {
    *number = 0;
    for (int i = 0; i < count; i++, (*at)++) {
        if (!lk_is_digit(**at)) return false;
        *number = *number * 10 + (**at - '0');
    }
    return true;
}

/** Reads a time in ISO 8601, such as `2027-05-31T10:00:00.000Z`, or a day, which begins at midnight in UTC. */
static bool lk_read_time(const char *at, int64_t *time) {
    int year, month, day, hour = 0, minute = 0, second = 0, zone_hour = 0, zone_minute = 0, zone = 0, fraction = 0;
    if (!lk_read_digits(&at, 4, &year) || *at++ != '-' || !lk_read_digits(&at, 2, &month) || *at++ != '-' ||
        !lk_read_digits(&at, 2, &day))
        return false;
    if (*at == 'T') {
        at++;
        if (!lk_read_digits(&at, 2, &hour) || *at++ != ':' || !lk_read_digits(&at, 2, &minute)) return false;
        if (*at == ':') {
            at++;
            if (!lk_read_digits(&at, 2, &second)) return false;
        }
        if (*at == '.') {
            if (!lk_is_digit(*++at)) return false;
            for (int unit = 100; lk_is_digit(*at); at++, unit /= 10) fraction += unit * (*at - '0');
        }
        zone = *at == '+' ? 1 : *at == '-' ? -1 : 0;
        if (zone == 0 && *at != 'Z') return false;
        at++;
        if (zone != 0 && (!lk_read_digits(&at, 2, &zone_hour) || *at++ != ':' || !lk_read_digits(&at, 2, &zone_minute)))
            return false;
    }
    if (*at != '\0' || !lk_time_of(year, month, day, hour, minute, second, time)) return false;
    *time += fraction - zone * (zone_hour * 60 + zone_minute) * 60 * LK_SECOND_MS;
    return true;
}

/** Reads the header `Date`, such as `Sun, 06 Nov 1994 08:49:37 GMT`. */
static bool lk_read_http_date(const char *at, int64_t *time) {
    static const char months[] = "JanFebMarAprMayJunJulAugSepOctNovDec";
    int day, month = 0, year, hour, minute, second;
    const char *comma = strchr(at, ',');
    if (comma == NULL || comma[1] != ' ') return false;
    at = comma + 2;
    if (!lk_read_digits(&at, 2, &day) || *at++ != ' ') return false;
    while (month < 12 && strncmp(at, months + (size_t)month * 3, 3) != 0) month++;
    if (month++ == 12) return false;
    at += 3;
    if (*at++ != ' ' || !lk_read_digits(&at, 4, &year) || *at++ != ' ' || !lk_read_digits(&at, 2, &hour) ||
        *at++ != ':' || !lk_read_digits(&at, 2, &minute) || *at++ != ':' || !lk_read_digits(&at, 2, &second))
        return false;
    return strcmp(at, " GMT") == 0 && lk_time_of(year, month, day, hour, minute, second, time);
}

int latchkey_format_time(int64_t time, char text[LATCHKEY_TIME_SIZE]) {
    if (time < LK_EARLIEST_MS) time = LK_EARLIEST_MS;
    if (time > LK_LATEST_MS) time = LK_LATEST_MS;
    const int64_t day = (time >= 0 ? time : time - (LK_DAY_MS - 1)) / LK_DAY_MS;
    const int rest = (int)(time - day * LK_DAY_MS);
    /* The inverse of lk_days. */
    const int64_t shifted = day + 719468, era = (shifted >= 0 ? shifted : shifted - 146096) / 146097;
    const int day_of_era = (int)(shifted - era * 146097);
    const int year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36524 - day_of_era / 146096) / 365;
    const int day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    const int month = (5 * day_of_year + 2) / 153;
    const int year = (int)(era * 400) + year_of_era + (month >= 10);
    return snprintf(text, LATCHKEY_TIME_SIZE, "%04d-%02d-%02dT%02d:%02d:%02d.%03dZ", year % 10000,
                    month < 10 ? month + 3 : month - 9, day_of_year - (153 * month + 2) / 5 + 1, rest / 3600000,
                    rest / 60000 % 60, rest / 1000 % 60, rest % 1000);
}
