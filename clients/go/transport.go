package latchkey

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// maxAnswerBytes bounds an answer. Those of the service are below 4 KiB, apart from license files.
const maxAnswerBytes = 65_536

// Request is a request with its whole address. Body is JSON, and empty for a GET.
type Request struct {
	URL  string
	Body string
}

// Answer is an answer of any server.
type Answer struct {
	Status int
	Header http.Header
	Text   string
}

// Transport sends a request, checks the certificate and follows no redirect. The context ends when the whole answer must
// have arrived. An error is a *TransportFailure, or any other, which counts as a failure of the network.
type Transport func(ctx context.Context, request Request) (*Answer, error)

// TransportFailure says that there was no complete answer: Kind is network, tls or timeout.
type TransportFailure struct {
	Kind  string
	Cause error
}

func (err *TransportFailure) Error() string { return err.Cause.Error() }

func (err *TransportFailure) Unwrap() error { return err.Cause }

// HTTPTransport is a transport by net/http, through the proxies of the environment. It trusts the authorities of the
// system, or those of roots if it is not nil. Nothing in this machine's name goes through a proxy, which has another
// machine under it.
func HTTPTransport(roots *x509.CertPool) Transport {
	client := &http.Client{
		Transport: &http.Transport{
			Proxy:              http.ProxyFromEnvironment,
			TLSClientConfig:    &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12},
			DisableKeepAlives:  true,
			DisableCompression: true,
		},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	return func(ctx context.Context, request Request) (*Answer, error) {
		answer, err := send(ctx, client, request)
		if err != nil {
			return nil, failureOf(err)
		}
		return answer, nil
	}
}

func send(ctx context.Context, client *http.Client, request Request) (*Answer, error) {
	method, body := http.MethodGet, io.Reader(http.NoBody)
	if request.Body != "" {
		method, body = http.MethodPost, strings.NewReader(request.Body)
	}
	asked, err := http.NewRequestWithContext(ctx, method, request.URL, body)
	if err != nil {
		return nil, err
	}
	asked.Header.Set("Accept", "application/json")
	asked.Header.Set("User-Agent", "latchkey-go")
	if request.Body != "" {
		asked.Header.Set("Content-Type", "application/json")
	}
	answered, err := client.Do(asked)
	if err != nil {
		return nil, err
	}
	defer answered.Body.Close()
	data, err := io.ReadAll(io.LimitReader(answered.Body, maxAnswerBytes+1))
	if err != nil {
		return nil, err
	}
	if len(data) > maxAnswerBytes {
		return nil, fmt.Errorf("the answer is larger than %d bytes", maxAnswerBytes)
	}
	return &Answer{answered.StatusCode, answered.Header, string(data)}, nil
}

func failureOf(err error) error {
	// The address of a request says nothing new, and an error of the app's context is one of the network.
	var ofURL *url.Error
	if errors.As(err, &ofURL) {
		err = ofURL.Err
	}
	var certificate *tls.CertificateVerificationError
	var record tls.RecordHeaderError
	var alert tls.AlertError
	var timeout net.Error
	switch {
	case errors.As(err, &certificate), errors.As(err, &record), errors.As(err, &alert):
		return &TransportFailure{"tls", err}
	case errors.Is(err, context.DeadlineExceeded), errors.As(err, &timeout) && timeout.Timeout():
		return &TransportFailure{"timeout", err}
	}
	return &TransportFailure{"network", err}
}

// line is the addresses of the service, and the transport for calls.
type line struct {
	servers   []string
	transport Transport
	timeout   time.Duration
}

// called is the result of a call: a good reply, a refusal, or a problem.
type called struct {
	reply   object
	refusal *refusal
	problem *Problem
	// serverTime is the time in the answer, in milliseconds since 1970; nil without one.
	serverTime *int64
	// retryAfter is the pause that comes with a problem, in milliseconds.
	retryAfter *int64
}

func (what *called) isGood() bool { return what.reply != nil }

// prevented is the result of a call that the problem of an earlier call prevents.
func prevented(record *record) *called {
	problem := record.problem
	return &called{problem: &problem}
}

// isOfReplacedKey tells whether another key has taken the place of the one that was sent.
func (what *called) isOfReplacedKey() bool {
	return what.refusal != nil && what.refusal.code == "license_replaced"
}

// call calls an endpoint. If an address does not answer as the service does, it tries the next one.
func (to *line) call(ctx context.Context, endpoint string, fields object) *called {
	return to.overServers(ctx, endpoint, jsonOf(fields), func(answer *Answer) *called {
		body := parseObject(answer.Text)
		found := &called{}
		if date, err := http.ParseTime(answer.Header.Get("Date")); err == nil {
			at := date.UnixMilli()
			found.serverTime = &at
		}
		if isGoodReply(endpoint, answer, body) {
			found.reply = body
			return found
		}
		found.refusal = refusalIn(endpoint, answer, body)
		if found.refusal == nil {
			return nil
		}
		return found
	})
}

// keyLists returns the signed lists of signing keys that the service publishes.
func (to *line) keyLists(ctx context.Context) []string {
	found := to.overServers(ctx, "/.well-known/latchkey-keys.json", "", func(answer *Answer) *called {
		body := parseObject(answer.Text)
		if _, areLists := body["keys"].([]any); answer.Status != http.StatusOK || !areLists {
			return nil
		}
		return &called{reply: body}
	})
	var texts []string
	if found.isGood() {
		for _, each := range found.reply["keys"].([]any) {
			if text, isText := each.(string); isText {
				texts = append(texts, text)
			}
		}
	}
	return texts
}

func (to *line) overServers(ctx context.Context, path, body string, read func(*Answer) *called) *called {
	var first *called
	for _, server := range to.servers {
		limited, cancel := context.WithTimeout(ctx, to.timeout)
		answer, err := to.transport(limited, Request{server + path, body})
		cancel()
		missed := &called{}
		if err != nil {
			missed.problem = problemOf(err, server)
		} else if found := read(answer); found != nil {
			return found
		} else {
			kind := "answer"
			if answer.Status == http.StatusTooManyRequests || answer.Status == http.StatusServiceUnavailable {
				kind = "busy"
			}
			detail := fmt.Sprintf("%s answered %d, which says nothing about the license", server, answer.Status)
			missed.problem, missed.retryAfter = &Problem{kind, detail}, retryAfterOf(answer)
		}
		if first == nil {
			first = missed
		}
	}
	return first
}

func problemOf(err error, server string) *Problem {
	kind := "network"
	var failure *TransportFailure
	if errors.As(err, &failure) {
		kind = failure.Kind
	}
	return &Problem{kind, fmt.Sprintf("%s could not be reached: %v", server, err)}
}

// replyFields names the fields that a good answer has, by their types: t a text that is not empty, # a whole number and @
// a time; ? may be null, and - may be absent.
var replyFields = map[string]string{
	"/activate":         activationFields,
	"/startTrial":       activationFields + " licenseKey:t",
	"/validate":         validationFields,
	"/heartbeat":        "expiresAt:@",
	"/consume":          "meter:t used:# limit:# remaining:#? resetsAt:@?",
	"/deactivate":       "machinesUsed:# maxMachines:#",
	"/verify":           "machinesUsed:# maxMachines:#",
	"/issueLicenseFile": "licenseFile:t",
}

const (
	activationFields = "token:t expiresAt:@ machinesUsed:# maxMachines:# variant:t licenseExpiresAt:@?"
	validationFields = "expiresAt:@ productId:t variant:t licenseExpiresAt:@? daysRemaining:#? newToken:t- " +
		"licenseKey:t- sessionToken:t-"
	// laterFields are of all endpoints. Another server with the same protocol omits them.
	laterFields = " licenseType:t- sessionExpiresAt:@-"
)

// isGoodReply tells whether an answer has the form of the endpoint's. Any other did not come from the service.
func isGoodReply(endpoint string, answer *Answer, body object) bool {
	if answer.Status != http.StatusOK || body[flagOf(endpoint)] != true {
		return false
	}
	for _, field := range strings.Fields(replyFields[endpoint] + laterFields) {
		name, kind, _ := strings.Cut(field, ":")
		value, isPresent := body[name]
		if isPresent && !hasKind(value, kind) || !isPresent && !strings.HasSuffix(kind, "-") {
			return false
		}
	}
	return true
}

func hasKind(value any, kind string) bool {
	if value == nil {
		return strings.HasSuffix(kind, "?")
	}
	switch kind[0] {
	case 't':
		return isText(value) && value != ""
	case '#':
		_, isWhole := wholeIn(value)
		return isWhole
	}
	return isISO(value)
}
