package latchkey

import (
	"encoding/json"
	"math"
	"strings"
)

// largestWhole is the last whole number that every language which shares the stored state has.
const largestWhole = 1<<53 - 1

// object is a JSON object whose numbers are float64.
type object = map[string]any

// parseObject returns the object of a JSON text, and nil for any other text.
func parseObject(text string) object {
	if !json.Valid([]byte(text)) {
		return nil
	}
	decoder := json.NewDecoder(strings.NewReader(text))
	// A number that no float64 has must not make the rest of the text unreadable.
	decoder.UseNumber()
	var value object
	if decoder.Decode(&value) != nil || value == nil {
		return nil
	}
	return withFloats(value).(object)
}

func withFloats(value any) any {
	switch value := value.(type) {
	case json.Number:
		number, err := value.Float64()
		if err != nil {
			return math.Inf(1)
		}
		return number
	case object:
		for name, part := range value {
			value[name] = withFloats(part)
		}
	case []any:
		for index, part := range value {
			value[index] = withFloats(part)
		}
	}
	return value
}

// wholeIn returns a whole number that every language has.
func wholeIn(value any) (int64, bool) {
	number, isNumber := value.(float64)
	if !isNumber || math.Abs(number) > largestWhole || number != math.Trunc(number) {
		return 0, false
	}
	return int64(number), true
}

// wholeOrNil is wholeIn for a number that may be absent.
func wholeOrNil(value any) *int64 {
	if number, isWhole := wholeIn(value); isWhole {
		return &number
	}
	return nil
}

func textOrNil(value any) *string {
	if text, isText := value.(string); isText {
		return &text
	}
	return nil
}

// same tells whether two values are equal or both absent.
func same[Value comparable](one, other *Value) bool {
	if one == nil || other == nil {
		return one == other
	}
	return *one == *other
}

// jsonOf writes a value that JSON can hold.
func jsonOf(value any) string {
	text, err := json.Marshal(value)
	if err != nil {
		panic(err)
	}
	return string(text)
}
