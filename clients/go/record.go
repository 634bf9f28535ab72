package latchkey

import (
	"time"
)

// record is everything known about the license on this machine: the stored state, the verified file, and the outcome of
// the last call. Callers run one method at a time.
type record struct {
	options         *Options
	build           build
	keeper          *keeper
	clock           trustedClock
	findFingerprint func() (string, error)
	stored          storedState
	// file is the verified file, which may have expired.
	file *LicenseFile
	// fingerprint is empty before a load that did not fail.
	fingerprint        string
	fingerprintProblem string
	outcome            outcome
	problem            Problem
	problemSince       int64
	// answeredAt and answeredTerms are the time of this process's last good answer, and the terms in it.
	answeredAt    *int64
	answeredTerms *terms
	failures      int
	polls         int
	// notBefore is by the monotonic clock: no call before it, even if the user asks for one.
	notBefore int64
	// outcomes counts the outcomes that began.
	outcomes int
}

func milliseconds(duration time.Duration) int64 { return duration.Milliseconds() }

// known returns what decides the state, at this moment.
func (record *record) known() *known {
	grace := record.options.Grace
	if record.stored.isFloating() {
		grace = record.options.FloatingGrace
	}
	problem := record.keeper.problem
	if problem == "" {
		problem = record.fingerprintProblem
	}
	return &known{
		stored: record.stored, file: record.file, needsFile: record.needsFile(), answeredAt: record.answeredAt,
		outcome: record.outcome, problem: record.problem, since: record.problemSince, grace: milliseconds(grace),
		coversBuild: record.coversBuild(), terms: record.terms(), storageProblem: problem, clock: record.clock,
	}
}

// terms returns those of an answer, else of the signed file, else of the stored facts if no signed file is needed.
func (record *record) terms() *terms {
	switch {
	case record.answeredTerms != nil:
		return record.answeredTerms
	case record.file != nil:
		return termsOfFile(record.file)
	case record.needsFile() || record.stored.Facts == nil:
		return nil
	}
	return termsOfFacts(record.stored.Facts)
}

func (record *record) coversBuild() bool {
	stated := record.terms()
	return stated == nil || stated.covers(record.build)
}

func (record *record) now() int64 { return record.clock.now() }

// needsFile tells whether only a signed file lets the app go on without the service.
func (record *record) needsFile() bool { return len(record.options.PublicKeys) > 0 }

// pause is the time until the service may be asked again.
func (record *record) pause() int64 {
	return max(0, record.notBefore-record.options.Clock.Monotonic())
}

// untilCheck is the time until the next check; nil if there is nothing to check.
func (record *record) untilCheck() *int64 {
	until := minute
	switch {
	case record.fingerprintProblem != "":
	case record.stored.LicenseKey != nil:
		until = max(record.pause(), record.untilNextCheck(record.options.Random()))
	case !record.keeper.isUnread:
		return nil
	}
	return &until
}

func (record *record) untilNextCheck(random float64) int64 {
	isFloating := record.stored.isFloating()
	isRefused := record.stored.Tombstone != nil || (record.outcome == isGood && !record.coversBuild())
	switch {
	case isRefused || record.outcome == isReleased:
		return untilRefusedCheck(random)
	case record.outcome == notAsked:
		return 0
	case record.outcome == isWaiting:
		return untilSeatPoll(record.polls, random)
	case record.outcome == hasProblem:
		return untilRetry(record.failures, isFloating, random)
	case !isFloating:
		return untilDailyCheck(random)
	}
	var left *int64
	if seat := record.stored.Seat; seat != nil {
		until := seat.Until - record.now()
		left = &until
	}
	return untilHeartbeat(milliseconds(record.options.Heartbeat), left, random)
}

// load reads the stored state, which another process may have changed, and verifies its file. It fails without a
// fingerprint, as no call and no file is of use without one; the rest of the stored state counts nevertheless.
func (record *record) load() error {
	wasNamed := record.fingerprint != ""
	failure := record.name()
	before := record.stored
	record.adopt(record.keeper.read())
	record.clock.restore(record.stored.Times)
	if record.stored.lacksTimes() {
		// Only in this case, as these moments may come from a clock that was ahead and has been corrected.
		record.clock.atLeast(record.stored.latest())
		if record.keeper.shared != nil {
			record.clock.atLeast(record.keeper.shared.writtenAt())
		}
	}
	isNew := record.clock.look()
	if !wasNamed || !same(record.stored.File, before.File) {
		record.readFile()
	}
	if isNew && (record.stored.LicenseKey != nil || record.file != nil) {
		record.keep(func(*storedState) {})
	}
	return failure
}

// name finds the fingerprint.
func (record *record) name() error {
	if record.fingerprint != "" {
		return nil
	}
	found, err := record.findFingerprint()
	if err == nil && found == "" {
		err = errEmptyFingerprint
	}
	if err != nil {
		failure := &NoFingerprint{err}
		record.fingerprintProblem = failure.Error()
		return failure
	}
	record.fingerprint, record.fingerprintProblem = found, ""
	return nil
}

// readFile verifies the stored file. One that is not genuine counts for nothing, and stays stored.
func (record *record) readFile() {
	record.file = nil
	if record.stored.File == nil || record.fingerprint == "" {
		return
	}
	if file, err := record.verify(*record.stored.File, nil, record.stored.KeyLists); err == nil {
		issued := file.Issued.UnixMilli()
		record.file = file
		record.clock.atLeast(&issued)
	}
}

// verify returns the content of a license file for this machine. Without now, an expired file passes.
func (record *record) verify(text string, now *int64, keyLists []string) (*LicenseFile, error) {
	keys, _ := record.follow(keyLists)
	expected := ReadOptions{
		PublicKeys: keys, Issuer: record.options.Issuer, ProductID: record.options.ProductID,
		Fingerprint: record.fingerprint,
	}
	return verifyLicenseFile(text, expected, now)
}

func (record *record) follow(keyLists []string) ([]PublicKey, []string) {
	options := record.options
	return followKeyLists(options.PublicKeys, options.Issuer, keyLists, options.StolenKeys)
}

// keep stores changes of the present state, which another process may have changed. It returns false if another process
// has stored another license, which stays then.
func (record *record) keep(change func(state *storedState)) bool {
	licenseKey, times := record.stored.LicenseKey, record.clock.times
	record.takeOver(record.keeper.update(func(present storedState) *storedState {
		if !same(present.LicenseKey, licenseKey) {
			return nil
		}
		change(&present)
		present.Times = times
		return &present
	}))
	return same(record.stored.LicenseKey, licenseKey)
}

// replace replaces the stored state.
func (record *record) replace(state storedState) {
	record.forgetLicense()
	if !state.isEmpty() {
		state.Times = record.clock.times
	}
	record.takeOver(record.keeper.update(func(storedState) *storedState { return &state }))
}

func (record *record) takeOver(state storedState) {
	file := record.stored.File
	record.adopt(state)
	if !same(state.File, file) {
		record.readFile()
	}
}

// adopt takes over a state. Answers about one license say nothing of another.
func (record *record) adopt(state storedState) {
	if !same(state.LicenseKey, record.stored.LicenseKey) {
		record.forgetLicense()
	}
	record.stored = state
}

func (record *record) forgetLicense() {
	record.forgetOutcome()
	record.answeredTerms = nil
}

func (record *record) forgetOutcome() {
	record.begin(notAsked)
	record.polls = 0
}

// begin begins an outcome, without the failures before it.
func (record *record) begin(outcome outcome) {
	record.outcome = outcome
	record.outcomes++
	record.answeredAt = nil
	record.failures = 0
	record.notBefore = 0
}

// accept takes over a good answer. seatEnds is by the clock of the service.
func (record *record) accept(reply object, serverTime *int64, given *facts, change func(state *storedState)) {
	record.clock.learn(serverTime)
	record.forgetOutcome()
	record.answeredTerms = termsOfFacts(given)
	now := record.now()
	record.outcome, record.answeredAt = isGood, &now
	var held *seat
	if ends, isHeld := isoIn(reply["sessionExpiresAt"]); isHeld {
		held = &seat{Until: ends, BeatAt: now}
		if serverTime != nil {
			held.Until += now - *serverTime
		}
	}
	record.keep(func(state *storedState) {
		state.Facts, state.LastGoodAt, state.Tombstone, state.Seat = given, &now, nil, held
		change(state)
	})
}

// refuse withdraws the app's right to run until the service accepts the license again.
func (record *record) refuse(code string) {
	now := record.now()
	record.withdraw(notAsked, func(state *storedState) {
		state.File, state.Tombstone = nil, &tombstone{code, now}
	})
}

// leaveUncovered takes over that the license does not cover this build. Older builds of this machine run on, so nothing
// else is stored. It returns false if the coverage covers the build, which contradicts the refusal.
func (record *record) leaveUncovered(reply object) bool {
	if record.stored.Facts == nil {
		return false
	}
	given := *record.stored.Facts
	given.cover(reply)
	stated := termsOfFacts(&given)
	if stated.covers(record.build) {
		return false
	}
	stated.features = nil
	if record.keep(func(state *storedState) { state.Facts = &given }) {
		record.begin(isGood)
		record.answeredTerms = stated
	}
	return true
}

// lostSlot is the outcome without a free slot: no seat of a floating license is free, or the machine has no slot any more.
func (record *record) lostSlot() outcome {
	if record.stored.isFloating() {
		return isWaiting
	}
	return isReleased
}

// lose takes over that no seat is free, or that the machine has no slot any more.
func (record *record) lose(kind outcome) {
	record.polls++
	// An operator's file is for a machine without a network, and stays valid.
	keepsFile := record.file != nil && record.file.Purpose != "grace"
	file := record.stored.File
	record.withdraw(kind, func(state *storedState) {
		state.File = nil
		if keepsFile {
			state.File = file
		}
	})
}

func (record *record) withdraw(outcome outcome, change func(state *storedState)) {
	isKept := record.keep(func(state *storedState) {
		state.LastGoodAt, state.Seat = nil, nil
		change(state)
	})
	if isKept {
		record.begin(outcome)
	}
}

// miss takes over that there was no answer, or an inconclusive one.
func (record *record) miss(problem Problem, retryAfter *int64) {
	record.failures++
	record.notBefore = record.options.Clock.Monotonic()
	if retryAfter != nil {
		record.notBefore += *retryAfter
	}
	// Disconnecting does not restore a lost seat.
	if record.outcome == isWaiting || record.outcome == isReleased {
		return
	}
	if record.outcome != hasProblem {
		record.problemSince = record.now()
		if record.answeredAt != nil {
			record.problemSince = *record.answeredAt
		} else if record.stored.LastGoodAt != nil {
			record.problemSince = *record.stored.LastGoodAt
		}
	}
	record.outcome, record.problem = hasProblem, problem
	record.outcomes++
}
