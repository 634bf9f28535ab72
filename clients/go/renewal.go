package latchkey

import "context"

// filePause is the pause before another request for a license file that could not be had.
const filePause = hour

// renewFile fetches a newer license file when it is due. On failure nothing changes, and the app goes on with its present
// one.
func (session *session) renewFile(ctx context.Context) {
	record, clock := session.record, session.options.Clock
	licenseKey, token := record.stored.LicenseKey, record.stored.Token
	isAsked := record.needsFile() && record.coversBuild() && record.outcome == isGood
	if !isAsked || licenseKey == nil || token == nil {
		return
	}
	if clock.Monotonic() < session.fileNotBefore || !session.isFileDue() {
		return
	}
	session.fileNotBefore = clock.Monotonic() + filePause
	called := session.call(ctx, "/issueLicenseFile", *licenseKey, *token, nil)
	if called.refusal != nil && called.refusal.code == "license_files_not_offered" {
		session.fileNotBefore = clock.Monotonic() + day
	}
	if !called.isGood() {
		return
	}
	text := called.reply["licenseFile"].(string)
	keyLists, isGenuine := session.keyListsFor(ctx, text)
	if isGenuine {
		record.keep(func(state *storedState) { state.File, state.KeyLists = &text, keyLists })
		session.fileNotBefore = 0
	}
}

// isFileDue tells whether none is stored, its renewal has come, the license or its key has changed, or the file is from
// the future.
func (session *session) isFileDue() bool {
	record := session.record
	file, now := record.file, record.now()
	if file == nil {
		return true
	}
	if file.Purpose != "grace" {
		return false
	}
	var expires, updates *int64
	if stored := record.stored.Facts; stored != nil {
		expires, updates = secondsOf(stored.LicenseExpiresAt), secondsOf(stored.UpdatesUntil)
	}
	isOther := !same(expires, wholeOrNil(file.Claims["licenseExpiresAt"])) || !same(updates, wholeOrNil(file.Claims["updatesUntil"]))
	isOfFormerKey := !isKeyOfFile(record.stored.LicenseKey, file)
	return now >= file.RenewAfter.UnixMilli() || isOther || isOfFormerKey || file.Issued.UnixMilli() > now+day
}

// keyListsFor returns the lists of signing keys that prove a file genuine.
func (session *session) keyListsFor(ctx context.Context, text string) (lists []string, isGenuine bool) {
	record := session.record
	if _, err := record.verify(text, nil, record.stored.KeyLists); err == nil {
		return record.stored.KeyLists, true
	}
	// Published lists first: any of them leads to all keys, while the stored ones lead to some.
	candidates := append(session.line.keyLists(ctx), record.stored.KeyLists...)
	if _, err := record.verify(text, nil, candidates); err != nil {
		return nil, false
	}
	_, useful := record.follow(candidates)
	return useful, true
}

// secondsOf returns the time of a text in seconds since 1970, as license files have it.
func secondsOf(text *string) *int64 {
	at := isoOrNil(text)
	if at == nil {
		return nil
	}
	seconds := *at / second
	if *at%second < 0 {
		seconds--
	}
	return &seconds
}
