package latchkey

import (
	"errors"
	"time"
)

var (
	// ErrNoLicenseKey is returned by functions that need a license key while none is given and none is stored.
	ErrNoLicenseKey = errors.New("latchkey: there is no license key")
	// ErrInvalidUnits is returned by Consume for units that are no number from 0 to 1,000,000,000.
	ErrInvalidUnits = errors.New("latchkey: units must be from 0 to 1000000000")
)

// Refused is the error of a call that the service refused.
type Refused struct {
	// Code names the refusal, such as license_revoked.
	Code string
	// Text is the text of the service.
	Text string
	// Limit is the limit of machines or users, with machine_limit and user_limit; 0 if the service does not tell it.
	Limit int64
	// RetryAfter is the time to wait, with refusals that end by waiting.
	RetryAfter time.Duration
	// ResetsAt is the begin of the next period of the meter, with meter_limit; zero if none begins.
	ResetsAt time.Time
}

func (err *Refused) Error() string {
	return "latchkey: refused: " + err.Code + ": " + err.Text
}

// Unreachable is the error of a call that the service did not answer. Nothing has changed.
type Unreachable struct {
	Problem Problem
}

func (err *Unreachable) Error() string {
	return "latchkey: " + err.Problem.Detail
}

// BadLicenseFile is the error of a text that is not a valid license file for this app and machine.
type BadLicenseFile struct {
	// Reason is the first check that failed: format, algorithm, type, key, signature, claims, issuer, product, machine,
	// expired, or refused if the service refused the license after the file was made.
	Reason string
	Text   string
}

func (err *BadLicenseFile) Error() string {
	return "latchkey: bad license file: " + err.Text
}

// NoFingerprint is the error of a call that needs the fingerprint of this machine while it cannot be found.
type NoFingerprint struct {
	Cause error
}

func (err *NoFingerprint) Error() string {
	return "latchkey: cannot find the fingerprint: " + err.Cause.Error()
}

func (err *NoFingerprint) Unwrap() error {
	return err.Cause
}
