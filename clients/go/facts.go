package latchkey

import (
	"regexp"
	"strings"
)

var notOfKeys = regexp.MustCompile(`[^A-Z0-9]`)

// hintOf returns the last group of a license key, or the last four characters of a key without groups.
func hintOf(licenseKey string) string {
	key := strings.ToUpper(strings.TrimSpace(licenseKey))
	if end := strings.LastIndex(key, "-"); end >= 0 {
		return key[end+1:]
	}
	return key[max(0, len(key)-4):]
}

// isKeyOfFile tells whether a key, in any spelling, can be the one that a file names.
func isKeyOfFile(licenseKey *string, file *LicenseFile) bool {
	bare := func(text string) string { return notOfKeys.ReplaceAllString(strings.ToUpper(text), "") }
	return licenseKey != nil && file != nil && strings.HasSuffix(bare(*licenseKey), bare(file.KeyHint))
}

func isoTextIn(value any) *string {
	if isISO(value) {
		return textOrNil(value)
	}
	return nil
}

func numberIn(value any) *float64 {
	if number, isNumber := value.(float64); isNumber {
		return &number
	}
	return nil
}

// cover takes over the covered builds, as an answer or a refusal states them. One of another type counts as absent.
func (stored *facts) cover(reply object) {
	stored.UpdatesUntil, stored.MaxVersion = isoTextIn(reply["updatesUntil"]), textOrNil(reply["maxVersion"])
}

// takeHeartbeat takes over what an answer of /heartbeat says, which every good answer of the other endpoints does, too.
func (stored *facts) takeHeartbeat(reply object) {
	stored.GraceUntil, stored.Features = isoTextIn(reply["graceUntil"]), featuresIn(reply["features"])
}

func (stored *facts) takeCommon(reply object) {
	stored.takeHeartbeat(reply)
	stored.cover(reply)
	stored.Variant, stored.LicenseExpiresAt = textOrNil(reply["variant"]), isoTextIn(reply["licenseExpiresAt"])
	if licenseType := textOrNil(reply["licenseType"]); licenseType != nil {
		stored.LicenseType = licenseType
	}
}

// takeActivation adopts the facts of an answer of /activate.
func (stored *facts) takeActivation(reply object, now int64) {
	stored.takeCommon(reply)
	stored.DaysRemaining = daysUntil(isoOrNil(stored.LicenseExpiresAt), now)
	stored.MachinesUsed, stored.MaxMachines = numberIn(reply["machinesUsed"]), numberIn(reply["maxMachines"])
}

// takeCheck adopts the facts of an answer of /validate.
func (stored *facts) takeCheck(reply object) {
	stored.takeCommon(reply)
	stored.ProductID, stored.DaysRemaining = reply["productId"].(string), numberIn(reply["daysRemaining"])
}

// factsOfFile returns the facts in a license file.
func factsOfFile(file *LicenseFile, now int64) *facts {
	stated := termsOfFile(file)
	var expires *int64
	isoOf := func(at *int64) *string {
		if at == nil {
			return nil
		}
		text := iso(*at)
		return &text
	}
	if !file.LicenseExpires.IsZero() {
		at := file.LicenseExpires.UnixMilli()
		expires = &at
	}
	return &facts{
		LicenseKeyHint: file.KeyHint, ProductID: file.ProductID, Variant: &file.Variant, LicenseType: &file.LicenseType,
		LicenseExpiresAt: isoOf(expires), DaysRemaining: daysUntil(expires, now),
		MaxMachines: numberIn(file.Claims["maxMachines"]), UpdatesUntil: isoOf(stated.updatesUntil),
		MaxVersion: stated.maxVersion, Features: featuresIn(file.Claims["features"]),
	}
}

// daysUntil rounds up to whole days, like the service. It subtracts a second, because the Date header omits fractions.
func daysUntil(expires *int64, now int64) *float64 {
	if expires == nil {
		return nil
	}
	days := float64(max(0, (*expires-now-second+day-1)/day))
	return &days
}
