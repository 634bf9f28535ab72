package latchkey_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"example.com/latchkey"
)

// The tests of this file use the real service, which test/page.ts starts.

const long = 20 * time.Second

var ctx = context.Background()

func liveOptions(t *testing.T) (latchkey.Options, string) {
	server, key := os.Getenv("LATCHKEY_SERVER"), os.Getenv("LATCHKEY_KEY")
	if server == "" {
		t.Skip("needs the service, which test/page.ts starts")
	}
	name := t.Name()
	return latchkey.Options{
		Server: []string{server}, ProductID: "my-app", Directory: filepath.Join(t.TempDir(), "state"),
		Fingerprint: func() (string, error) { return name, nil },
	}, key
}

func made(t *testing.T, options latchkey.Options) *latchkey.Client {
	client, err := latchkey.New(options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { client.Close(ctx) })
	return client
}

func TestAStartWithAStoredLicenseChecksInTheBackground(t *testing.T) {
	options, key := liveOptions(t)
	first := made(t, options)
	first.Start(ctx)
	if state, err := first.Activate(ctx, key); err != nil || state.Source != "server" {
		t.Fatal(state, err)
	}
	first.Close(ctx)
	changes := make(chan latchkey.State, 10)
	options.OnChange = func(_, present latchkey.State) { changes <- present }
	client := made(t, options)
	if state := client.Start(ctx); state.Source != "stored" {
		t.Fatal(state)
	}
	for present := (latchkey.State{}); present.Source != "server"; {
		select {
		case present = <-changes:
		case <-time.After(long):
			t.Fatal("no check came")
		}
	}
	if left, isPlanned := client.NextCheck(); !isPlanned || left < time.Hour {
		t.Error(left, isPlanned)
	}
	client.Close(ctx)
	if _, isPlanned := client.NextCheck(); isPlanned {
		t.Error("a closed client plans a check")
	}
	client.Start(ctx)
	if err := client.Deactivate(ctx); err != nil || client.MayRun() {
		t.Error(client.State(), err)
	}
}

func TestAnotherClientOfTheMachineIsNoticed(t *testing.T) {
	options, key := liveOptions(t)
	other := made(t, options)
	changed := make(chan struct{}, 10)
	options.OnChange = func(_, present latchkey.State) { changed <- struct{}{} }
	one := made(t, options)
	one.Start(ctx)
	if _, err := other.Activate(ctx, key); err != nil {
		t.Fatal(err)
	}
	select {
	case <-changed:
	case <-time.After(long):
		t.Fatal("not noticed")
	}
	if !one.MayRun() || one.Deactivate(ctx) != nil {
		t.Error(one.State())
	}
}

func TestGoroutinesThatCheckAtOnceShareACall(t *testing.T) {
	options, key := liveOptions(t)
	first := made(t, options)
	if _, err := first.Activate(ctx, key); err != nil {
		t.Fatal(err)
	}
	usual := latchkey.HTTPTransport(nil)
	var calls atomic.Int64
	options.Transport = func(ctx context.Context, request latchkey.Request) (*latchkey.Answer, error) {
		calls.Add(1)
		return usual(ctx, request)
	}
	client := made(t, options)
	client.Start(ctx)
	var all sync.WaitGroup
	for index := 0; index < 8; index++ {
		all.Add(1)
		go func() {
			defer all.Done()
			client.Check(ctx)
			client.State()
		}()
	}
	all.Wait()
	if calls.Load() != 1 {
		t.Error(calls.Load(), "calls")
	}
	if err := client.Deactivate(ctx); err != nil {
		t.Error(err)
	}
}

func TestANewKeyDoesNotReplaceTheOneThatAnotherClientStoredMeanwhile(t *testing.T) {
	options, key := liveOptions(t)
	third := os.Getenv("LATCHKEY_OTHER_KEY")
	other := made(t, options)
	if _, err := other.Activate(ctx, key); err != nil {
		t.Fatal(err)
	}
	usual := latchkey.HTTPTransport(nil)
	options.Transport = func(ctx context.Context, request latchkey.Request) (*latchkey.Answer, error) {
		answer, err := usual(ctx, request)
		if err == nil && strings.HasSuffix(request.URL, "/validate") {
			_, err = other.Activate(ctx, third)
			answer.Text = strings.Replace(answer.Text, "{", `{"licenseKey":"NEW-KEY","sessionToken":"new token",`, 1)
		}
		return answer, err
	}
	client := made(t, options)
	client.Check(ctx)
	stored, err := os.ReadFile(filepath.Join(options.Directory, "state"))
	if err != nil || !strings.Contains(string(stored), third) || strings.Contains(string(stored), "new token") {
		t.Errorf("%s %v", stored, err)
	}
	if state := client.State(); state.Source != "stored" || !strings.HasSuffix(third, state.Facts.LicenseKeyHint) {
		t.Error(state)
	}
	if err := client.Deactivate(ctx); err != nil {
		t.Error(err)
	}
}

func TestAListenerMayCallTheClient(t *testing.T) {
	options, key := liveOptions(t)
	options.Storage = latchkey.MemoryStorage()
	var client *latchkey.Client
	var seen []latchkey.Status
	options.OnChange = func(_, present latchkey.State) {
		seen = append(seen, present.Status)
		client.Check(ctx)
	}
	client = made(t, options)
	if _, err := client.Activate(ctx, key); err != nil || len(seen) != 1 || seen[0] != latchkey.Licensed {
		t.Error(seen, err)
	}
	if err := client.Deactivate(ctx); err != nil {
		t.Error(err)
	}
}

func TestErrors(t *testing.T) {
	options, key := liveOptions(t)
	client := made(t, options)
	client.Start(ctx)
	if _, err := client.Activate(ctx, ""); !errors.Is(err, latchkey.ErrNoLicenseKey) {
		t.Error(err)
	}
	var refused *latchkey.Refused
	_, err := client.Activate(ctx, "A-KEY")
	if !errors.As(err, &refused) || refused.Code != "license_not_found" || strings.Contains(err.Error(), "A-KEY") {
		t.Error(err)
	}
	ended, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := client.Activate(ended, key); err == nil || client.MayRun() {
		t.Error("a call with an ended context succeeded")
	}
	options.Server = []string{"http://127.0.0.1:9"}
	var unreachable *latchkey.Unreachable
	if _, err := made(t, options).Activate(ctx, key); !errors.As(err, &unreachable) || unreachable.Problem.Kind != "network" {
		t.Error(err)
	}
	for _, server := range [][]string{nil, {"http://licenses.example.com"}, {"licenses.example.com"}, {""}} {
		options.Server = server
		if _, err := latchkey.New(options); err == nil {
			t.Error(server, "is accepted")
		}
	}
}
