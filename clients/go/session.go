package latchkey

import (
	"context"
	"os"
	"strings"
)

const (
	// nameless is sent for a computer without a name, because the service needs one.
	nameless = "Unnamed computer"
	// smallPool is the number of seats up to which a pool gets its seats back when the app closes.
	smallPool = 10
	// activationPause is the time between two automatic activations of a machine, because all machines of a license
	// share 15 activations an hour.
	activationPause = hour
	// releasePause is the time within which an app that is restarted keeps its seat.
	releasePause = 10 * minute
)

// session makes the calls to the service, and draws the consequences of its answers. Callers run one method at a time.
type session struct {
	options     *Options
	line        *line
	record      *record
	tellRefused func(RefusedUse)
	// fullCheckDue and fileNotBefore are by the monotonic clock.
	fullCheckDue  int64
	fileNotBefore int64
}

// check checks the license. It fails without a fingerprint alone.
func (session *session) check(ctx context.Context, isAskedFor bool) error {
	if err := session.ask(ctx, isAskedFor); err != nil {
		return err
	}
	if session.record.outcome == isGood {
		session.sendUses(ctx)
	}
	return nil
}

func (session *session) ask(ctx context.Context, isAskedFor bool) error {
	record := session.record
	if err := record.load(); err != nil {
		return err
	}
	licenseKey, token := record.stored.LicenseKey, record.stored.Token
	if licenseKey == nil {
		return nil
	}
	if token == nil {
		session.join(ctx, *licenseKey)
		return nil
	}
	hasGood := record.outcome == isGood && record.coversBuild()
	isFullCheckDue := session.options.Clock.Monotonic() >= session.fullCheckDue
	if !isAskedFor && record.stored.isFloating() && hasGood && !isFullCheckDue {
		session.beat(ctx, *licenseKey, *token)
	} else {
		session.validate(ctx, *licenseKey, *token)
	}
	session.renewFile(ctx)
	return nil
}

func (session *session) checkedFully() {
	session.fullCheckDue = session.options.Clock.Monotonic() + untilDailyCheck(session.options.Random())
}

func (session *session) beat(ctx context.Context, licenseKey, token string) {
	record := session.record
	if seat := record.stored.Seat; seat != nil {
		interval := min(float64(milliseconds(session.options.Heartbeat)), float64(seat.Until-seat.BeatAt)/3)
		// Another process of this machine has renewed the shared seat.
		if float64(record.now()-seat.BeatAt) < interval/2 {
			return
		}
	}
	called := session.call(ctx, "/heartbeat", licenseKey, token, nil)
	if !called.isGood() {
		session.notGood(ctx, licenseKey, called)
		return
	}
	given := session.factsBefore(licenseKey)
	given.takeHeartbeat(called.reply)
	record.accept(called.reply, called.serverTime, &given, func(*storedState) {})
}

func (session *session) validate(ctx context.Context, licenseKey, token string) {
	fields := session.buildFields()
	fields["acceptsReplacement"] = true
	called := session.call(ctx, "/validate", licenseKey, token, fields)
	if called.isOfReplacedKey() {
		session.refused(called)
		return
	}
	if !called.isGood() {
		session.notGood(ctx, licenseKey, called)
		return
	}
	session.checkedFully()
	newKey, hasKey := called.reply["licenseKey"].(string)
	newToken, hasToken := called.reply["sessionToken"].(string)
	if hasKey && hasToken {
		if !session.move(licenseKey, newKey, newToken) {
			return
		}
		licenseKey, token = newKey, newToken
	} else if newToken, isNew := called.reply["newToken"].(string); isNew {
		token = newToken
	}
	given := session.factsBefore(licenseKey)
	given.takeCheck(called.reply)
	session.record.accept(called.reply, called.serverTime, &given, func(state *storedState) { state.Token = &token })
}

// move stores the key that took the place of the stored one. It returns false if another process has stored a third.
func (session *session) move(from, licenseKey, token string) bool {
	given := session.factsBefore(from)
	given.LicenseKeyHint = hintOf(licenseKey)
	session.record.keep(func(state *storedState) {
		state.LicenseKey, state.Token, state.Facts = &licenseKey, &token, &given
	})
	return same(session.record.stored.LicenseKey, &licenseKey)
}

func (session *session) factsBefore(licenseKey string) facts {
	if session.record.stored.Facts != nil {
		return *session.record.stored.Facts
	}
	return facts{LicenseKeyHint: hintOf(licenseKey), ProductID: session.options.ProductID}
}

// buildFields name this build.
func (session *session) buildFields() object {
	fields := object{}
	if session.options.BuildDate != "" {
		fields["buildDate"] = session.options.BuildDate
	}
	if session.options.Version != "" {
		fields["version"] = session.options.Version
	}
	return fields
}

func (session *session) hostname() string {
	name := ""
	if session.options.Hostname != nil {
		name = *session.options.Hostname
	} else {
		name, _ = os.Hostname()
	}
	if strings.TrimSpace(name) == "" {
		return nameless
	}
	return name
}

// machineFields name the machine, the product and the build.
func (session *session) machineFields() object {
	fields := session.buildFields()
	fields["machineFingerprint"] = session.record.fingerprint
	fields["hostname"] = session.hostname()
	fields["productId"] = session.options.ProductID
	return fields
}

// userFields name the person who uses the app, too, if it is known.
func (session *session) userFields() object {
	fields := session.machineFields()
	if find := session.options.User; find != nil {
		if user := find(); user != "" {
			fields["user"] = user
		}
	}
	return fields
}

func (session *session) call(ctx context.Context, endpoint, licenseKey, token string, more object) *called {
	fields := object{"licenseKey": licenseKey, "token": token, "machineFingerprint": session.record.fingerprint}
	for name, value := range more {
		fields[name] = value
	}
	return session.line.call(ctx, endpoint, fields)
}

func (session *session) callActivate(ctx context.Context, licenseKey string) *called {
	fields := session.userFields()
	fields["licenseKey"] = licenseKey
	return session.line.call(ctx, "/activate", fields)
}

func (session *session) callVerify(ctx context.Context, licenseKey string) *called {
	return session.line.call(ctx, "/verify", object{"licenseKey": licenseKey, "productId": session.options.ProductID})
}

// notGood handles an answer to a check that is not good.
func (session *session) notGood(ctx context.Context, licenseKey string, called *called) {
	if called.problem != nil {
		session.record.miss(*called.problem, called.retryAfter)
		return
	}
	token := session.record.stored.Token
	switch code := called.refusal.code; {
	case called.isOfReplacedKey() && token != nil:
		session.validate(ctx, licenseKey, *token)
	case code == "machine_not_activated":
		session.rejoin(ctx, licenseKey, "slot")
	case code == "invalid_token" || code == "token_mismatch":
		session.rejoin(ctx, licenseKey, "token")
	default:
		session.refused(called)
	}
}

// rejoin activates a machine again that has lost its slot, its seat or its token, within the limit.
func (session *session) rejoin(ctx context.Context, licenseKey, lost string) {
	record := session.record
	activatedAt := record.stored.ActivatedAt
	mayAsk := lost == "token" || record.stored.isFloating() || !session.options.AsksToReactivate
	isSoon := activatedAt != nil && max(record.now()-*activatedAt, *activatedAt-record.now()) < activationPause
	if mayAsk && !isSoon {
		session.join(ctx, licenseKey)
		return
	}
	if lost == "slot" {
		isFull, isKnown := true, true
		if mayAsk {
			isFull, isKnown = session.isFull(ctx, licenseKey)
		}
		if !isKnown {
			return
		}
		if isFull {
			record.lose(record.lostSlot())
			return
		}
		// Another process may have deactivated the license in the meantime.
		if record.load() != nil || !same(record.stored.LicenseKey, &licenseKey) {
			return
		}
	}
	record.miss(Problem{"token", "the service does not know the " + lost + " of this machine any more"}, nil)
}

// isFull tells whether every slot is taken. It is not known if the answer has settled the state already.
func (session *session) isFull(ctx context.Context, licenseKey string) (isFull, isKnown bool) {
	called := session.callVerify(ctx, licenseKey)
	switch {
	case called.isGood():
		session.record.clock.learn(called.serverTime)
		used, _ := wholeIn(called.reply["machinesUsed"])
		most, _ := wholeIn(called.reply["maxMachines"])
		return most >= 0 && used >= most, true
	case called.problem != nil:
		session.record.miss(*called.problem, called.retryAfter)
	default:
		session.refused(called)
	}
	return false, false
}

// join activates with the stored key, but only if that can succeed, because attempts are limited.
func (session *session) join(ctx context.Context, licenseKey string) {
	record := session.record
	if record.stored.Tombstone != nil || record.outcome == isWaiting {
		isFull, isKnown := session.isFull(ctx, licenseKey)
		if !isKnown {
			return
		}
		if record.outcome == isWaiting && isFull {
			record.lose(record.lostSlot())
			return
		}
	}
	called := session.callActivate(ctx, licenseKey)
	if called.isGood() {
		session.activated(licenseKey, called)
		return
	}
	if called.problem != nil {
		record.miss(*called.problem, called.retryAfter)
		return
	}
	now := record.now()
	if record.keep(func(state *storedState) { state.ActivatedAt = &now }) {
		session.refused(called)
	}
}

func (session *session) activated(licenseKey string, called *called) {
	session.checkedFully()
	now := session.record.now()
	if called.serverTime != nil {
		now = *called.serverTime
	}
	given := session.factsBefore(licenseKey)
	given.takeActivation(called.reply, now)
	token := called.reply["token"].(string)
	session.record.accept(called.reply, called.serverTime, &given, func(state *storedState) {
		state.Token, state.ActivatedAt = &token, &now
	})
}

// refused handles a refusal of a license that was accepted on this machine before.
func (session *session) refused(called *called) {
	record, refusal := session.record, called.refusal
	if refusal.code == "license_expired" && session.isExpiredByAWrongClock(called.serverTime) {
		detail := "by the clock of the service, which is ahead, the license has expired"
		record.miss(Problem{"clock", detail}, nil)
		return
	}
	record.clock.learn(called.serverTime)
	switch refusal.code {
	case "license_replaced", "license_revoked", "license_expired", "wrong_product":
		record.refuse(refusal.code)
	case "machine_limit":
		record.lose(record.lostSlot())
	case "user_limit":
		record.lose(isReleased)
	case "license_not_found":
		// The license existed when it was activated. The service has lost it, as after restoring an old backup, and the
		// customer has paid.
		record.miss(Problem{"license_not_found", "the service does not know the license any more"}, nil)
	case "activation_rate":
		record.miss(Problem{"busy", refusal.text}, refusal.retryAfter)
	case "update_not_covered":
		if !record.leaveUncovered(refusal.fields) {
			record.miss(Problem{"request", refusal.text}, nil)
		}
	default:
		record.miss(Problem{"request", refusal.text}, nil)
	}
}

// isExpiredByAWrongClock tells whether the license has expired only by a clock of the service that is more than a day
// ahead. A user who sets the machine's clock back to get here gains no more than from an outage.
func (session *session) isExpiredByAWrongClock(serverTime *int64) bool {
	record := session.record
	if record.stored.Facts == nil || serverTime == nil {
		return false
	}
	expires, now := isoOrNil(record.stored.Facts.LicenseExpiresAt), record.now()
	return expires != nil && now < *expires && *expires <= *serverTime && *serverTime-now > day
}

// activate takes a key that the user entered, or takes a slot again.
func (session *session) activate(ctx context.Context, given string) error {
	record := session.record
	if err := record.load(); err != nil {
		return err
	}
	licenseKey := strings.TrimSpace(given)
	if licenseKey == "" {
		if record.stored.LicenseKey == nil {
			return ErrNoLicenseKey
		}
		licenseKey = *record.stored.LicenseKey
	}
	isSame := same(record.stored.LicenseKey, &licenseKey)
	called := session.callActivate(ctx, licenseKey)
	if called.problem != nil {
		if isSame {
			record.miss(*called.problem, called.retryAfter)
		}
		return &Unreachable{*called.problem}
	}
	if called.isGood() {
		session.acceptKey(ctx, licenseKey, called)
		session.sendUses(ctx)
		return nil
	}
	if called.refusal.code == "machine_limit" && session.isFloating(ctx, licenseKey, called.refusal) {
		session.wait(licenseKey, isSame)
		return nil
	}
	switch {
	case !isSame:
		record.clock.learn(called.serverTime)
	case called.isOfReplacedKey():
		session.notGood(ctx, licenseKey, called)
		if !same(record.stored.LicenseKey, &licenseKey) {
			session.renewFile(ctx)
			session.sendUses(ctx)
			return nil
		}
		if record.outcome == hasProblem {
			return &Unreachable{record.problem}
		}
	default:
		session.refused(called)
	}
	return called.refusal.asError()
}

// wait takes over the key of a floating license without a free seat.
func (session *session) wait(licenseKey string, isSame bool) {
	if !isSame {
		session.putKey(licenseKey)
	}
	given, floating := session.factsBefore(licenseKey), "floating"
	given.LicenseType = &floating
	if session.record.keep(func(state *storedState) { state.Facts, state.Tombstone = &given, nil }) {
		session.record.lose(session.record.lostSlot())
	}
}

// startTrial takes a trial, unless the app may run.
func (session *session) startTrial(ctx context.Context, variant, email string) error {
	record := session.record
	if err := record.load(); err != nil {
		return err
	}
	if record.known().decide().MayRun {
		return nil
	}
	fields := session.userFields()
	if variant != "" {
		fields["variant"] = variant
	}
	if email != "" {
		fields["email"] = email
	}
	called := session.line.call(ctx, "/startTrial", fields)
	if called.problem != nil {
		return &Unreachable{*called.problem}
	}
	if !called.isGood() {
		record.clock.learn(called.serverTime)
		return called.refusal.asError()
	}
	session.acceptKey(ctx, called.reply["licenseKey"].(string), called)
	return nil
}

func (session *session) acceptKey(ctx context.Context, licenseKey string, called *called) {
	if !same(session.record.stored.LicenseKey, &licenseKey) {
		session.putKey(licenseKey)
	}
	session.activated(licenseKey, called)
	session.renewFile(ctx)
}

// putKey replaces the license. A file that was imported for the new one stays.
func (session *session) putKey(licenseKey string) {
	record := session.record
	state := emptyState()
	state.LicenseKey, state.KeyLists = &licenseKey, record.stored.KeyLists
	if isKeyOfFile(&licenseKey, record.file) {
		state.File = record.stored.File
	}
	record.replace(state)
}

// isFloating tells whether a license without a free slot is a floating one.
func (session *session) isFloating(ctx context.Context, licenseKey string, refusal *refusal) bool {
	if named, isNamed := refusal.fields["licenseType"].(string); isNamed {
		return named == "floating"
	}
	stored := &session.record.stored
	if same(stored.LicenseKey, &licenseKey) && stored.Facts != nil && stored.Facts.LicenseType != nil {
		return stored.isFloating()
	}
	called := session.callVerify(ctx, licenseKey)
	return called.isGood() && called.reply["licenseType"] == "floating"
}

// deactivate frees the slot and forgets the license. Without an answer nothing has changed.
func (session *session) deactivate(ctx context.Context) error {
	record := session.record
	if err := record.load(); err != nil {
		return err
	}
	session.sendUses(ctx)
	licenseKey, token := record.stored.LicenseKey, record.stored.Token
	if licenseKey != nil && token != nil {
		called := session.callDeactivate(ctx, *licenseKey, *token)
		ownKey := record.stored.LicenseKey
		if called.refusal != nil && called.refusal.code == "invalid_token" && ownKey != nil {
			// Only a token of the present activation frees the slot.
			again := session.callActivate(ctx, *ownKey)
			if again.isGood() {
				called = session.call(ctx, "/deactivate", *ownKey, again.reply["token"].(string), nil)
			} else if again.problem != nil {
				called = again
			}
		}
		if called.problem != nil {
			return &Unreachable{*called.problem}
		}
	}
	record.replace(emptyState())
	return nil
}

// giveSeatBack gives a floating seat back if others may need it, and keeps the license.
func (session *session) giveSeatBack(ctx context.Context) {
	record, release := session.record, session.options.Release
	if record.load() != nil {
		return
	}
	stored := record.stored
	if !stored.isFloating() || stored.LicenseKey == nil || stored.Token == nil || release == ReleaseNever {
		return
	}
	seats := stored.Facts.MaxMachines
	isSmall := seats != nil && *seats >= 0 && *seats <= smallPool
	isFresh := stored.ActivatedAt != nil && record.now()-*stored.ActivatedAt < releasePause
	if release == ReleaseSmallPools && (!isSmall || isFresh) {
		return
	}
	if session.callDeactivate(ctx, *stored.LicenseKey, *stored.Token).isGood() {
		record.keep(func(state *storedState) { state.Token, state.Seat = nil, nil })
	}
}

// callDeactivate frees the slot or the seat; if the key was replaced, with the one that took its place.
func (session *session) callDeactivate(ctx context.Context, licenseKey, token string) *called {
	called := session.call(ctx, "/deactivate", licenseKey, token, nil)
	if !called.isOfReplacedKey() {
		return called
	}
	session.notGood(ctx, licenseKey, called)
	if session.record.outcome == hasProblem {
		return prevented(session.record)
	}
	newKey, newToken := session.record.stored.LicenseKey, session.record.stored.Token
	if newKey == nil || *newKey == licenseKey || newToken == nil {
		return called
	}
	return session.call(ctx, "/deactivate", *newKey, *newToken, nil)
}

// importFile takes over a license file.
func (session *session) importFile(text string) error {
	record := session.record
	if err := record.load(); err != nil {
		return err
	}
	now := record.now()
	file, err := record.verify(text, &now, record.stored.KeyLists)
	if err != nil {
		return err
	}
	refusedAt := record.stored.Tombstone
	if refusedAt != nil && file.Issued.UnixMilli() <= refusedAt.At {
		return bad("refused", "the license was refused after this file was made")
	}
	state := emptyState()
	state.KeyLists = record.stored.KeyLists
	if isKeyOfFile(record.stored.LicenseKey, file) {
		state = record.stored
	}
	state.File, state.Facts, state.Tombstone = &text, factsOfFile(file, record.now()), nil
	record.replace(state)
	return nil
}
