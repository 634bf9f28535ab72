package latchkey

import (
	"regexp"
	"strconv"
	"strings"
	"time"
)

// refusal is a refusal by the service.
type refusal struct {
	code, text string
	// fields are all fields of the answer.
	fields object
	// limit is the number in the text of machine_limit and user_limit; 0 without one.
	limit int64
	// retryAfter is the pause of refusals that end by waiting, in milliseconds; nil for others.
	retryAfter *int64
}

// asError returns the refusal as apps get it.
func (refused *refusal) asError() error {
	err := &Refused{Code: refused.code, Text: refused.text, Limit: refused.limit}
	if refused.retryAfter != nil {
		err.RetryAfter = time.Duration(*refused.retryAfter) * time.Millisecond
	}
	if refused.code == "meter_limit" {
		err.ResetsAt = timeOrZero(textOrNil(refused.fields["resetsAt"]))
	}
	return err
}

// form is the status and the text that identify a refusal without the header Latchkey-Code. A form without a text does
// not distinguish it from another program's.
type form struct {
	statuses []int
	text     *regexp.Regexp
}

func formOf(text string, statuses ...int) form {
	return form{statuses, regexp.MustCompile("^(?:" + text + ")$")}
}

var forms = map[string]form{
	"license_not_found":         formOf("License not found", 404),
	"license_replaced":          formOf("License was replaced by another key", 403),
	"license_revoked":           formOf("License has been revoked", 403),
	"license_expired":           formOf("License has expired", 403),
	"wrong_product":             formOf("License is for a different product", 403),
	"machine_limit":             formOf(`Machine limit reached \((\d{1,9})\)\. Deactivate another machine first\.`, 403),
	"machine_not_activated":     formOf("Machine not activated", 403, 404),
	"activation_rate":           formOf(`Too many activation attempts\. Try again later\.`, 429),
	"invalid_token":             formOf("Invalid (?:or expired )?token", 401),
	"token_mismatch":            formOf("Token mismatch", 401),
	"license_files_not_offered": formOf("License files are not offered for this license", 403),
	"update_not_covered":        formOf("License does not cover this version", 403),
	"trial_not_offered":         formOf("This product offers no trial", 403),
	"trial_over":                formOf("Trial has ended", 403),
	"trial_rate":                formOf(`Too many trials (?:from your network|of this product)\. Try again later\.`, 429),
	"product_not_found":         formOf("Product not found", 404),
	"variant_not_found":         formOf("Variant not found", 404),
	"product_archived":          formOf("Product is archived", 409),
	"meter_limit":               formOf("Usage limit reached", 403),
	"meter_not_found":           formOf("Meter not found", 404),
	"request_id_reused":         formOf("requestId was used for other units", 422),
	"user_required":             formOf("User required", 400),
	"user_limit":                formOf(`User limit reached \((\d{1,9})\)`, 403),
	"missing_fields":            formOf(`Missing [\w ,()]+`, 400),
	"invalid_field":             {statuses: []int{400}},
}

// endsByWaiting tells whether a refusal ends by waiting.
func endsByWaiting(code string) bool {
	return code == "activation_rate" || code == "trial_rate"
}

const ofSessions = "license_not_found license_replaced license_revoked license_expired machine_not_activated " +
	"invalid_token token_mismatch"

var refusalsOf = map[string]string{
	"/activate": "license_not_found license_replaced license_revoked license_expired wrong_product update_not_covered " +
		"machine_limit activation_rate user_required user_limit",
	"/startTrial": "product_not_found variant_not_found product_archived trial_not_offered trial_rate trial_over " +
		"license_replaced license_revoked update_not_covered machine_limit activation_rate user_required user_limit",
	"/consume":          ofSessions + " meter_limit meter_not_found request_id_reused",
	"/validate":         ofSessions + " update_not_covered",
	"/heartbeat":        ofSessions,
	"/deactivate":       ofSessions,
	"/issueLicenseFile": ofSessions + " license_files_not_offered",
	"/verify":           "license_not_found license_replaced license_revoked license_expired wrong_product update_not_covered",
}

// flagOf returns the field by which an endpoint reports success.
func flagOf(endpoint string) string {
	if endpoint == "/validate" || endpoint == "/verify" {
		return "valid"
	}
	return "success"
}

// refusalIn returns the refusal in an answer; nil if it is not one that this client knows. The header Latchkey-Code names
// a refusal, and then its text may be any. Without the header, as from another server with the same protocol, the status
// and the text must be those of a refusal that the service gives at this endpoint. Any other answer counts as an outage,
// and an outage stops nobody.
func refusalIn(endpoint string, answer *Answer, body object) *refusal {
	if body == nil || body[flagOf(endpoint)] != false || answer.Status < 400 || answer.Status > 499 {
		return nil
	}
	text, _ := body["error"].(string)
	code := codeIn(endpoint, answer, text)
	if code == "" {
		return nil
	}
	found := &refusal{code: code, text: text, fields: body}
	if code == "machine_limit" || code == "user_limit" {
		if limit := forms[code].text.FindStringSubmatch(text); limit != nil {
			found.limit, _ = strconv.ParseInt(limit[1], 10, 64)
		}
	}
	if endsByWaiting(code) {
		pause := minute
		if asked := retryAfterOf(answer); asked != nil {
			pause = *asked
		}
		found.retryAfter = &pause
	}
	return found
}

func codeIn(endpoint string, answer *Answer, text string) string {
	if named, isNamed := answer.Header["Latchkey-Code"]; isNamed && len(named) > 0 {
		if _, isKnown := forms[named[0]]; isKnown {
			return named[0]
		}
		return ""
	}
	for _, code := range append(strings.Fields(refusalsOf[endpoint]), "missing_fields") {
		expected := forms[code]
		for _, status := range expected.statuses {
			if status == answer.Status && expected.text.MatchString(text) {
				return code
			}
		}
	}
	return ""
}

var secondsText = regexp.MustCompile(`^\d+$`)

// retryAfterOf returns the header Retry-After in milliseconds, at most an hour, so that a broken answer cannot silence an
// app for good.
func retryAfterOf(answer *Answer) *int64 {
	text := strings.TrimSpace(answer.Header.Get("Retry-After"))
	if !secondsText.MatchString(text) {
		return nil
	}
	seconds, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return nil
	}
	pause := int64(min(seconds*float64(second), float64(hour)))
	return &pause
}
