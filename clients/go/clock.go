package latchkey

import "time"

// Clock tells the time of the machine. Tests replace it.
type Clock interface {
	// Now is the machine's clock, in milliseconds since 1970.
	Now() int64
	// Monotonic is in milliseconds since any moment, and never goes back.
	Monotonic() int64
	// CountsSleep tells whether Monotonic goes on while the machine sleeps.
	CountsSleep() bool
}

type systemClock struct{}

func (systemClock) Now() int64 { return time.Now().UnixMilli() }

// moment is a known time, and the machine's clock at it.
type moment struct {
	Time  int64 `json:"time"`
	Local int64 `json:"local"`
}

// knownTimes are the newest time of the service, a later one that two readings prove, and the last reading.
type knownTimes struct {
	Trusted   *moment `json:"trusted"`
	Confirmed *moment `json:"confirmed"`
	Seen      *moment `json:"seen"`
}

func (times knownTimes) areEmpty() bool {
	return times.Trusted == nil && times.Confirmed == nil && times.Seen == nil
}

// countedFrom advances with the machine's clock, but does not go back with it: if that was set back, the elapsed time is
// unknown.
func countedFrom(known *moment, local int64) int64 {
	if local >= known.Local {
		return known.Time + local - known.Local
	}
	return max(known.Time, local)
}

// by returns the time by all known moments; the machine's clock without any.
func (times knownTimes) by(local int64) int64 {
	switch {
	case times.Trusted == nil && times.Confirmed == nil:
		return local
	case times.Confirmed == nil:
		return countedFrom(times.Trusted, local)
	case times.Trusted == nil:
		return countedFrom(times.Confirmed, local)
	}
	return max(countedFrom(times.Trusted, local), countedFrom(times.Confirmed, local))
}

func isLater(known, than *moment) bool {
	return known != nil && (than == nil || known.Time > than.Time)
}

// trustedClock is the present time in a running process. The clock of the machine may be wrong by years, set back to
// extend a grace, or corrected after it was wrong; so the time counts from known moments.
//
// A copy tells the time by what was known when it was made.
type trustedClock struct {
	machine Clock
	times   knownTimes
	// anchor is a moment of this process, by its monotonic clock; nil before the first load.
	anchor *moment
}

func (clock *trustedClock) now() int64 {
	local := clock.machine.Now()
	if clock.anchor == nil {
		return clock.times.by(local)
	}
	counted := clock.anchor.Time + clock.machine.Monotonic() - clock.anchor.Local
	if clock.machine.CountsSleep() {
		return counted
	}
	return max(counted, clock.times.by(local))
}

// condition compares the machine's clock with the time.
func (clock *trustedClock) condition() string {
	switch ahead := clock.machine.Now() - clock.now(); {
	case ahead > day:
		return "ahead"
	case ahead < -day:
		return "behind"
	}
	return "right"
}

// restore takes the stored times. Later calls take over only later times, which another process learned.
func (clock *trustedClock) restore(times knownTimes) {
	byStored := times.by(clock.machine.Now())
	if clock.anchor == nil {
		clock.know(times, byStored)
		return
	}
	isNewer := isLater(times.Trusted, clock.times.Trusted)
	if !isNewer && !isLater(times.Confirmed, clock.times.Confirmed) {
		return
	}
	if isNewer || byStored > clock.now() {
		clock.know(times, byStored)
	} else {
		clock.times = times
	}
}

// learn takes the time of the service, which replaces all earlier knowledge; nil teaches nothing.
func (clock *trustedClock) learn(serverTime *int64) {
	if serverTime != nil {
		clock.know(knownTimes{Trusted: &moment{*serverTime, clock.machine.Now()}}, *serverTime)
	}
}

// atLeast learns from a genuine text that was made at a time: it is no earlier now.
func (clock *trustedClock) atLeast(known *int64) {
	if known != nil && *known > clock.now() {
		clock.learn(known)
	}
}

// look reads the machine's clock, and returns whether there is something new to store. One reading proves nothing: a
// machine without a battery may start in any year. Of two readings an hour apart, the earlier one becomes a lower bound
// for the time, until the service tells a better one.
func (clock *trustedClock) look() bool {
	reading := &moment{clock.now(), clock.machine.Now()}
	if seen := clock.times.Seen; seen != nil && reading.Time >= seen.Time {
		if reading.Time-seen.Time < hour {
			return false
		}
		clock.times.Confirmed = seen
	}
	clock.times.Seen = reading
	return true
}

func (clock *trustedClock) know(times knownTimes, present int64) {
	clock.times = times
	clock.anchor = &moment{present, clock.machine.Monotonic()}
}
