use crate::clock::TrustedClock;
use crate::decide::{Known, Outcome};
use crate::error::Error;
use crate::file::encode;
use crate::json::json_of;
use crate::keeper::Keeper;
use crate::line::Line;
use crate::machine::{machine_fingerprint, state_directory};
use crate::news::{locked, Event, News};
use crate::options::Options;
use crate::record::Record;
use crate::session::Session;
use crate::state::{Consumption, State, Use};
use crate::storage::{Folder, Place};
use crate::stored::StoredState;
use crate::time::{iso, SECOND};
use crate::transport::Transport;
use serde_json::{json, Value};
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::thread::{self, JoinHandle};
use std::time::Duration;

/// The time after a check within which another one makes no call, for users who click repeatedly.
const CLICK_PAUSE: i64 = 2 * SECOND;

/// The longest time between two looks at the stored state.
const WORK_EVERY: Duration = Duration::from_secs(2);

/// The license of an app on this machine.
///
/// [`state`](Client::state), [`may_run`](Client::may_run) and [`feature`](Client::feature) never wait. All other functions
/// read files and make calls, and wait for each other; any thread may call them. A client that is dropped makes no check
/// any more; [`close`](Client::close) it before, so that a floating seat is free at once.
pub struct Client {
    shared: Arc<Shared>,
    thread: Mutex<Option<Worker>>,
}

/// The thread of a client, and the bell that ends it.
struct Worker {
    thread: JoinHandle<()>,
    bell: Arc<Bell>,
}

/// Everything that the thread of a client shares with the app.
struct Shared {
    options: Arc<Options>,
    /// Locked during an operation.
    core: Mutex<Core>,
    /// Everything that decides the state, as of the end of the last operation.
    shown: Mutex<Arc<Known>>,
    due: Mutex<Option<Due>>,
    news: News,
}

struct Core {
    session: Session,
    is_running: bool,
    checked_at: Option<i64>,
    bell: Arc<Bell>,
    noticed: State,
    logged: Option<String>,
}

/// The time of the next check by the monotonic clock, and by the machine's clock, which goes on while the machine sleeps.
#[derive(Clone, Copy)]
struct Due {
    monotonic: i64,
    local: i64,
}

/// Tells one thread of checks that it must end, and the app of its first check.
#[derive(Default)]
struct Bell {
    rung: Mutex<Rung>,
    ringing: Condvar,
}

#[derive(Default)]
struct Rung {
    is_checked: bool,
    is_stopped: bool,
}

impl Bell {
    fn ring(&self, change: impl FnOnce(&mut Rung)) {
        change(&mut locked(&self.rung));
        self.ringing.notify_all();
    }

    /// Waits at most for a time. Returns whether the condition holds.
    fn wait(&self, limit: Duration, is_reached: impl Fn(&Rung) -> bool) -> bool {
        let rung = locked(&self.rung);
        let waited = self.ringing.wait_timeout_while(rung, limit, |rung| !is_reached(rung));
        waited.map_or_else(|poisoned| is_reached(&poisoned.into_inner().0), |(rung, _)| is_reached(&rung))
    }
}

impl Client {
    /// Creates a client, which does nothing yet. The error is [`Error::InvalidOption`].
    pub fn new(mut options: Options) -> Result<Self, Error> {
        let build = options.check()?;
        let transport = options.transport.clone().map_or_else(default_transport, Ok)?;
        let storage = options.storage.take();
        if options.directory.is_none() && storage.is_none() {
            options.directory = Some(state_directory(&options.product_id)?);
        }
        let directory = options.directory.clone().unwrap_or_default();
        let place = match storage {
            Some(storage) => Place::Own(storage),
            None => Place::Folder(Folder::new(directory.clone(), 3 * options.heartbeat)),
        };
        let product_id = options.product_id.clone();
        let find = options.fingerprint.clone();
        let options = Arc::new(options);
        let record = Record {
            options: options.clone(),
            build,
            keeper: Keeper::new(place, options.log.clone()),
            clock: TrustedClock::new(options.clock.clone()),
            find_fingerprint: Box::new(move || match &find {
                Some(find) => find(),
                None => machine_fingerprint(&product_id, &directory),
            }),
            stored: StoredState::default(),
            file: None,
            fingerprint: String::new(),
            fingerprint_problem: None,
            outcome: Outcome::NotAsked,
            answered_at: None,
            answered_terms: None,
            failures: 0,
            polls: 0,
            not_before: 0,
            outcomes: 0,
        };
        let known = Arc::new(record.known());
        let line = Line { servers: options.servers.clone(), transport, timeout: options.request_timeout };
        let core = Core {
            session: Session::new(options.clone(), line, record),
            is_running: false,
            checked_at: None,
            bell: Arc::default(),
            noticed: known.decide(),
            logged: None,
        };
        let shared = Shared {
            options,
            core: Mutex::new(core),
            shown: Mutex::new(known),
            due: Mutex::new(None),
            news: News::default(),
        };
        Ok(Client { shared: Arc::new(shared), thread: Mutex::new(None) })
    }

    /// The state at this moment. During an operation, it is the one before it.
    pub fn state(&self) -> State {
        self.shared.state()
    }

    /// Whether the app may be used.
    pub fn may_run(&self) -> bool {
        self.state().may_run()
    }

    /// The value of a feature. It is none if the license does not have the feature, and while the app may not run.
    pub fn feature(&self, name: &str) -> Option<Value> {
        let shown = self.shared.shown();
        let terms = shown.terms.as_ref().filter(|_| shown.decide().may_run())?;
        terms.feature(name, shown.clock.now())
    }

    /// The time until the next check that is due by itself; none if none is planned.
    pub fn next_check(&self) -> Option<Duration> {
        self.shared.next_check()
    }

    /// Reads the stored state and keeps it up to date from then on. If the state allows the app to run, it returns at once
    /// and asks the service in a thread of its own; otherwise it waits for the check, at most for the request timeout.
    pub fn start(&self) -> State {
        let shared = &self.shared;
        let mut core = locked(&shared.core);
        if core.is_running {
            drop(core);
            return self.state();
        }
        core.is_running = true;
        let loaded = core.session.record.load();
        core.log_failure(loaded);
        core.beat();
        let bell = Arc::new(Bell::default());
        core.bell = bell.clone();
        let is_keyed = core.session.record.stored.license_key.is_some();
        let until = if is_keyed { Some(0) } else { core.session.record.until_check() };
        shared.plan(&core, until);
        let state = core.session.record.known().decide();
        if !shared.options.is_manual {
            // It begins with the check once this operation has ended.
            let (shared, own) = (shared.clone(), bell.clone());
            match thread::Builder::new().name("latchkey".into()).spawn(move || shared.run(&own)) {
                Ok(thread) => *locked(&self.thread) = Some(Worker { thread, bell: bell.clone() }),
                Err(error) => (self.shared.options.log)(&format!("no thread for the checks: {error}")),
            }
        }
        shared.end(core);
        if state.may_run() || !is_keyed {
            return state;
        }
        if shared.options.is_manual {
            self.work();
        } else {
            bell.wait(shared.options.request_timeout, |rung| rung.is_checked);
        }
        self.state()
    }

    /// Notices what other processes stored, and makes the check that is due. Returns the time until it wants to be called
    /// again. The client calls it by itself, unless the option `is_manual` is set.
    pub fn work(&self) -> Duration {
        self.shared.work()
    }

    /// Binds a license key to this machine; an empty one is the stored key. If a floating license has no free seat, the
    /// state becomes [`Status::Waiting`](crate::Status::Waiting). The error is [`Error::Refused`],
    /// [`Error::Unreachable`], [`Error::NoLicenseKey`] without any key, or [`Error::NoFingerprint`].
    pub fn activate(&self, license_key: &str) -> Result<State, Error> {
        self.shared.change(|session| session.activate(license_key))
    }

    /// Starts the trial of this machine, without a license key; it changes nothing while the app may run. A machine has one
    /// trial of a product. Without a variant it is the only one of the product that offers a trial. The error is
    /// [`Error::Refused`], with the code `trial_over` once the trial has ended, or as for [`activate`](Client::activate).
    pub fn start_trial(&self, variant: Option<&str>, email: Option<&str>) -> Result<State, Error> {
        self.shared.change(|session| session.start_trial(variant, email))
    }

    /// Counts units of a meter of the license. While the service does not answer, the use waits in the stored state, if the
    /// option `offline_uses` allows it, and is sent later. The error is [`Error::Refused`], with the code `meter_limit`
    /// beyond the limit, [`Error::InvalidUnits`], or as for [`activate`](Client::activate); then nothing was counted.
    pub fn consume(&self, use_of_meter: Use) -> Result<Consumption, Error> {
        let mut core = locked(&self.shared.core);
        let outcomes = core.session.record.outcomes;
        let consumption = core.session.consume(use_of_meter);
        // A use that says nothing about the license leaves the next check where it is.
        if core.session.record.outcomes != outcomes {
            self.shared.plan_next(&core);
        }
        self.shared.end(core);
        consumption
    }

    /// Asks the service now. Concurrent callers share one call.
    pub fn check(&self) -> State {
        let mut core = locked(&self.shared.core);
        let now = self.shared.options.clock.monotonic();
        let is_too_soon = core.checked_at.is_some_and(|at| now - at < CLICK_PAUSE);
        if !is_too_soon && core.session.record.pause() == 0 {
            self.shared.check_now(&mut core, true);
        }
        self.shared.end(core);
        self.state()
    }

    /// Imports a license file. The error is [`Error::BadLicenseFile`] or [`Error::NoFingerprint`].
    pub fn import_file(&self, text: &str) -> Result<State, Error> {
        self.shared.change(|session| session.import_file(text))
    }

    /// A text from which an operator makes a license file for this machine, which has no network. The error is
    /// [`Error::NoFingerprint`].
    pub fn export_request(&self, license_key: &str) -> Result<String, Error> {
        let mut core = locked(&self.shared.core);
        let loaded = core.session.record.load();
        let request = encode(
            json_of(&json!({
                "v": 1,
                "productId": self.shared.options.product_id,
                "licenseKey": license_key,
                "fingerprint": core.session.record.fingerprint,
                "hostname": core.session.hostname(),
                "client": "latchkey-rust",
                "createdAt": iso(self.shared.options.clock.now()),
            }))
            .as_bytes(),
        );
        self.shared.end(core);
        loaded?;
        let mut text = String::from("-----BEGIN LATCHKEY REQUEST-----\n");
        for line in request.as_bytes().chunks(64) {
            text.push_str(&String::from_utf8_lossy(line));
            text.push('\n');
        }
        Ok(text + "-----END LATCHKEY REQUEST-----\n")
    }

    /// Frees the slot of this machine and forgets the license. After an error nothing has changed.
    pub fn deactivate(&self) -> Result<(), Error> {
        self.shared.change(Session::deactivate).map(|_| ())
    }

    /// Ends the checks, gives back a floating seat as the option `release` says, and keeps the license. It waits for a
    /// check that is in progress.
    pub fn close(&self) {
        let mut core = locked(&self.shared.core);
        if core.is_running {
            core.is_running = false;
            *locked(&self.shared.due) = None;
            core.bell.ring(|rung| rung.is_stopped = true);
            if core.session.record.keeper.folder().is_none_or(Folder::leave) {
                core.session.give_seat_back();
            }
        }
        self.shared.end(core);
        let ended = locked(&self.thread).take();
        // A listener that closes the client may run in this very thread.
        if let Some(ended) = ended.filter(|ended| ended.thread.thread().id() != thread::current().id()) {
            let _ = ended.thread.join();
        }
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        if let Some(worker) = locked(&self.thread).take() {
            worker.bell.ring(|rung| rung.is_stopped = true);
        }
    }
}

impl Shared {
    fn shown(&self) -> Arc<Known> {
        locked(&self.shown).clone()
    }

    fn state(&self) -> State {
        self.shown().decide()
    }

    fn next_check(&self) -> Option<Duration> {
        let planned = *locked(&self.due);
        let left = planned?.monotonic - self.options.clock.monotonic();
        Some(Duration::from_millis(left.try_into().unwrap_or(0)))
    }

    /// Makes the checks that are due, until the bell tells it to end.
    fn run(&self, bell: &Bell) {
        while !bell.wait(self.work(), |rung| rung.is_stopped) {}
    }

    fn work(&self) -> Duration {
        let mut core = locked(&self.core);
        if core.is_running {
            self.notice(&mut core);
            if self.is_due() {
                self.check_now(&mut core, false);
            }
        }
        self.end(core);
        self.next_check().map_or(WORK_EVERY, |left| left.min(WORK_EVERY))
    }

    /// An operation of the app, after which the next check is planned.
    fn change(&self, act: impl FnOnce(&mut Session) -> Result<(), Error>) -> Result<State, Error> {
        let mut core = locked(&self.core);
        let acted = act(&mut core.session);
        self.plan_next(&core);
        self.end(core);
        acted.map(|()| self.state())
    }

    /// Ends an operation, and gives notice of a changed state.
    fn end(&self, mut core: MutexGuard<'_, Core>) {
        let known = Arc::new(core.session.record.known());
        let present = known.decide();
        *locked(&self.shown) = known;
        if core.noticed != present {
            let old = std::mem::replace(&mut core.noticed, present.clone());
            self.news.add(Event::Changed(Box::new([old, present])));
        }
        for refused in core.session.refused_uses.drain(..) {
            self.news.add(Event::UseRefused(refused));
        }
        drop(core);
        self.news.tell(&self.options);
    }

    fn check_now(&self, core: &mut Core, is_asked_for: bool) {
        core.beat();
        let checked = core.session.check(is_asked_for);
        core.log_failure(checked);
        core.checked_at = Some(self.options.clock.monotonic());
        self.plan_next(core);
        core.bell.ring(|rung| rung.is_checked = true);
    }

    /// Takes over what another process stored. Another license, or another verdict about it, is checked here, too.
    fn notice(&self, core: &mut Core) {
        if !core.session.record.keeper.is_changed() {
            return;
        }
        let stored = &core.session.record.stored;
        let before = (stored.license_key.clone(), stored.tombstone.is_some());
        let loaded = core.session.record.load();
        core.log_failure(loaded);
        let stored = &core.session.record.stored;
        if before != (stored.license_key.clone(), stored.tombstone.is_some()) {
            self.plan_next(core);
        }
    }

    fn plan_next(&self, core: &Core) {
        self.plan(core, core.session.record.until_check());
    }

    fn plan(&self, core: &Core, until: Option<i64>) {
        let clock = &self.options.clock;
        let until = until.filter(|_| core.is_running);
        *locked(&self.due) =
            until.map(|until| Due { monotonic: clock.monotonic() + until, local: clock.now() + until });
    }

    fn is_due(&self) -> bool {
        let clock = &self.options.clock;
        locked(&self.due).is_some_and(|due| {
            let has_slept = !clock.counts_sleep() && clock.now() >= due.local;
            has_slept || clock.monotonic() >= due.monotonic
        })
    }
}

impl Core {
    fn beat(&self) {
        if let Some(folder) = self.session.record.keeper.folder() {
            folder.beat();
        }
    }

    /// Tells the log of a failure, after which the client goes on with the rest.
    fn log_failure(&mut self, done: Result<(), Error>) {
        if let Err(error) = done {
            let text = error.to_string();
            if self.logged.as_ref() != Some(&text) {
                (self.session.options.log)(&text);
                self.logged = Some(text);
            }
        }
    }
}

#[cfg(feature = "ureq")]
fn default_transport() -> Result<Arc<dyn Transport>, Error> {
    Ok(Arc::new(crate::http::HttpTransport::new()))
}

#[cfg(not(feature = "ureq"))]
fn default_transport() -> Result<Arc<dyn Transport>, Error> {
    Err(Error::InvalidOption("transport is missing: this build has no requests of its own".into()))
}
