// Package latchkey licenses a program with a Latchkey service. docs/apps/go.md explains it.
package latchkey

import (
	"context"
	"encoding/base64"
	"reflect"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

const (
	// clickPause is the time after a check within which another one makes no call, for users who click repeatedly.
	clickPause = 2 * second
	// workEvery is the longest time between two looks at the stored state.
	workEvery = 2 * time.Second
)

// due is the time of the next check by the monotonic clock, and by the machine's clock, which goes on while the machine
// sleeps.
type due struct{ monotonic, local int64 }

// Client is the license of an app on this machine.
//
// State, MayRun and Feature never wait. All other methods read files and make calls, and wait for each other; any
// goroutine may call them. Their context bounds the wait and the calls.
type Client struct {
	options Options
	record  *record
	session *session
	shared  sharedStorage
	// turn holds a value while an operation is in progress.
	turn chan struct{}
	// shown is what readers see: everything that decides the state, as of the end of the last operation.
	shown     atomic.Pointer[known]
	isRunning bool
	due       atomic.Pointer[due]
	checkedAt *int64
	// checked is closed by the first check after Start.
	checked chan struct{}
	stop    context.CancelFunc
	stopped sync.WaitGroup
	noticed State
	news    news
	logged  once
}

// New creates a client, which does nothing yet. It fails for invalid options.
func New(options Options) (*Client, error) {
	filled, app, err := options.filled()
	if err != nil {
		return nil, err
	}
	if filled.Directory == "" && filled.Storage == nil {
		filled.Directory, err = StateDirectory(filled.ProductID)
		if err != nil {
			return nil, err
		}
	}
	if filled.Storage == nil {
		filled.Storage = newFileStorage(filled.Directory, 3*filled.Heartbeat)
	}
	client := &Client{options: filled, turn: make(chan struct{}, 1), stop: func() {}}
	find := filled.Fingerprint
	if find == nil {
		find = func() (string, error) { return MachineFingerprint(filled.ProductID, filled.Directory) }
	}
	client.shared, _ = filled.Storage.(sharedStorage)
	client.record = &record{
		options: &client.options, build: app, keeper: newKeeper(filled.Storage, client.warn),
		clock: trustedClock{machine: filled.Clock}, findFingerprint: find, stored: emptyState(),
	}
	client.session = &session{
		options: &client.options, record: client.record, tellRefused: client.tellRefused,
		line: &line{filled.Server, filled.Transport, filled.RequestTimeout},
	}
	client.shown.Store(client.record.known())
	client.noticed = client.State()
	return client, nil
}

// State returns the state at this moment. During an operation, it is the one before it.
func (client *Client) State() State { return client.shown.Load().decide() }

// MayRun tells whether the app may be used: Licensed or Grace.
func (client *Client) MayRun() bool { return client.State().MayRun }

// Feature returns the value of a feature, of the type bool, float64 or string. It returns nil if the license does not
// have it, and while the app may not run.
func (client *Client) Feature(name string) any {
	shown := client.shown.Load()
	if shown.terms == nil || !shown.decide().MayRun {
		return nil
	}
	return shown.terms.feature(name, shown.clock.now())
}

// NextCheck returns the time until the next check that is due by itself, and false if none is planned.
func (client *Client) NextCheck() (time.Duration, bool) {
	planned := client.due.Load()
	if planned == nil {
		return 0, false
	}
	left := max(0, planned.monotonic-client.options.Clock.Monotonic())
	return time.Duration(left) * time.Millisecond, true
}

// Start reads the stored state and keeps it up to date from then on. If the state allows the app to run, it returns at
// once and asks the service in the background; otherwise it waits for the check, at most RequestTimeout.
func (client *Client) Start(ctx context.Context) State {
	if !client.begin(ctx) {
		return client.State()
	}
	if client.isRunning {
		client.end()
		return client.State()
	}
	client.isRunning = true
	client.warnOf(client.record.load())
	client.beat()
	checked := make(chan struct{})
	client.checked = checked
	isKeyed := client.record.stored.LicenseKey != nil
	if isKeyed {
		now := int64(0)
		client.plan(&now)
	} else {
		client.plan(client.record.untilCheck())
	}
	state := client.record.known().decide()
	if !client.options.IsManual {
		own, stop := context.WithCancel(context.Background())
		client.stop = stop
		client.stopped.Add(1)
		// It begins with the check once this operation has ended.
		go client.run(own)
	}
	client.end()
	if state.MayRun || !isKeyed {
		return state
	}
	if client.options.IsManual {
		client.Work(ctx)
		return client.State()
	}
	limit := time.NewTimer(client.options.RequestTimeout)
	defer limit.Stop()
	select {
	case <-checked:
	case <-limit.C:
	case <-ctx.Done():
	}
	return client.State()
}

// run makes the checks that are due, until its context ends.
func (client *Client) run(ctx context.Context) {
	defer client.stopped.Done()
	for {
		timer := time.NewTimer(client.Work(ctx))
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return
		}
	}
}

// Work notices what other processes stored, and makes the check that is due. It returns the time until it wants to be
// called again. The client calls it by itself, unless the option IsManual is set.
func (client *Client) Work(ctx context.Context) time.Duration {
	if !client.begin(ctx) {
		return workEvery
	}
	defer client.end()
	if !client.isRunning {
		return workEvery
	}
	client.notice()
	if client.isDue() {
		client.checkNow(ctx, false)
	}
	if left, isPlanned := client.NextCheck(); isPlanned {
		return min(workEvery, left)
	}
	return workEvery
}

// Activate binds a license key to this machine; an empty one is the stored key. If a floating license has no free seat,
// the state becomes Waiting. The error is a *Refused, an *Unreachable, ErrNoLicenseKey without any key, a *NoFingerprint,
// or that of the context.
func (client *Client) Activate(ctx context.Context, licenseKey string) (State, error) {
	return client.change(ctx, func() error { return client.session.activate(ctx, licenseKey) })
}

// StartTrial starts the trial of this machine, without a license key; it changes nothing while the app may run. A machine
// has one trial of a product. An empty variant is the only one of the product that offers a trial, and the e-mail address
// may be empty. The error is a *Refused, with the code trial_over once the trial has ended, or as for Activate.
func (client *Client) StartTrial(ctx context.Context, variant, email string) (State, error) {
	return client.change(ctx, func() error { return client.session.startTrial(ctx, variant, email) })
}

// Consume counts units of a meter of the license. While the service does not answer, the use waits in the stored state, if
// the option OfflineUses allows it, and is sent later. The error is a *Refused, with the code meter_limit beyond the
// limit, ErrInvalidUnits, or as for Activate; then nothing was counted.
func (client *Client) Consume(ctx context.Context, use Use) (Consumption, error) {
	if !client.begin(ctx) {
		return Consumption{}, ctx.Err()
	}
	defer client.end()
	outcomes := client.record.outcomes
	consumption, err := client.session.consume(ctx, use)
	// A use that says nothing about the license leaves the next check where it is.
	if client.record.outcomes != outcomes {
		client.plan(client.record.untilCheck())
	}
	return consumption, err
}

// Check asks the service now. Concurrent callers share one call.
func (client *Client) Check(ctx context.Context) State {
	if client.begin(ctx) {
		now, checkedAt := client.options.Clock.Monotonic(), client.checkedAt
		isTooSoon := checkedAt != nil && now-*checkedAt < clickPause
		if !isTooSoon && client.record.pause() == 0 {
			client.checkNow(ctx, true)
		}
		client.end()
	}
	return client.State()
}

// ImportFile imports a license file. The error is a *BadLicenseFile, a *NoFingerprint, or that of the context.
func (client *Client) ImportFile(ctx context.Context, text string) (State, error) {
	return client.change(ctx, func() error { return client.session.importFile(text) })
}

// ExportRequest returns a text from which an operator makes a license file for this machine, which has no network.
func (client *Client) ExportRequest(ctx context.Context, licenseKey string) (string, error) {
	if !client.begin(ctx) {
		return "", ctx.Err()
	}
	defer client.end()
	if err := client.record.load(); err != nil {
		return "", err
	}
	encoded := base64.RawURLEncoding.EncodeToString([]byte(jsonOf(object{
		"v": 1, "productId": client.options.ProductID, "licenseKey": licenseKey,
		"fingerprint": client.record.fingerprint, "hostname": client.session.hostname(), "client": "latchkey-go",
		"createdAt": iso(client.options.Clock.Now()),
	})))
	lines := []string{"-----BEGIN LATCHKEY REQUEST-----"}
	for len(encoded) > 64 {
		lines, encoded = append(lines, encoded[:64]), encoded[64:]
	}
	return strings.Join(append(lines, encoded, "-----END LATCHKEY REQUEST-----", ""), "\n"), nil
}

// Deactivate frees the slot of this machine and forgets the license. After an error nothing has changed.
func (client *Client) Deactivate(ctx context.Context) error {
	_, err := client.change(ctx, func() error { return client.session.deactivate(ctx) })
	return err
}

// Close ends the checks, gives back a floating seat as the option Release says, and keeps the license. Do not call it in
// OnChange or OnUseRefused, as it waits for the client's goroutine.
func (client *Client) Close(ctx context.Context) {
	if !client.begin(ctx) {
		return
	}
	if client.isRunning {
		client.isRunning = false
		client.due.Store(nil)
		client.stop()
		if client.shared == nil || client.shared.leave() {
			client.session.giveSeatBack(ctx)
		}
	}
	client.end()
	client.stopped.Wait()
}

// begin waits for other operations. It returns false if the context ends before.
func (client *Client) begin(ctx context.Context) bool {
	select {
	case client.turn <- struct{}{}:
		return true
	case <-ctx.Done():
		return false
	}
}

// end ends an operation, and gives notice of a changed state.
func (client *Client) end() {
	client.shown.Store(client.record.known())
	old := client.noticed
	client.noticed = client.State()
	if present := client.noticed; client.options.OnChange != nil && !reflect.DeepEqual(old, present) {
		client.news.add(func() { client.options.OnChange(old, present) })
	}
	<-client.turn
	client.news.tell()
}

// change is an operation of the app, after which the next check is planned.
func (client *Client) change(ctx context.Context, act func() error) (State, error) {
	if !client.begin(ctx) {
		return client.State(), ctx.Err()
	}
	err := act()
	client.plan(client.record.untilCheck())
	client.end()
	return client.State(), err
}

func (client *Client) checkNow(ctx context.Context, isAskedFor bool) {
	client.beat()
	client.warnOf(client.session.check(ctx, isAskedFor))
	now := client.options.Clock.Monotonic()
	client.checkedAt = &now
	client.plan(client.record.untilCheck())
	if client.checked != nil {
		close(client.checked)
		client.checked = nil
	}
}

// notice takes over what another process stored. Another license, or another verdict about it, is checked here, too.
func (client *Client) notice() {
	record := client.record
	before := record.stored
	if record.keeper.isChanged() {
		client.warnOf(record.load())
	}
	isOtherVerdict := (record.stored.Tombstone == nil) != (before.Tombstone == nil)
	if !same(record.stored.LicenseKey, before.LicenseKey) || isOtherVerdict {
		client.plan(record.untilCheck())
	}
}

func (client *Client) plan(until *int64) {
	if until == nil || !client.isRunning {
		client.due.Store(nil)
		return
	}
	clock := client.options.Clock
	client.due.Store(&due{clock.Monotonic() + *until, clock.Now() + *until})
}

func (client *Client) isDue() bool {
	planned, clock := client.due.Load(), client.options.Clock
	if planned == nil {
		return false
	}
	hasSlept := !clock.CountsSleep() && clock.Now() >= planned.local
	return hasSlept || clock.Monotonic() >= planned.monotonic
}

func (client *Client) beat() {
	if client.shared != nil {
		client.shared.beat()
	}
}

// warnOf tells the log of a failure, after which the client goes on with the rest.
func (client *Client) warnOf(err error) {
	if err != nil && client.logged.isNew(err.Error()) {
		client.warn(err.Error())
	}
}

func (client *Client) warn(text string) {
	if client.options.Log != nil {
		client.options.Log.Warn(text)
	}
}

func (client *Client) tellRefused(use RefusedUse) {
	if client.options.OnUseRefused != nil {
		client.news.add(func() { client.options.OnUseRefused(use) })
	}
}

// news calls the listeners in the order of the events, and outside of operations, so that they may call the client.
type news struct {
	mutex     sync.Mutex
	waiting   []func()
	isTelling bool
}

func (news *news) add(tell func()) {
	news.mutex.Lock()
	defer news.mutex.Unlock()
	news.waiting = append(news.waiting, tell)
}

// tell tells everything that waits, unless a caller up the stack or another goroutine does.
func (news *news) tell() {
	news.mutex.Lock()
	defer news.mutex.Unlock()
	if news.isTelling {
		return
	}
	news.isTelling = true
	for len(news.waiting) > 0 {
		tell := news.waiting[0]
		news.waiting = news.waiting[1:]
		news.mutex.Unlock()
		tell()
		news.mutex.Lock()
	}
	news.isTelling = false
}
