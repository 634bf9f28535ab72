package latchkey

import (
	"regexp"
	"strconv"
	"time"
)

// Times are milliseconds since 1970 in UTC inside of this package.
const (
	second int64 = 1000
	minute       = 60 * second
	hour         = 60 * minute
	day          = 24 * hour
)

// The years 0 to 9999, the only ones that texts have.
const (
	earliest int64 = -62_167_219_200_000
	latest   int64 = 253_402_300_799_999
)

const isoForm = "2006-01-02T15:04:05.000Z"

var isoText = regexp.MustCompile(
	`^(\d{4})-(\d\d)-(\d\d)(?:T(\d\d):(\d\d)(?::(\d\d))?(?:\.(\d{1,9}))?(?:Z|([+-])(\d\d):(\d\d)))?$`)

// readISO returns the time of a text in ISO 8601, or of a day, which begins at midnight in UTC.
func readISO(text string) (int64, bool) {
	found := isoText.FindStringSubmatch(text)
	if found == nil {
		return 0, false
	}
	var fields [10]int
	for index, field := range found[1:] {
		fields[index], _ = strconv.Atoi(field)
	}
	if fields[3] > 24 || fields[4] > 59 || fields[5] > 59 || (fields[3] == 24 && fields[4]+fields[5] > 0) {
		return 0, false
	}
	date := time.Date(fields[0], time.Month(fields[1]), fields[2], 0, 0, 0, 0, time.UTC)
	// A day that the month does not have becomes one of the next month.
	if int(date.Month()) != fields[1] || date.Day() != fields[2] {
		return 0, false
	}
	read := date.UnixMilli() + int64(fields[3])*hour + int64(fields[4])*minute + int64(fields[5])*second
	fraction, _ := strconv.ParseInt((found[7] + "000")[:3], 10, 64)
	zone := int64(fields[8])*hour + int64(fields[9])*minute
	if found[8] == "-" {
		zone = -zone
	}
	return read + fraction - zone, true
}

// isoIn is readISO for a value of any type.
func isoIn(value any) (int64, bool) {
	text, isText := value.(string)
	if !isText {
		return 0, false
	}
	return readISO(text)
}

// isoOrNil is readISO for a text that may be absent.
func isoOrNil(text *string) *int64 {
	if text == nil {
		return nil
	}
	if read, isTime := readISO(*text); isTime {
		return &read
	}
	return nil
}

// iso writes ISO 8601 with milliseconds, held to the years 0 to 9999.
func iso(at int64) string {
	return timeOf(at).Format(isoForm)
}

// timeOf returns the time as apps read it, held to the years 0 to 9999.
func timeOf(at int64) time.Time {
	return time.UnixMilli(max(earliest, min(at, latest))).UTC()
}

// timeOrZero is timeOf for a text that may be absent; the zero time then.
func timeOrZero(text *string) time.Time {
	if at := isoOrNil(text); at != nil {
		return timeOf(*at)
	}
	return time.Time{}
}
