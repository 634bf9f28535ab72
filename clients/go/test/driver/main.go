// The driver of this client for the conformance tests, see clients/conformance/PROTOCOL.md.
package main

import (
	"bufio"
	"context"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"example.com/latchkey"
)

type options struct {
	Server                                                                    []string
	ProductID, Issuer, Directory, Version, BuildDate, Release, Reactivate, CA string
	User, Hostname                                                            *string
	// Fingerprint is nil if it is absent, and "null" if it cannot be found.
	Fingerprint                   json.RawMessage
	PublicKeys                    []latchkey.PublicKey
	StolenKeys                    []string
	HeartbeatMs, RequestTimeoutMs int64
	GraceDays, GraceFloatingHours float64
	OfflineUses                   int
	Random                        *float64
	CountsSleep                   *bool
}

type command struct {
	Do string
	// Options are read by create alone.
	Options          json.RawMessage
	Now, Monotonic   int64
	Key, Name, Text  string
	Meter, RequestID string
	Units            *int64
	Times            int
	Value            *string
	Order            struct{ Variant, Email string }
}

// commandClock stands still between commands.
type commandClock struct {
	now, monotonic int64
	countsSleep    bool
}

func (clock *commandClock) Now() int64        { return clock.now }
func (clock *commandClock) Monotonic() int64  { return clock.monotonic }
func (clock *commandClock) CountsSleep() bool { return clock.countsSleep }

var (
	background  = context.Background()
	client      *latchkey.Client
	clock       *commandClock
	fingerprint *string
	notices     []string
)

var errUnknownCommand = errors.New("unknown command")

func create(given command) error {
	client, notices = nil, nil
	var asked options
	if err := json.Unmarshal(given.Options, &asked); err != nil {
		return err
	}
	clock = &commandClock{given.Now, given.Monotonic, asked.CountsSleep == nil || *asked.CountsSleep}
	random := 0.5
	if asked.Random != nil {
		random = *asked.Random
	}
	wanted := latchkey.Options{
		Server: asked.Server, ProductID: asked.ProductID, PublicKeys: asked.PublicKeys, Issuer: asked.Issuer,
		StolenKeys: asked.StolenKeys, BuildDate: asked.BuildDate, Version: asked.Version, Directory: asked.Directory,
		Hostname: asked.Hostname, Heartbeat: time.Duration(asked.HeartbeatMs) * time.Millisecond,
		RequestTimeout: time.Duration(asked.RequestTimeoutMs) * time.Millisecond, IsManual: true,
		AsksToReactivate: asked.Reactivate == "ask", OfflineUses: asked.OfflineUses, Clock: clock,
		Grace:         time.Duration(asked.GraceDays * 24 * float64(time.Hour)),
		FloatingGrace: time.Duration(asked.GraceFloatingHours * float64(time.Hour)),
		Random:        func() float64 { return random },
		OnChange:      func(_, present latchkey.State) { notices = append(notices, string(present.Status)) },
	}
	if asked.User != nil {
		wanted.User = func() string { return *asked.User }
	}
	if asked.Release != "small-pools" {
		wanted.Release = latchkey.Release(asked.Release)
	}
	if asked.Fingerprint != nil {
		fingerprint = nil
		if err := json.Unmarshal(asked.Fingerprint, &fingerprint); err != nil {
			return err
		}
		wanted.Fingerprint = findFingerprint
	}
	if asked.CA != "" {
		certificate, err := os.ReadFile(asked.CA)
		if err != nil {
			return err
		}
		wanted.Roots = x509.NewCertPool()
		wanted.Roots.AppendCertsFromPEM(certificate)
	}
	made, err := latchkey.New(wanted)
	client = made
	return err
}

func findFingerprint() (string, error) {
	if fingerprint == nil {
		return "", errors.New("the fingerprint cannot be found")
	}
	return *fingerprint, nil
}

// work makes the checks that are due.
func work() {
	client.Work(background)
	for left, isPlanned := client.NextCheck(); isPlanned && left == 0; left, isPlanned = client.NextCheck() {
		client.Work(background)
	}
}

// run returns the value of the command; nil for none.
func run(given command) (value any, err error) {
	switch given.Do {
	case "start":
		status := client.Start(background).Status
		work()
		return status, nil
	case "clock":
		clock.now, clock.monotonic = given.Now, given.Monotonic
		work()
	case "activate":
		_, err = client.Activate(background, given.Key)
	case "startTrial":
		_, err = client.StartTrial(background, given.Order.Variant, given.Order.Email)
	case "check":
		for times := max(1, given.Times); times > 0; times-- {
			client.Check(background)
		}
	case "feature":
		value = client.Feature(given.Name)
		if value == nil {
			value = json.RawMessage("null")
		}
	case "consume":
		return consume(given)
	case "importFile":
		_, err = client.ImportFile(background, given.Text)
	case "exportRequest":
		return client.ExportRequest(background, given.Key)
	case "deactivate":
		err = client.Deactivate(background)
	case "close":
		client.Close(background)
	case "fingerprint":
		fingerprint = given.Value
	case "state":
	default:
		err = errUnknownCommand
	}
	return value, err
}

func consume(given command) (any, error) {
	use := latchkey.Use{Meter: given.Meter, Units: 1, RequestID: given.RequestID}
	if given.Units != nil {
		use.Units = *given.Units
	}
	became, err := client.Consume(background, use)
	if err != nil {
		return nil, err
	}
	if became.IsQueued {
		return map[string]any{
			"status": "queued", "meter": became.Meter, "units": became.Units, "requestId": became.RequestID,
		}, nil
	}
	return map[string]any{
		"status": "counted", "meter": became.Meter, "used": became.Used, "limit": became.Limit,
		"remaining": became.Remaining, "resetsAt": timeOrNull(became.ResetsAt),
	}, nil
}

func timeOrNull(at time.Time) any {
	if at.IsZero() {
		return nil
	}
	return at.Format("2006-01-02T15:04:05.000Z")
}

func textOrNull(text string) any {
	if text == "" {
		return nil
	}
	return text
}

func stateOf(state latchkey.State) map[string]any {
	shown := map[string]any{
		"status": state.Status, "mayRun": state.MayRun, "facts": nil, "clock": state.Clock,
		"storageProblem": textOrNull(state.StorageProblem),
	}
	if facts := state.Facts; facts != nil {
		shown["facts"] = map[string]any{
			"licenseKeyHint": facts.LicenseKeyHint, "productId": facts.ProductID, "variant": textOrNull(facts.Variant),
			"licenseType": textOrNull(facts.LicenseType), "licenseExpiresAt": timeOrNull(facts.LicenseExpiresAt),
			"daysRemaining": facts.DaysRemaining, "machinesUsed": facts.MachinesUsed, "maxMachines": facts.MaxMachines,
			"graceUntil": timeOrNull(facts.GraceUntil), "updatesUntil": timeOrNull(facts.UpdatesUntil),
			"maxVersion": textOrNull(facts.MaxVersion), "features": facts.Features,
		}
	}
	if state.Status == latchkey.Licensed {
		shown["source"] = state.Source
	}
	if state.Status == latchkey.Licensed || state.Status == latchkey.Grace {
		shown["until"] = timeOrNull(state.Until)
	}
	if state.Status == latchkey.Grace || state.Status == latchkey.Lapsed || state.Status == latchkey.IsRefused {
		shown["since"] = timeOrNull(state.Since)
	}
	if state.Problem != nil {
		shown["problem"] = map[string]any{"kind": state.Problem.Kind, "detail": state.Problem.Detail}
	}
	if state.Why != "" {
		shown["why"] = state.Why
	}
	return shown
}

func errorOf(err error) map[string]any {
	var refused *latchkey.Refused
	var unreachable *latchkey.Unreachable
	var badFile *latchkey.BadLicenseFile
	var noFingerprint *latchkey.NoFingerprint
	switch {
	case errors.As(err, &refused):
		found := map[string]any{"name": "Refused", "code": refused.Code}
		if refused.Limit != 0 {
			found["limit"] = refused.Limit
		}
		if refused.RetryAfter != 0 {
			found["retryAfterMs"] = refused.RetryAfter.Milliseconds()
		}
		if !refused.ResetsAt.IsZero() {
			found["resetsAt"] = timeOrNull(refused.ResetsAt)
		}
		return found
	case errors.As(err, &unreachable):
		return map[string]any{"name": "Unreachable", "kind": unreachable.Problem.Kind}
	case errors.As(err, &badFile):
		return map[string]any{"name": "BadLicenseFile", "reason": badFile.Reason}
	case errors.As(err, &noFingerprint):
		return map[string]any{"name": "NoFingerprint"}
	case errors.Is(err, latchkey.ErrNoLicenseKey):
		return map[string]any{"name": "NoKey"}
	case errors.Is(err, errUnknownCommand):
		return map[string]any{"name": "UnknownCommand"}
	}
	return map[string]any{"name": "InvalidOption"}
}

func answerTo(given command) map[string]any {
	answer := map[string]any{"state": nil, "next": nil, "notices": []string{}}
	var value any
	var err error
	if given.Do == "create" {
		err = create(given)
	} else if client != nil {
		value, err = run(given)
	}
	if err != nil {
		answer["error"] = errorOf(err)
	} else if value != nil {
		answer["value"] = value
	}
	if client == nil {
		return answer
	}
	answer["state"] = stateOf(client.State())
	if left, isPlanned := client.NextCheck(); isPlanned {
		answer["next"] = left.Milliseconds()
	}
	if len(notices) > 0 {
		answer["notices"], notices = notices, nil
	}
	return answer
}

func say(line any) {
	text, err := json.Marshal(line)
	if err != nil {
		panic(err)
	}
	fmt.Println(string(text))
}

func main() {
	// A full disk is simulated by a limit, whose signal would end the program.
	signal.Ignore(syscall.SIGXFSZ)
	can := "tls default-fingerprint default-directory fingerprint-function uncounted-sleep features trials meters users"
	say(map[string]any{"driver": "go", "protocol": 1, "can": strings.Fields(can)})
	lines := bufio.NewReader(os.Stdin)
	for {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			// The app has crashed: its client is not closed.
			os.Exit(0)
		}
		var given command
		if err := json.Unmarshal(line, &given); err != nil {
			panic(err)
		}
		say(answerTo(given))
	}
}
