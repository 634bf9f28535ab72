package latchkey

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"slices"
)

const mostUnits = 1_000_000_000

// isAboutUse tells whether an answer refuses a use alone. Any other refusal is about the license, the machine or its
// token.
func (what *called) isAboutUse() bool {
	if what.refusal == nil {
		return false
	}
	switch what.refusal.code {
	case "meter_limit", "meter_not_found", "request_id_reused", "missing_fields", "invalid_field":
		return true
	}
	return false
}

// consume counts a use, or stores it. After an error, nothing was counted or stored.
func (session *session) consume(ctx context.Context, given Use) (Consumption, error) {
	record := session.record
	if given.Units < 0 || given.Units > mostUnits {
		return Consumption{}, ErrInvalidUnits
	}
	if err := record.load(); err != nil {
		return Consumption{}, err
	}
	if record.stored.LicenseKey == nil {
		return Consumption{}, ErrNoLicenseKey
	}
	if given.RequestID == "" {
		given.RequestID = newRequestID()
	}
	use := storedUse{given.Meter, given.Units, given.RequestID, record.now()}
	// A use that has no answer may have been counted. Later ones wait behind it, so that only one is ever in doubt.
	called := session.sendUses(ctx)
	if called == nil {
		called = session.callUse(ctx, &use)
	}
	switch {
	case called.isGood():
		return countedIn(given, called.reply), nil
	case called.refusal != nil:
		return Consumption{}, called.refusal.asError()
	case use.Units > 0 && session.storeUse(use):
		return Consumption{Use: given, IsQueued: true}, nil
	}
	return Consumption{}, &Unreachable{*called.problem}
}

// sendUses sends the stored uses in their order. It returns the answer that says nothing about a use; nil once none is
// left.
func (session *session) sendUses(ctx context.Context) *called {
	record := session.record
	for len(record.stored.Uses) > 0 {
		use := record.stored.Uses[0]
		called := session.callUse(ctx, &use)
		if !called.isGood() {
			if !called.isAboutUse() {
				return called
			}
			session.tellRefused(RefusedUse{Use{use.Meter, use.Units, use.RequestID}, called.refusal.code})
		}
		record.keep(func(state *storedState) {
			isSent := func(each storedUse) bool { return each.RequestID == use.RequestID }
			state.Uses = slices.DeleteFunc(slices.Clone(state.Uses), isSent)
		})
	}
	return nil
}

// storeUse stores a use, if the app may run and there is room.
func (session *session) storeUse(use storedUse) bool {
	record, most := session.record, session.options.OfflineUses
	has := func(state *storedState) bool {
		isSame := func(each storedUse) bool { return each.RequestID == use.RequestID }
		return slices.ContainsFunc(state.Uses, isSame)
	}
	isRoom := len(record.stored.Uses) < most || has(&record.stored)
	if !record.known().decide().MayRun || !isRoom {
		return false
	}
	isKept := record.keep(func(state *storedState) {
		// Another process may have stored uses since, even the last one for which there was room; the same use is stored
		// once.
		if len(state.Uses) < most && !has(state) {
			state.Uses = append(slices.Clone(state.Uses), use)
		}
	})
	return isKept && has(&record.stored)
}

// callUse calls the service, a second time if the machine got another token meanwhile.
func (session *session) callUse(ctx context.Context, use *storedUse) *called {
	record := session.record
	if record.stored.Token == nil {
		// Without a fingerprint, the machine cannot join.
		_ = session.ask(ctx, true)
	}
	first := session.callUseOnce(ctx, use)
	licenseKey, token := record.stored.LicenseKey, record.stored.Token
	if first.isGood() || first.isAboutUse() || licenseKey == nil || token == nil {
		return first
	}
	session.notGood(ctx, *licenseKey, first)
	if first.isOfReplacedKey() && record.outcome == hasProblem {
		return prevented(record)
	}
	present := &record.stored
	// The key that took the place of the sent one counts the same use once.
	isSame := first.isOfReplacedKey() || same(present.LicenseKey, licenseKey)
	if isSame && present.Token != nil && !same(present.Token, token) {
		return session.callUseOnce(ctx, use)
	}
	return first
}

func (session *session) callUseOnce(ctx context.Context, use *storedUse) *called {
	record := session.record
	licenseKey, token := record.stored.LicenseKey, record.stored.Token
	if licenseKey == nil || token == nil {
		// The machine could not join.
		if record.outcome == hasProblem {
			return prevented(record)
		}
		return &called{refusal: &refusal{code: "machine_not_activated", text: "Machine not activated"}}
	}
	fields := object{"meter": use.Meter, "units": use.Units}
	// Asking counts nothing, and needs no id.
	if use.Units > 0 {
		fields["requestId"] = use.RequestID
	}
	called := session.call(ctx, "/consume", *licenseKey, *token, fields)
	if called.isGood() || called.isAboutUse() {
		record.clock.learn(called.serverTime)
	}
	return called
}

func countedIn(use Use, reply object) Consumption {
	use.Meter = reply["meter"].(string)
	used, _ := wholeIn(reply["used"])
	limit, _ := wholeIn(reply["limit"])
	return Consumption{
		Use: use, Used: used, Limit: limit, Remaining: wholeOrNil(reply["remaining"]),
		ResetsAt: timeOrZero(textOrNil(reply["resetsAt"])),
	}
}

func newRequestID() string {
	var bytes [16]byte
	// It never fails on the supported systems.
	_, _ = rand.Read(bytes[:])
	return base64.RawURLEncoding.EncodeToString(bytes[:])
}
