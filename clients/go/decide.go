package latchkey

import "math"

// outcome is the outcome of the last call in this process.
type outcome int

const (
	notAsked outcome = iota
	isGood
	hasProblem
	isWaiting
	isReleased
)

const (
	// inMemory is the time for which an answer counts in the process that received it, if only signed files count
	// beyond that.
	inMemory = day
	// leeway is the time by which the grace may exceed the expiry, because an outage may delay a renewal.
	leeway = 3 * day
	// noEnd is the end of a right without one.
	noEnd = math.MaxInt64
)

// known is everything that decides the state, but for the time.
type known struct {
	stored storedState
	// file is the verified file, which may have expired. With needsFile only the file counts, not the rest of the stored
	// state.
	file      *LicenseFile
	needsFile bool
	// answeredAt is the time of this process's last good answer.
	answeredAt *int64
	outcome    outcome
	problem    Problem
	// since is the time of the last good answer before a problem.
	since          int64
	grace          int64
	coversBuild    bool
	terms          *terms
	storageProblem string
	clock          trustedClock
}

// rightUntil is the time until which the app may run without another answer; nil without a right.
func (what *known) rightUntil() *int64 {
	var until *int64
	add := func(end int64) {
		if until == nil || end > *until {
			until = &end
		}
	}
	if what.file != nil && what.file.Expires.IsZero() {
		add(noEnd)
	} else if what.file != nil {
		add(what.file.Expires.UnixMilli())
	}
	if what.answeredAt != nil && what.needsFile {
		add(what.withLeeway(*what.answeredAt + inMemory))
	}
	if what.stored.LastGoodAt != nil && !what.needsFile {
		add(what.withLeeway(*what.stored.LastGoodAt + what.grace))
	}
	return until
}

func (what *known) withLeeway(end int64) int64 {
	if what.stored.Facts == nil {
		return end
	}
	expires := isoOrNil(what.stored.Facts.LicenseExpiresAt)
	if expires == nil {
		return end
	}
	last := *expires
	if grace := isoOrNil(what.stored.Facts.GraceUntil); grace != nil {
		last = max(last, *grace)
	}
	return min(end, last+leeway)
}

// decide returns the state at this moment. The first rule that fits decides.
func (what *known) decide() State {
	now := what.clock.now()
	state := State{
		Facts: what.stored.Facts.shown(), Clock: what.clock.condition(), StorageProblem: what.storageProblem,
	}
	until := what.rightUntil()
	hasRight := until != nil && *until > now
	licensed := func(source string) {
		state.Status, state.MayRun, state.Source = Licensed, true, source
		if until != nil && *until != noEnd {
			state.Until = timeOf(*until)
		}
	}
	switch {
	case what.stored.Tombstone != nil:
		state.Status, state.Why, state.Since = IsRefused, what.stored.Tombstone.Code, timeOf(what.stored.Tombstone.At)
	case what.stored.LicenseKey == nil && what.file == nil:
		state.Status = Unlicensed
	case !what.coversBuild:
		state.Status, state.Why = IsRefused, "update_not_covered"
	case what.outcome == isGood:
		licensed("server")
	case hasRight && what.file != nil && what.file.Purpose != "grace":
		licensed("stored")
	case what.outcome == isWaiting:
		state.Status = Waiting
	case what.outcome == isReleased:
		state.Status = Released
	case hasRight && what.outcome == notAsked:
		licensed("stored")
	default:
		what.decideTrouble(&state, until, hasRight, now)
	}
	return state
}

// decideTrouble decides the state of an app whose service cannot be asked.
func (what *known) decideTrouble(state *State, until *int64, hasRight bool, now int64) {
	problem, since := what.problem, what.since
	if what.outcome != hasProblem {
		problem, since = Problem{"not_asked", "the service was not asked yet"}, now
	}
	state.Problem = &problem
	switch {
	case hasRight:
		state.Status, state.MayRun, state.Until, state.Since = Grace, true, timeOf(*until), timeOf(since)
	case until != nil:
		state.Status, state.Since = Lapsed, timeOf(*until)
	default:
		state.Status, state.Since = Lapsed, timeOf(since)
	}
}
