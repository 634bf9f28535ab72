package latchkey

import (
	"math"
	"unicode/utf8"
)

const (
	maxStateText = 262_144
	// mostUses is the number of uses that a state can hold.
	mostUses = 500
	// lastDate is the last moment of a date in the languages that share the state.
	lastDate = 8.64e15
)

// facts are the facts as they are stored.
type facts struct {
	LicenseKeyHint   string   `json:"licenseKeyHint"`
	ProductID        string   `json:"productId"`
	Variant          *string  `json:"variant"`
	LicenseType      *string  `json:"licenseType"`
	LicenseExpiresAt *string  `json:"licenseExpiresAt"`
	DaysRemaining    *float64 `json:"daysRemaining"`
	MachinesUsed     *float64 `json:"machinesUsed"`
	MaxMachines      *float64 `json:"maxMachines"`
	GraceUntil       *string  `json:"graceUntil"`
	UpdatesUntil     *string  `json:"updatesUntil"`
	MaxVersion       *string  `json:"maxVersion"`
	Features         object   `json:"features"`
}

// tombstone is a refusal that stays in force without a connection.
type tombstone struct {
	Code string `json:"code"`
	At   int64  `json:"at"`
}

// seat is the end of a floating seat without another heartbeat, and the time of the last one.
type seat struct {
	Until  int64 `json:"until"`
	BeatAt int64 `json:"beatAt"`
}

// storedUse is a use of a meter that waits for an answer. The service counts a RequestID once.
type storedUse struct {
	Meter     string `json:"meter"`
	Units     int64  `json:"units"`
	RequestID string `json:"requestId"`
	At        int64  `json:"at"`
}

// storedState is the state between starts: one JSON text, which the clients of all languages share, see section 2 of
// docs/apps/client-behaviour.md. Nothing in it is trusted without a check, because anything may have changed it.
type storedState struct {
	V          int        `json:"v"`
	LicenseKey *string    `json:"licenseKey"`
	Token      *string    `json:"token"`
	Facts      *facts     `json:"facts"`
	File       *string    `json:"file"`
	KeyLists   []string   `json:"keyLists"`
	LastGoodAt *int64     `json:"lastGoodAt"`
	Tombstone  *tombstone `json:"tombstone"`
	Seat       *seat      `json:"seat"`
	// ActivatedAt is the time of the last automatic call of /activate, or of the last accepted one.
	ActivatedAt *int64      `json:"activatedAt"`
	Times       knownTimes  `json:"times"`
	Uses        []storedUse `json:"uses,omitempty"`
}

func emptyState() storedState {
	return storedState{V: 1, KeyLists: []string{}}
}

func (state *storedState) isFloating() bool {
	return state.Facts != nil && state.Facts.LicenseType != nil && *state.Facts.LicenseType == "floating"
}

// lacksTimes tells whether somebody removed the times, so that only the machine's clock would count.
func (state *storedState) lacksTimes() bool {
	return (state.LicenseKey != nil || state.File != nil) && state.Times.areEmpty()
}

// latest is the newest moment apart from the times; nil without any.
func (state *storedState) latest() *int64 {
	known := []*int64{state.LastGoodAt, state.ActivatedAt}
	if state.Tombstone != nil {
		known = append(known, &state.Tombstone.At)
	}
	if state.Seat != nil {
		known = append(known, &state.Seat.BeatAt)
	}
	var newest *int64
	for _, at := range known {
		if at != nil && (newest == nil || *at > *newest) {
			newest = at
		}
	}
	return newest
}

// fieldReader reads fields, and remembers whether one has another type than it must have.
type fieldReader struct {
	fields object
	// failed is shared with the groups in the fields.
	failed *bool
}

func isNumber(value any) bool {
	number, isNumber := value.(float64)
	return isNumber && !math.IsInf(number, 0) && !math.IsNaN(number)
}

func isTime(value any) bool {
	return isNumber(value) && math.Abs(value.(float64)) <= lastDate
}

func isISO(value any) bool {
	_, isTime := isoIn(value)
	return isTime
}

func isText(value any) bool {
	_, isText := value.(string)
	return isText
}

func isObject(value any) bool {
	_, isObject := value.(object)
	return isObject
}

func isFeature(value any) bool {
	_, isBool := value.(bool)
	return isBool || isText(value) || isNumber(value)
}

// take returns a field, and nil for null or another type.
func (reader *fieldReader) take(name string, test func(any) bool) any {
	value, isPresent := reader.fields[name]
	if !isPresent || (value != nil && !test(value)) {
		*reader.failed = true
		return nil
	}
	return value
}

func (reader *fieldReader) text(name string, test func(any) bool) *string {
	return textOrNil(reader.take(name, test))
}

func (reader *fieldReader) number(name string) *float64 {
	if number, isPresent := reader.take(name, isNumber).(float64); isPresent {
		return &number
	}
	return nil
}

func (reader *fieldReader) time(name string) *int64 {
	if number, isPresent := reader.take(name, isTime).(float64); isPresent {
		at := int64(number)
		return &at
	}
	return nil
}

// group returns a reader of the fields of an object, and nil for null.
func (reader *fieldReader) group(name string) *fieldReader {
	if fields, isPresent := reader.take(name, isObject).(object); isPresent {
		return &fieldReader{fields, reader.failed}
	}
	return nil
}

// must returns a value that is not null, and the zero value otherwise.
func must[Value any](reader *fieldReader, value *Value) Value {
	if value == nil {
		*reader.failed = true
		return *new(Value)
	}
	return *value
}

func (reader *fieldReader) moment(name string) *moment {
	group := reader.group(name)
	if group == nil {
		return nil
	}
	return &moment{must(group, group.time("time")), must(group, group.time("local"))}
}

// readState returns the state of a text; nil if it is none, as after a failure of the disk.
func readState(text string) *storedState {
	if utf8.RuneCountInString(text) > maxStateText {
		return nil
	}
	reader := &fieldReader{parseObject(text), new(bool)}
	if version, _ := wholeIn(reader.fields["v"]); version != 1 {
		return nil
	}
	state := emptyState()
	state.LicenseKey, state.Token, state.File =
		reader.text("licenseKey", isText), reader.text("token", isText), reader.text("file", isText)
	state.LastGoodAt, state.ActivatedAt = reader.time("lastGoodAt"), reader.time("activatedAt")
	state.Facts = readFacts(reader)
	if group := reader.group("tombstone"); group != nil {
		state.Tombstone = &tombstone{must(group, group.text("code", isText)), must(group, group.time("at"))}
	}
	if group := reader.group("seat"); group != nil {
		state.Seat = &seat{must(group, group.time("until")), must(group, group.time("beatAt"))}
	}
	times := reader.group("times")
	lists, areLists := reader.fields["keyLists"].([]any)
	if times == nil || !areLists {
		return nil
	}
	state.Times = knownTimes{times.moment("trusted"), times.moment("confirmed"), times.moment("seen")}
	for _, list := range lists {
		state.KeyLists = append(state.KeyLists, must(reader, textOrNil(list)))
	}
	readUses(reader, &state)
	if *reader.failed {
		return nil
	}
	return &state
}

func readFacts(reader *fieldReader) *facts {
	group := reader.group("facts")
	if group == nil {
		return nil
	}
	// Earlier clients do not store the later facts.
	for _, name := range []string{"graceUntil", "updatesUntil", "maxVersion", "features"} {
		if _, isPresent := group.fields[name]; !isPresent {
			group.fields[name] = nil
		}
	}
	found := &facts{
		LicenseKeyHint: must(group, group.text("licenseKeyHint", isText)),
		ProductID:      must(group, group.text("productId", isText)),
		Variant:        group.text("variant", isText), LicenseType: group.text("licenseType", isText),
		LicenseExpiresAt: group.text("licenseExpiresAt", isISO),
		DaysRemaining:    group.number("daysRemaining"), MachinesUsed: group.number("machinesUsed"),
		MaxMachines: group.number("maxMachines"), GraceUntil: group.text("graceUntil", isISO),
		UpdatesUntil: group.text("updatesUntil", isISO), MaxVersion: group.text("maxVersion", isText),
	}
	found.Features, _ = group.take("features", isObject).(object)
	for _, value := range found.Features {
		*reader.failed = *reader.failed || !isFeature(value)
	}
	return found
}

func readUses(reader *fieldReader, state *storedState) {
	given, isPresent := reader.fields["uses"]
	if !isPresent {
		return
	}
	uses, areUses := given.([]any)
	if !areUses || len(uses) > mostUses {
		*reader.failed = true
		return
	}
	for _, each := range uses {
		fields, _ := each.(object)
		group := &fieldReader{fields, reader.failed}
		units := must(group, wholeOrNil(fields["units"]))
		state.Uses = append(state.Uses, storedUse{
			must(group, group.text("meter", isText)), units, must(group, group.text("requestId", isText)),
			must(group, group.time("at")),
		})
		*reader.failed = *reader.failed || units < 0
	}
}

// shown returns the facts as apps read them.
func (stored *facts) shown() *LicenseFacts {
	if stored == nil {
		return nil
	}
	text := func(value *string) string {
		if value == nil {
			return ""
		}
		return *value
	}
	number := func(value *float64) *int64 {
		if value == nil {
			return nil
		}
		whole := int64(*value)
		return &whole
	}
	return &LicenseFacts{
		LicenseKeyHint: stored.LicenseKeyHint, ProductID: stored.ProductID,
		Variant: text(stored.Variant), LicenseType: text(stored.LicenseType),
		LicenseExpiresAt: timeOrZero(stored.LicenseExpiresAt), DaysRemaining: number(stored.DaysRemaining),
		MachinesUsed: number(stored.MachinesUsed), MaxMachines: number(stored.MaxMachines),
		GraceUntil: timeOrZero(stored.GraceUntil), UpdatesUntil: timeOrZero(stored.UpdatesUntil),
		MaxVersion: text(stored.MaxVersion), Features: stored.Features,
	}
}
