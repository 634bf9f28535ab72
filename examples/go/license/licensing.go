// Package license licenses a program with a Latchkey server, by the policy of docs/apps/integrating.md. It needs Go 1.19 or
// newer and nothing else.
package license

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"os"
	"strings"
	"time"
)

// Settings are what an app has compiled in.
type Settings struct {
	Server     string `json:"server"`
	ProductID  string `json:"productId"`
	Issuer     string `json:"issuer"`
	PublicKeys []struct {
		Kid string `json:"kid"`
		X   string `json:"x"`
	} `json:"publicKeys"`
	// A file with further certificate authorities; empty for those of the system.
	CA string `json:"ca"`
}

// Verdict says what the program may do, and why: Status is unlicensed, licensed, grace, lapsed, released or refused.
type Verdict struct {
	Status string `json:"status"`
	Code   string `json:"code,omitempty"`
}

// MayRun reports whether the program may be used.
func (v Verdict) MayRun() bool { return v.Status == "licensed" || v.Status == "grace" }

// Refusals that lock the program until the server accepts the license again.
var locking = map[string]bool{"license_revoked": true, "license_expired": true, "wrong_product": true}

// Refusals after which the program activates by itself, once an hour: all machines share 15 attempts an hour.
var activateAgain = map[string]bool{"machine_not_activated": true, "invalid_token": true, "token_mismatch": true}

const (
	hour           = int64(3600)
	day            = 24 * hour
	maxAnswerBytes = 65536
)

// state is stored between starts. Times are seconds since 1970.
type state struct {
	LicenseKey       string `json:"licenseKey,omitempty"`
	Token            string `json:"token,omitempty"`
	File             string `json:"file,omitempty"`
	Refusal          string `json:"refusal,omitempty"`
	Seen             int64  `json:"seen,omitempty"`
	ActivatedAgainAt int64  `json:"activatedAgainAt,omitempty"`
}

// Licensing is the license of a program on this machine. It must not be used by two goroutines at once.
type Licensing struct {
	// Now tells seconds since 1970.
	Now func() int64

	settings    Settings
	fingerprint string
	hostname    string
	statePath   string
	keys        map[string]string
	client      *http.Client
	state       state
	// When the server last accepted the license in this process.
	answeredAt int64
}

// New reads the stored state.
func New(settings Settings, fingerprint, hostname, statePath string) (*Licensing, error) {
	if !strings.HasPrefix(settings.Server, "https://") {
		return nil, errors.New("server is not an https address")
	}
	trust := &tls.Config{MinVersion: tls.VersionTLS12}
	if settings.CA != "" {
		text, err := os.ReadFile(settings.CA)
		if err != nil {
			return nil, err
		}
		if trust.RootCAs, err = x509.SystemCertPool(); err != nil {
			trust.RootCAs = x509.NewCertPool()
		}
		trust.RootCAs.AppendCertsFromPEM(text)
	}
	licensing := &Licensing{
		Now:         func() int64 { return time.Now().Unix() },
		settings:    settings,
		fingerprint: fingerprint,
		hostname:    hostname,
		statePath:   statePath,
		keys:        map[string]string{},
		client: &http.Client{
			Timeout:   10 * time.Second,
			Transport: &http.Transport{Proxy: http.ProxyFromEnvironment, TLSClientConfig: trust},
			// The server never redirects; a sign-in page of a network does.
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
	}
	for _, key := range settings.PublicKeys {
		licensing.keys[key.Kid] = key.X
	}
	if text, err := os.ReadFile(statePath); err == nil && json.Unmarshal(text, &licensing.state) != nil {
		licensing.state = state{}
	}
	return licensing, nil
}

// Activate is for a key that the user entered. A key that is refused changes nothing that is stored.
func (l *Licensing) Activate(licenseKey string) Verdict {
	licenseKey = strings.TrimSpace(licenseKey)
	answer := l.askToActivate(licenseKey)
	if answer.reply != nil {
		return l.accepted(licenseKey, answer)
	}
	if licenseKey == l.state.LicenseKey {
		return l.notAccepted(answer)
	}
	code := answer.code
	if code == "" {
		code = "no_answer"
	}
	return Verdict{Status: l.withoutAnswer().Status, Code: code}
}

// Check asks the server: at each start of the program, and once a day while it runs.
func (l *Licensing) Check() Verdict {
	licenseKey, token := l.state.LicenseKey, l.state.Token
	if licenseKey == "" || token == "" {
		return Verdict{Status: "unlicensed"}
	}
	answer := l.ask("/validate", map[string]string{"licenseKey": licenseKey, "token": token})
	now := l.now()
	since := now - l.state.ActivatedAgainAt
	if activateAgain[answer.code] && (since >= hour || since <= -hour) {
		l.state.ActivatedAgainAt = now
		l.save()
		answer = l.askToActivate(licenseKey)
	}
	if answer.reply != nil {
		return l.accepted(licenseKey, answer)
	}
	return l.notAccepted(answer)
}

// Deactivate frees the slot of this machine and forgets the license. False without an answer: then nothing has changed.
func (l *Licensing) Deactivate() bool {
	licenseKey, token := l.state.LicenseKey, l.state.Token
	if licenseKey != "" && token != "" {
		answer := l.ask("/deactivate", map[string]string{"licenseKey": licenseKey, "token": token})
		isOver := locking[answer.code] || activateAgain[answer.code] || answer.code == "license_not_found"
		if answer.reply == nil && !isOver {
			return false
		}
	}
	l.answeredAt = 0
	l.state = state{Seen: l.state.Seen, ActivatedAgainAt: l.state.ActivatedAgainAt}
	l.save()
	return true
}

// accepted handles a good answer: a remembered refusal is over, and the server's time replaces what was seen.
func (l *Licensing) accepted(licenseKey string, answer answer) Verdict {
	seen := answer.time
	if seen == 0 {
		seen = l.now()
	}
	l.answeredAt = seen
	token := l.state.Token
	for _, renewed := range []string{answer.reply.Token, answer.reply.NewToken} {
		if renewed != "" {
			token = renewed
		}
	}
	l.state.LicenseKey, l.state.Token, l.state.Refusal, l.state.Seen = licenseKey, token, "", seen
	l.save()
	claims := l.read(l.state.File)
	if claims == nil || seen >= claims.RenewAfter || claims.Iat > seen+day {
		fetched := l.ask("/issueLicenseFile", map[string]string{"licenseKey": licenseKey, "token": token})
		if fetched.reply != nil && l.read(fetched.reply.LicenseFile) != nil {
			l.state.File = fetched.reply.LicenseFile
			l.save()
		}
	}
	return Verdict{Status: "licensed"}
}

// notAccepted remembers a refusal; a slot that is gone ends the grace. Anything else says nothing of the license.
func (l *Licensing) notAccepted(answer answer) Verdict {
	if locking[answer.code] || answer.code == "machine_limit" {
		l.answeredAt = 0
		l.state.File = ""
	}
	if answer.code == "machine_limit" {
		l.save()
		return Verdict{Status: "released"}
	}
	if locking[answer.code] {
		l.state.Refusal = answer.code
	}
	return l.withoutAnswer()
}

// withoutAnswer decides by what is stored: a refusal stays in force, and a good license file lets the program go on.
func (l *Licensing) withoutAnswer() Verdict {
	if l.state.LicenseKey == "" {
		return Verdict{Status: "unlicensed"}
	}
	now := l.now()
	l.state.Seen = now
	l.save()
	if l.state.Refusal != "" {
		return Verdict{Status: "refused", Code: l.state.Refusal}
	}
	claims := l.read(l.state.File)
	hasFile := claims != nil && (claims.Exp == nil || *claims.Exp > now)
	wasAccepted := l.answeredAt != 0 && now < l.answeredAt+day
	if hasFile || wasAccepted {
		return Verdict{Status: "grace"}
	}
	return Verdict{Status: "lapsed"}
}

// now is never earlier than any time that is known to have passed, so that setting the clock back gains nothing.
func (l *Licensing) now() int64 {
	now := l.Now()
	if l.state.Seen > now {
		now = l.state.Seen
	}
	if claims := l.read(l.state.File); claims != nil && claims.Iat > now {
		now = claims.Iat
	}
	return now
}

// read answers the claims of a file, which may have expired; nil if it is not genuine.
func (l *Licensing) read(file string) *Claims {
	return ReadLicenseFile(file, Expected{
		Issuer:      l.settings.Issuer,
		PublicKeys:  l.keys,
		ProductID:   l.settings.ProductID,
		Fingerprint: l.fingerprint,
	})
}

// reply holds the fields that the program reads of a good answer.
type reply struct {
	Success     *bool
	Valid       *bool
	Token       string
	NewToken    string
	LicenseFile string
}

// answer of the server: reply if it accepts, code if it refuses, neither without an answer.
type answer struct {
	reply *reply
	code  string
	time  int64
}

func (l *Licensing) askToActivate(licenseKey string) answer {
	return l.ask("/activate", map[string]string{
		"licenseKey": licenseKey, "hostname": l.hostname, "productId": l.settings.ProductID,
	})
}

func (l *Licensing) ask(path string, fields map[string]string) answer {
	fields["machineFingerprint"] = l.fingerprint
	body, err := json.Marshal(fields)
	if err != nil {
		return answer{}
	}
	response, err := l.client.Post(l.settings.Server+path, "application/json", bytes.NewReader(body))
	if err != nil {
		return answer{}
	}
	defer response.Body.Close()
	text, err := io.ReadAll(io.LimitReader(response.Body, maxAnswerBytes))
	var fieldsOfReply reply
	if err != nil || json.Unmarshal(text, &fieldsOfReply) != nil {
		return answer{}
	}
	flag := fieldsOfReply.Success
	if flag == nil {
		flag = fieldsOfReply.Valid
	}
	if flag == nil {
		return answer{}
	}
	if *flag && response.StatusCode == http.StatusOK {
		accepted := answer{reply: &fieldsOfReply}
		if at, err := http.ParseTime(response.Header.Get("Date")); err == nil {
			accepted.time = at.Unix()
		}
		return accepted
	}
	if !*flag && response.StatusCode >= 400 && response.StatusCode < 500 {
		return answer{code: response.Header.Get("Latchkey-Code")}
	}
	return answer{}
}

// save replaces the stored state as a whole. A disk that is full must not stop a customer, so errors are ignored.
func (l *Licensing) save() {
	text, err := json.Marshal(l.state)
	if err != nil {
		return
	}
	beside := l.statePath + ".new"
	if os.WriteFile(beside, text, 0o600) == nil {
		_ = os.Rename(beside, l.statePath)
	}
}
