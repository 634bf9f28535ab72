package latchkey

import (
	"math"
	"regexp"
	"strconv"
	"strings"
)

// build is the build of the app; nil or empty if it does not say.
type build struct {
	date    *int64
	version string
}

// terms are the terms of a license as an answer, a license file or the stored facts state them.
type terms struct {
	features object
	// featureEnds are seconds since 1970, updatesUntil is in milliseconds.
	featureEnds  map[string]int64
	updatesUntil *int64
	maxVersion   *string
}

// feature returns the value of a feature at a time, and nil if the license does not have it.
func (stated *terms) feature(name string, now int64) any {
	if end, ends := stated.featureEnds[name]; ends && end*second <= now {
		return nil
	}
	return stated.features[name]
}

// covers tells whether the terms cover a build. A build of the very moment is covered.
func (stated *terms) covers(app build) bool {
	if stated.updatesUntil != nil && app.date != nil && *app.date > *stated.updatesUntil {
		return false
	}
	return stated.maxVersion == nil || app.version == "" || !isAbove(app.version, *stated.maxVersion)
}

func termsOfFacts(stored *facts) *terms {
	return &terms{
		features: stored.Features, updatesUntil: isoOrNil(stored.UpdatesUntil), maxVersion: stored.MaxVersion,
	}
}

// termsOfFile returns the terms in a genuine file. Those of another type count as absent, because a later service may
// have made the file.
func termsOfFile(file *LicenseFile) *terms {
	stated := &terms{
		features: featuresIn(file.Claims["features"]), featureEnds: map[string]int64{},
		maxVersion: textOrNil(file.Claims["maxVersion"]),
	}
	ends, _ := file.Claims["featureEnds"].(object)
	for name, end := range ends {
		if whole, isWhole := wholeIn(end); isWhole {
			stated.featureEnds[name] = whole
		}
	}
	if until := wholeOrNil(file.Claims["updatesUntil"]); until != nil {
		*until *= second
		stated.updatesUntil = until
	}
	return stated
}

// featuresIn returns the features in an answer or a file, without those of another type; nil without any object.
func featuresIn(value any) object {
	given, isObject := value.(object)
	if !isObject {
		return nil
	}
	features := object{}
	for name, each := range given {
		if isFeature(each) {
			features[name] = each
		}
	}
	return features
}

var versionText = regexp.MustCompile(`^\d{1,15}(\.\d{1,15})*([-+].*)?$`)

// isAbove tells whether a version is above a bound, of which only the given numbers count: 2.3.7 is not above 2.3.
func isAbove(version, bound string) bool {
	numbers := numbersOf(version)
	for index, most := range numbersOf(bound) {
		given := 0.0
		if index < len(numbers) {
			given = numbers[index]
		}
		if given != most {
			return given > most
		}
	}
	return false
}

func numbersOf(version string) []float64 {
	if end := strings.IndexAny(version, "-+"); end >= 0 {
		version = version[:end]
	}
	var numbers []float64
	for _, part := range strings.Split(version, ".") {
		number, err := strconv.ParseUint(part, 10, 50)
		if err != nil {
			// A bound that is no number covers everything.
			numbers = append(numbers, math.NaN())
		} else {
			numbers = append(numbers, float64(number))
		}
	}
	return numbers
}
