package latchkey

import "time"

// Status is the kind of a State.
type Status string

const (
	// Unlicensed: no license key and no license file is stored.
	Unlicensed Status = "unlicensed"
	// Licensed: by the service or by the stored state (Source), until a time without another answer (Until).
	Licensed Status = "licensed"
	// Grace: the service cannot be asked since a time (Since, Problem); the app goes on until another (Until).
	Grace Status = "grace"
	// Lapsed: the service cannot be asked (Problem), and nothing licenses the app since a time (Since).
	Lapsed Status = "lapsed"
	// Waiting: every seat of the floating license is taken.
	Waiting Status = "waiting"
	// Released: the machine has lost its slot, and none is free for it.
	Released Status = "released"
	// IsRefused: the service refused the license (Why, Since), or the license does not cover this build (Why is
	// update_not_covered).
	IsRefused Status = "refused"
)

// Problem is the cause of a missing or bad answer.
type Problem struct {
	// Kind is one of network, tls and timeout (the connection), answer (not the service's), busy (the service asks to
	// wait), license_not_found and token (the service has lost data), request (the service considers the request
	// invalid), clock (the license has expired by a clock of the service that is ahead), and not_asked.
	Kind string
	// Detail is English, for a log, and contains no secret.
	Detail string
}

// LicenseFacts are the known facts about the license, for display. Texts are empty, times are zero and numbers are nil
// if they are not known.
type LicenseFacts struct {
	// LicenseKeyHint is the last group of the license key.
	LicenseKeyHint string
	ProductID      string
	Variant        string
	LicenseType    string
	// LicenseExpiresAt is zero for a perpetual license.
	LicenseExpiresAt time.Time
	DaysRemaining    *int64
	MachinesUsed     *int64
	// MaxMachines is -1 for no limit.
	MaxMachines *int64
	// GraceUntil is the end of the time that is lent after the expiry.
	GraceUntil time.Time
	// UpdatesUntil and MaxVersion bound the covered builds.
	UpdatesUntil time.Time
	MaxVersion   string
	// Features have values of the types bool, float64 and string.
	Features map[string]any
}

// State is the state of the license on this machine. Times are in UTC, and zero where the status has none.
type State struct {
	Status Status
	// MayRun decides whether the app works.
	MayRun bool
	// Facts is nil before a key was accepted.
	Facts *LicenseFacts
	// Clock compares the clock of the machine with the time of the service: right, ahead or behind by more than a day.
	Clock string
	// StorageProblem says why the stored state cannot be read or written; the app goes on in memory. Empty if it can.
	StorageProblem string
	// Source is server or stored.
	Source string
	// Until is zero for no end.
	Until   time.Time
	Since   time.Time
	Problem *Problem
	// Why is the code of the refusal.
	Why string
}

// Use is a use of a meter.
type Use struct {
	Meter string
	// Units are all counted, or none. 0 units only ask.
	Units int64
	// RequestID names the use, and is counted once within 48 hours; a new one if it is empty.
	RequestID string
}

// Consumption is the outcome of a use of a meter.
type Consumption struct {
	Use
	// IsQueued tells that the service did not answer: the use is stored, and is sent later. The fields below are unknown.
	IsQueued bool
	// Used are the units of the present period.
	Used int64
	// Limit is -1 for no limit.
	Limit int64
	// Remaining is nil for no limit.
	Remaining *int64
	// ResetsAt is the begin of the next period, zero if none begins.
	ResetsAt time.Time
}

// RefusedUse is a stored use that the service refused when it was sent. It was not counted.
type RefusedUse struct {
	Use
	Code string
}
