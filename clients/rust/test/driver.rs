//! The driver of this client for the conformance tests, see clients/conformance/PROTOCOL.md.

use latchkey::{
    Client, Clock, ClockCondition, Consumption, Error, HttpTransport, Options, PublicKey, Release, Source, State,
    Status, Time, Use,
};
use serde_json::{json, Map, Value};
use std::io::{self, BufRead, Write};
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

const CAN: &str =
    "tls default-fingerprint default-directory fingerprint-function uncounted-sleep features trials meters users";

/// Stands still between commands.
struct CommandClock {
    now: AtomicI64,
    monotonic: AtomicI64,
    counts_sleep: bool,
}

impl CommandClock {
    fn set(&self, command: &Value) {
        self.now.store(whole(&command["now"]), Ordering::SeqCst);
        self.monotonic.store(whole(&command["monotonic"]), Ordering::SeqCst);
    }
}

impl Clock for CommandClock {
    fn now(&self) -> i64 {
        self.now.load(Ordering::SeqCst)
    }

    fn monotonic(&self) -> i64 {
        self.monotonic.load(Ordering::SeqCst)
    }

    fn counts_sleep(&self) -> bool {
        self.counts_sleep
    }
}

#[derive(Default)]
struct Driver {
    client: Option<Client>,
    clock: Option<Arc<CommandClock>>,
    fingerprint: Arc<Mutex<Option<String>>>,
    notices: Arc<Mutex<Vec<&'static str>>>,
}

/// The answer to a command that failed.
type Failed = Value;

fn whole(value: &Value) -> i64 {
    value.as_f64().unwrap_or_default() as i64
}

fn text(value: &Value) -> Option<String> {
    value.as_str().map(str::to_owned)
}

fn texts(value: &Value) -> Vec<String> {
    value.as_array().into_iter().flatten().filter_map(text).collect()
}

fn millis(value: &Value, usual: Duration) -> Duration {
    value.as_u64().map_or(usual, Duration::from_millis)
}

impl Driver {
    fn create(&mut self, command: &Value) -> Result<(), Failed> {
        let asked = &command["options"];
        self.client = None;
        self.notices = Arc::default();
        let clock = Arc::new(CommandClock {
            now: AtomicI64::new(0),
            monotonic: AtomicI64::new(0),
            counts_sleep: asked["countsSleep"].as_bool().unwrap_or(true),
        });
        clock.set(command);
        let mut options = Options::new("", text(&asked["productId"]).unwrap_or_default());
        options.servers = texts(&asked["server"]);
        options.issuer = text(&asked["issuer"]);
        let key = |each: &Value| Some(PublicKey::new(each["kid"].as_str()?, each["x"].as_str()?));
        options.public_keys = asked["publicKeys"].as_array().into_iter().flatten().filter_map(key).collect();
        options.stolen_keys = texts(&asked["stolenKeys"]);
        options.build_date = text(&asked["buildDate"]);
        options.version = text(&asked["version"]);
        options.directory = asked["directory"].as_str().map(Into::into);
        options.hostname = text(&asked["hostname"]);
        options.heartbeat = millis(&asked["heartbeatMs"], options.heartbeat);
        options.request_timeout = millis(&asked["requestTimeoutMs"], options.request_timeout);
        options.release = match asked["release"].as_str() {
            Some("always") => Release::Always,
            Some("never") => Release::Never,
            _ => Release::SmallPools,
        };
        options.asks_to_reactivate = asked["reactivate"] == "ask";
        let hours =
            |value: &Value, usual| value.as_f64().map_or(usual, |hours| Duration::from_secs_f64(hours * 3600.0));
        options.grace = hours(&json!(asked["graceDays"].as_f64().map(|days| days * 24.0)), options.grace);
        options.floating_grace = hours(&asked["graceFloatingHours"], options.floating_grace);
        options.offline_uses = whole(&asked["offlineUses"]) as usize;
        options.is_manual = true;
        let random = asked["random"].as_f64().unwrap_or(0.5);
        let (notices, fingerprint) = (self.notices.clone(), self.fingerprint.clone());
        options.random(move || random).clock(clock.clone());
        options.on_change(move |_, present| notices.lock().unwrap().push(present.status.name()));
        if let Some(given) = asked.get("fingerprint") {
            *fingerprint.lock().unwrap() = text(given);
            let absent = || io::Error::other("the fingerprint cannot be found");
            options.fingerprint(move || fingerprint.lock().unwrap().clone().ok_or_else(absent));
        }
        if let Some(user) = text(&asked["user"]) {
            options.user(move || Some(user.clone()));
        }
        if let Some(file) = asked["ca"].as_str() {
            let pem = std::fs::read(file).expect("the authority can be read");
            options.transport(HttpTransport::with_roots(&pem).expect("the authority is a PEM"));
        }
        self.clock = Some(clock);
        self.client = Some(Client::new(options).map_err(|error| error_of(&error))?);
        Ok(())
    }

    /// Returns the value of a command; none for a command without a value.
    fn run(&self, client: &Client, command: &Value) -> Result<Option<Value>, Failed> {
        let done = |done: Result<State, Error>| done.map(|_| None).map_err(|error| error_of(&error));
        match command["do"].as_str().unwrap_or_default() {
            "start" => {
                let status = client.start().status.name();
                work(client);
                return Ok(Some(status.into()));
            }
            "clock" => {
                self.clock.iter().for_each(|clock| clock.set(command));
                work(client);
            }
            "activate" => return done(client.activate(command["key"].as_str().unwrap_or_default())),
            "startTrial" => {
                let order = &command["order"];
                return done(client.start_trial(order["variant"].as_str(), order["email"].as_str()));
            }
            "check" => {
                for _ in 0..command["times"].as_i64().unwrap_or(1) {
                    client.check();
                }
            }
            "feature" => {
                return Ok(Some(client.feature(command["name"].as_str().unwrap_or_default()).unwrap_or_default()))
            }
            "consume" => return consume(client, command).map(Some).map_err(|error| error_of(&error)),
            "importFile" => return done(client.import_file(command["text"].as_str().unwrap_or_default())),
            "exportRequest" => {
                let made = client.export_request(command["key"].as_str().unwrap_or_default());
                return made.map(|text| Some(text.into())).map_err(|error| error_of(&error));
            }
            "deactivate" => return done(client.deactivate().map(|()| client.state())),
            "close" => client.close(),
            "fingerprint" => *self.fingerprint.lock().unwrap() = text(&command["value"]),
            "state" => {}
            _ => return Err(json!({ "name": "UnknownCommand" })),
        }
        Ok(None)
    }

    fn answer_to(&mut self, command: &Value) -> Value {
        let done = match &self.client {
            _ if command["do"] == "create" => self.create(command).map(|()| None),
            Some(client) => self.run(client, command),
            None => Ok(None),
        };
        let mut answer = json!({ "state": null, "next": null, "notices": [] });
        match done {
            Err(failed) => answer["error"] = failed,
            Ok(Some(value)) => answer["value"] = value,
            Ok(None) => {}
        }
        if let Some(client) = &self.client {
            answer["state"] = state_of(&client.state());
            answer["next"] = json!(client.next_check().map(|left| left.as_millis() as u64));
            answer["notices"] = json!(std::mem::take(&mut *self.notices.lock().unwrap()));
        }
        answer
    }
}

/// Makes the checks that are due.
fn work(client: &Client) {
    client.work();
    while client.next_check() == Some(Duration::ZERO) {
        client.work();
    }
}

fn consume(client: &Client, command: &Value) -> Result<Value, Error> {
    let asked = Use {
        meter: text(&command["meter"]).unwrap_or_default(),
        // No number is too many units for the client.
        units: command["units"].as_f64().map_or(1, |units| if units < 0.0 { u64::MAX } else { units as u64 }),
        request_id: text(&command["requestId"]),
    };
    Ok(match client.consume(asked)? {
        Consumption::Counted { meter, used, limit, remaining, resets_at } => json!({
            "status": "counted", "meter": meter, "used": used, "limit": limit, "remaining": remaining,
            "resetsAt": time_of(resets_at),
        }),
        Consumption::Queued(queued) => json!({
            "status": "queued", "meter": queued.meter, "units": queued.units, "requestId": queued.request_id,
        }),
    })
}

fn time_of(time: Option<Time>) -> Value {
    json!(time.map(|time| time.to_string()))
}

fn state_of(state: &State) -> Value {
    let clock = match state.clock {
        ClockCondition::Right => "right",
        ClockCondition::Ahead => "ahead",
        ClockCondition::Behind => "behind",
    };
    let facts = state.facts.as_ref().map(|facts| {
        json!({
            "licenseKeyHint": facts.license_key_hint, "productId": facts.product_id, "variant": facts.variant,
            "licenseType": facts.license_type, "licenseExpiresAt": time_of(facts.license_expires_at),
            "daysRemaining": facts.days_remaining, "machinesUsed": facts.machines_used,
            "maxMachines": facts.max_machines, "graceUntil": time_of(facts.grace_until),
            "updatesUntil": time_of(facts.updates_until), "maxVersion": facts.max_version, "features": facts.features,
        })
    });
    let problem_of = |problem: &latchkey::Problem| json!({ "kind": problem.kind, "detail": problem.detail });
    let mut shown = json!({
        "status": state.status.name(), "mayRun": state.may_run(), "facts": facts, "clock": clock,
        "storageProblem": state.storage_problem,
    });
    match &state.status {
        Status::Licensed { source, until } => {
            shown["source"] = json!(if *source == Source::Server { "server" } else { "stored" });
            shown["until"] = time_of(*until);
        }
        Status::Grace { until, since, problem } => {
            shown["until"] = time_of(Some(*until));
            shown["since"] = time_of(Some(*since));
            shown["problem"] = problem_of(problem);
        }
        Status::Lapsed { since, problem } => {
            shown["since"] = time_of(Some(*since));
            shown["problem"] = problem_of(problem);
        }
        Status::Refused { why, since } => {
            shown["why"] = json!(why);
            shown["since"] = time_of(*since);
        }
        Status::Unlicensed | Status::Waiting | Status::Released => {}
    }
    shown
}

fn error_of(error: &Error) -> Value {
    match error {
        Error::Refused(refused) => {
            let further = [
                ("limit", json!(refused.limit)),
                ("retryAfterMs", json!(refused.retry_after.map(|pause| pause.as_millis() as u64))),
                ("resetsAt", time_of(refused.resets_at)),
            ];
            let mut found =
                Map::from_iter([("name".to_owned(), json!("Refused")), ("code".to_owned(), json!(refused.code))]);
            found.extend(
                further.into_iter().filter(|(_, value)| !value.is_null()).map(|(name, value)| (name.to_owned(), value)),
            );
            Value::Object(found)
        }
        Error::Unreachable(problem) => json!({ "name": "Unreachable", "kind": problem.kind }),
        Error::BadLicenseFile(bad) => json!({ "name": "BadLicenseFile", "reason": bad.reason }),
        Error::NoFingerprint(_) => json!({ "name": "NoFingerprint" }),
        Error::NoLicenseKey => json!({ "name": "NoKey" }),
        _ => json!({ "name": "InvalidOption" }),
    }
}

fn say(line: &Value) {
    let mut output = io::stdout().lock();
    writeln!(output, "{line}").and_then(|()| output.flush()).expect("the runner reads");
}

fn main() {
    signal_hook::flag::register(signal_hook::consts::SIGXFSZ, Arc::new(AtomicBool::new(false))).expect("it is known");
    say(&json!({ "driver": "rust", "protocol": 1, "can": CAN.split(' ').collect::<Vec<_>>() }));
    let mut driver = Driver::default();
    for line in io::stdin().lock().lines() {
        let command = serde_json::from_str(&line.expect("the runner writes")).expect("a command is JSON");
        say(&driver.answer_to(&command));
    }
    // The app has crashed: its client is not closed.
    std::process::exit(0);
}
