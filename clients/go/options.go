package latchkey

import (
	"crypto/x509"
	"errors"
	"fmt"
	"log/slog"
	"math/rand"
	"net/url"
	"strings"
	"time"
)

// Release says when Close gives a floating seat back.
type Release string

const (
	// ReleaseSmallPools gives seats of pools of up to ten back. It is the default: the next start activates again, and a
	// license has 15 activations an hour for all its machines.
	ReleaseSmallPools Release = ""
	ReleaseAlways     Release = "always"
	ReleaseNever      Release = "never"
)

// Options are the options of a client. Server and ProductID are required.
type Options struct {
	// Server has the https addresses of the service, tried in this order.
	Server []string
	// ProductID names the product as licenses do.
	ProductID string
	// PublicKeys and Issuer are what list-signing-keys --as go prints, compiled into the app. With them, only a signed
	// file lets the app go on without the service. Without them, the time of the last good answer does, which a user can
	// extend by editing the stored state.
	PublicKeys []PublicKey
	Issuer     string
	// StolenKeys are ids of signing keys that are ignored in published lists.
	StolenKeys []string
	// BuildDate (ISO 8601) and Version are those of this build; a license may cover builds up to a date or a version.
	BuildDate string
	Version   string
	// Directory is the folder of the stored state, by default a folder of the user.
	Directory string
	// Fingerprint identifies this machine and never changes; by default MachineFingerprint. It may fail.
	Fingerprint func() (string, error)
	// Hostname is the user's name for the machine, by default the system's.
	Hostname *string
	// User returns the person who uses the app, such as the address of the signed-in account; empty while nobody is signed
	// in. A license for named users needs it to activate.
	User func() string
	// Heartbeat is the longest time between two heartbeats of a floating license; five minutes by default.
	Heartbeat time.Duration
	// RequestTimeout is the longest time for a whole answer; ten seconds by default.
	RequestTimeout time.Duration
	Release        Release
	// AsksToReactivate leaves it to the user whether a machine that the service does not know any more takes a free slot
	// again.
	AsksToReactivate bool
	// Grace and FloatingGrace are the times for which a good answer counts without PublicKeys; 30 days and 24 hours by
	// default.
	Grace         time.Duration
	FloatingGrace time.Duration
	// OfflineUses is the number of uses of meters that wait in the stored state without an answer, at most 500. A user
	// who deletes the stored state deletes them.
	OfflineUses int
	// Roots replaces the certificate authorities of the system.
	Roots *x509.CertPool
	// OnChange is called with the former and the new state after every change, in any goroutine.
	OnChange func(old, new State)
	// OnUseRefused is called with a use that had waited and was refused.
	OnUseRefused func(RefusedUse)
	// IsManual leaves the checks that are due to the app, which calls Work regularly.
	IsManual bool
	// Log is told of a stored state that cannot be read or written; nil for no log.
	Log *slog.Logger
	// Transport, Storage, Clock and Random replace the client's own.
	Transport Transport
	Storage   Storage
	Clock     Clock
	Random    func() float64
}

// filled returns the options with their defaults, and an error if one is invalid.
func (options Options) filled() (Options, build, error) {
	app := build{version: options.Version}
	if len(options.Server) == 0 {
		return options, app, errors.New("latchkey: Server is missing")
	}
	servers := make([]string, len(options.Server))
	for index, address := range options.Server {
		if !isTrusted(address) {
			return options, app, fmt.Errorf("latchkey: Server %q is not an https address", address)
		}
		servers[index] = strings.TrimRight(address, "/")
	}
	options.Server = servers
	if options.ProductID == "" {
		return options, app, errors.New("latchkey: ProductID is missing")
	}
	if len(options.PublicKeys) > 0 && options.Issuer == "" {
		return options, app, errors.New("latchkey: PublicKeys need the Issuer of the license files")
	}
	if options.OfflineUses < 0 || options.OfflineUses > mostUses {
		return options, app, fmt.Errorf("latchkey: OfflineUses must be from 0 to %d", mostUses)
	}
	if options.Version != "" && !versionText.MatchString(options.Version) {
		return options, app, fmt.Errorf("latchkey: Version %q is not dotted numbers", options.Version)
	}
	if options.BuildDate != "" {
		date, isDate := readISO(options.BuildDate)
		if !isDate {
			return options, app, fmt.Errorf("latchkey: BuildDate %q is not a date in ISO 8601", options.BuildDate)
		}
		app.date = &date
	}
	options.fillIn()
	return options, app, nil
}

func (options *Options) fillIn() {
	orDefault := func(value *time.Duration, usual time.Duration) {
		if *value == 0 {
			*value = usual
		}
	}
	orDefault(&options.Heartbeat, 5*time.Minute)
	orDefault(&options.RequestTimeout, 10*time.Second)
	orDefault(&options.Grace, 30*24*time.Hour)
	orDefault(&options.FloatingGrace, 24*time.Hour)
	if options.Transport == nil {
		options.Transport = HTTPTransport(options.Roots)
	}
	if options.Clock == nil {
		options.Clock = systemClock{}
	}
	if options.Random == nil {
		options.Random = rand.Float64
	}
}

// isTrusted tells whether only the service can answer. On this machine, only its own programs answer plain HTTP.
func isTrusted(address string) bool {
	parts, err := url.Parse(address)
	if err != nil || parts.Hostname() == "" {
		return false
	}
	switch parts.Hostname() {
	case "localhost", "127.0.0.1", "::1":
		return parts.Scheme == "http" || parts.Scheme == "https"
	}
	return parts.Scheme == "https"
}
