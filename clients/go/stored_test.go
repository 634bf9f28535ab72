package latchkey

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
)

func pointer[Value any](value Value) *Value { return &value }

// wholeState has every field.
func wholeState() *storedState {
	return &storedState{
		V: 1, LicenseKey: pointer("AAAAA-BBBBB"), Token: pointer("t"), File: pointer("f"), KeyLists: []string{"l"},
		Facts: &facts{
			LicenseExpiresAt: pointer("2027-01-01T00:00:00.000Z"), Features: object{"export": true, "seats": 3.0},
		},
		LastGoodAt: pointer(int64(1)), Tombstone: &tombstone{"license_revoked", 2}, Seat: &seat{3, 4},
		ActivatedAt: pointer(int64(5)), Times: knownTimes{&moment{6, 7}, &moment{8, 9}, &moment{10, 11}},
		Uses: []storedUse{{"exports", 1, "id", 12}},
	}
}

func TestAWrittenStateIsRead(t *testing.T) {
	empty := emptyState()
	for _, state := range []*storedState{&empty, wholeState()} {
		if read := readState(jsonOf(state)); !reflect.DeepEqual(read, state) {
			t.Errorf("%s is read as %s", jsonOf(state), jsonOf(read))
		}
	}
}

// with returns the text of the whole state with another value of a field, a JSON text; absent if it is empty.
func with(t *testing.T, path, value string) string {
	var fields object
	if err := json.Unmarshal([]byte(jsonOf(wholeState())), &fields); err != nil {
		t.Fatal(err)
	}
	inner, name := fields, path
	if before, after, isNested := strings.Cut(path, "."); isNested {
		inner, name = fields[before].(object), after
	}
	delete(inner, name)
	if value != "" {
		inner[name] = json.RawMessage(value)
	}
	return jsonOf(fields)
}

func TestOtherTypesAreUnreadable(t *testing.T) {
	for _, change := range [][2]string{
		{"v", "2"}, {"v", "true"}, {"licenseKey", "1"}, {"facts", "[]"}, {"facts.maxMachines", "true"},
		{"facts.licenseExpiresAt", `"soon"`}, {"facts.features", `{"a": null}`}, {"facts.licenseKeyHint", "null"},
		{"keyLists", `"l"`}, {"keyLists", "[1]"}, {"lastGoodAt", "9e15"}, {"tombstone", `{"code": "license_revoked"}`},
		{"seat", `{"until": "1", "beatAt": 2}`}, {"times", "null"}, {"times.seen", ""}, {"times.seen", "[]"},
		{"uses", "[null]"}, {"uses", `[{"meter": "m", "units": -1, "requestId": "r", "at": 1}]`}, {"uses", "null"},
		{"token", ""}, {"facts", ""}, {"file", ""}, {"keyLists", ""}, {"seat", ""}, {"activatedAt", ""},
	} {
		if read := readState(with(t, change[0], change[1])); read != nil {
			t.Errorf("%s %s is read", change[0], change[1])
		}
	}
	for _, change := range [][2]string{
		{"unknown", "[1]"}, {"uses", ""}, {"facts.features", ""}, {"facts.maxVersion", ""}, {"later", "1e400"},
	} {
		if readState(with(t, change[0], change[1])) == nil {
			t.Errorf("%s %s is not read", change[0], change[1])
		}
	}
}

func FuzzStoredState(f *testing.F) {
	f.Add(jsonOf(wholeState()))
	f.Add(`{"v":1}`)
	f.Add(strings.Repeat("[", 100_000))
	f.Fuzz(func(t *testing.T, text string) {
		state := readState(text)
		if state == nil {
			return
		}
		if again := readState(jsonOf(state)); !reflect.DeepEqual(again, state) {
			t.Fatalf("%q is written as %q", text, jsonOf(state))
		}
		state.Facts.shown()
	})
}

func TestTimes(t *testing.T) {
	for text, at := range map[string]int64{
		"1970-01-01T00:00:00.000Z": 0, "1970-01-02": day, "2024-02-29T12:00Z": 1_709_208_000_000,
		"1970-01-01T01:00:00.5+01:00": 500, "0000-01-01T00:00:00.000Z": earliest, "9999-12-31T23:59:59.999Z": latest,
	} {
		if read, isTime := readISO(text); !isTime || read != at {
			t.Errorf("%s is read as %d, %v", text, read, isTime)
		}
	}
	for _, text := range []string{"", "soon", "2023-02-29", "2024-13-01", "2024-01-01T25:00Z", "2024-01-01T00:00"} {
		if read, isTime := readISO(text); isTime {
			t.Errorf("%q is read as %d", text, read)
		}
	}
	if iso(latest+1) != "9999-12-31T23:59:59.999Z" || iso(earliest-1) != "0000-01-01T00:00:00.000Z" {
		t.Error("times are not held to four digits")
	}
}
