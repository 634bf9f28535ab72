use crate::decide::Outcome;
use crate::error::Error;
use crate::facts::{hint_of, Facts};
use crate::json::{text_in, whole_in, Object};
use crate::line::{Called, Line};
use crate::machine::hostname;
use crate::options::Options;
use crate::record::Record;
use crate::schedule::until_daily_check;
use crate::state::{Problem, RefusedUse};
use crate::time::{millis_of, DAY, HOUR};
use serde_json::Value;
use std::sync::Arc;

/// Sent for a computer without a name, because the service needs one.
const NAMELESS: &str = "Unnamed computer";

/// The time between two automatic activations of a machine, because all machines of a license share 15 activations an
/// hour.
const ACTIVATION_PAUSE: i64 = HOUR;

/// What a machine has lost by an answer.
#[derive(Clone, Copy, PartialEq)]
enum Lost {
    Slot,
    Token,
}

/// Makes the calls to the service, and draws the consequences of its answers.
pub(crate) struct Session {
    pub options: Arc<Options>,
    pub line: Line,
    pub record: Record,
    /// By the monotonic clock.
    full_check_due: i64,
    /// By the monotonic clock: no request for a license file before it.
    pub file_not_before: i64,
    /// Uses that were refused, of which the app gets a notice.
    pub refused_uses: Vec<RefusedUse>,
}

impl Session {
    pub fn new(options: Arc<Options>, line: Line, record: Record) -> Self {
        Session { options, line, record, full_check_due: 0, file_not_before: 0, refused_uses: Vec::new() }
    }

    /// Checks the license. It fails without a fingerprint alone.
    pub fn check(&mut self, is_asked_for: bool) -> Result<(), Error> {
        self.ask(is_asked_for)?;
        if self.record.outcome == Outcome::Good {
            self.send_uses();
        }
        Ok(())
    }

    pub fn ask(&mut self, is_asked_for: bool) -> Result<(), Error> {
        self.record.load()?;
        let Some(license_key) = self.record.stored.license_key.clone() else { return Ok(()) };
        let Some(token) = self.record.stored.token.clone() else {
            self.join(&license_key);
            return Ok(());
        };
        let has_good = self.record.outcome == Outcome::Good && self.record.covers_build();
        let is_full_check_due = self.options.clock.monotonic() >= self.full_check_due;
        if !is_asked_for && self.record.stored.is_floating() && has_good && !is_full_check_due {
            self.beat(&license_key, &token);
        } else {
            self.validate(&license_key, &token);
        }
        self.renew_file();
        Ok(())
    }

    pub fn checked_fully(&mut self) {
        self.full_check_due = self.options.clock.monotonic() + until_daily_check((self.options.random)());
    }

    fn beat(&mut self, license_key: &str, token: &str) {
        if let Some(seat) = self.record.stored.seat {
            let heartbeat = millis_of(self.options.heartbeat) as f64;
            let interval = heartbeat.min((seat.until - seat.beat_at) as f64 / 3.0);
            // Another process of this machine has renewed the shared seat.
            if ((self.record.now() - seat.beat_at) as f64) < interval / 2.0 {
                return;
            }
        }
        match self.call("/heartbeat", license_key, token, Object::new()) {
            Called::Good { reply, server_time } => {
                let mut given = self.facts_before(license_key);
                given.take_heartbeat(&reply);
                self.record.accept(&reply, server_time, given, |_| {});
            }
            called => self.not_good(license_key, &called),
        }
    }

    fn validate(&mut self, license_key: &str, token: &str) {
        let mut fields = self.build_fields();
        fields.insert("acceptsReplacement".into(), true.into());
        let (reply, server_time) = match self.call("/validate", license_key, token, fields) {
            Called::Good { reply, server_time } => (reply, server_time),
            called if called.is_of_replaced_key() => return self.refused(&called),
            called => return self.not_good(license_key, &called),
        };
        self.checked_fully();
        let moved = text_in(reply.get("licenseKey")).zip(text_in(reply.get("sessionToken")));
        if moved.as_ref().is_some_and(|(new_key, token)| !self.follow(license_key, new_key, token)) {
            return;
        }
        let (license_key, token) = moved.unwrap_or_else(|| {
            let token = text_in(reply.get("newToken")).unwrap_or_else(|| token.to_owned());
            (license_key.to_owned(), token)
        });
        let mut given = self.facts_before(&license_key);
        given.take_check(&reply);
        self.record.accept(&reply, server_time, given, |state| state.token = Some(token.clone()));
    }

    /// Stores the key that took the place of the stored one. Returns false if another process has stored a third one.
    fn follow(&mut self, license_key: &str, new_key: &str, token: &str) -> bool {
        let given = Facts { license_key_hint: hint_of(new_key), ..self.facts_before(license_key) };
        self.record.keep(|state| {
            state.license_key = Some(new_key.to_owned());
            state.token = Some(token.to_owned());
            state.facts = Some(given.clone());
        });
        self.record.stored.license_key.as_deref() == Some(new_key)
    }

    pub fn facts_before(&self, license_key: &str) -> Facts {
        self.record.stored.facts.clone().unwrap_or_else(|| Facts {
            license_key_hint: hint_of(license_key),
            product_id: self.options.product_id.clone(),
            ..Facts::default()
        })
    }

    /// Names this build.
    fn build_fields(&self) -> Object {
        let given = [("buildDate", &self.options.build_date), ("version", &self.options.version)];
        let named = given.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value.clone()?.into())));
        named.collect()
    }

    pub fn hostname(&self) -> String {
        let name = self.options.hostname.clone().unwrap_or_else(hostname);
        if name.trim().is_empty() {
            NAMELESS.to_owned()
        } else {
            name
        }
    }

    /// Names the machine, the product, the build, and the person who uses the app if it is known.
    pub fn user_fields(&self) -> Object {
        let mut fields = self.build_fields();
        fields.insert("machineFingerprint".into(), self.record.fingerprint.as_str().into());
        fields.insert("hostname".into(), self.hostname().into());
        fields.insert("productId".into(), self.options.product_id.as_str().into());
        if let Some(user) = self.options.user.as_ref().and_then(|find| find()).filter(|user| !user.is_empty()) {
            fields.insert("user".into(), user.into());
        }
        fields
    }

    pub fn call(&self, endpoint: &str, license_key: &str, token: &str, mut fields: Object) -> Called {
        fields.insert("licenseKey".into(), license_key.into());
        fields.insert("token".into(), token.into());
        fields.insert("machineFingerprint".into(), self.record.fingerprint.as_str().into());
        self.line.call(endpoint, &fields)
    }

    pub fn call_activate(&self, license_key: &str) -> Called {
        let mut fields = self.user_fields();
        fields.insert("licenseKey".into(), license_key.into());
        self.line.call("/activate", &fields)
    }

    pub fn call_verify(&self, license_key: &str) -> Called {
        let fields = [("licenseKey", license_key), ("productId", &self.options.product_id)];
        self.line
            .call("/verify", &fields.map(|(name, value)| (name.to_owned(), Value::from(value))).into_iter().collect())
    }

    /// Draws the consequences of an answer to a check that is not good.
    pub fn not_good(&mut self, license_key: &str, called: &Called) {
        if let Some(token) = self.record.stored.token.clone().filter(|_| called.is_of_replaced_key()) {
            return self.validate(license_key, &token);
        }
        match called {
            Called::Refused { refusal, .. } => match refusal.code {
                "machine_not_activated" => self.rejoin(license_key, Lost::Slot),
                "invalid_token" | "token_mismatch" => self.rejoin(license_key, Lost::Token),
                _ => self.refused(called),
            },
            _ => self.refused(called),
        }
    }

    /// Activates a machine again that has lost its slot, its seat or its token, within the limit.
    fn rejoin(&mut self, license_key: &str, lost: Lost) {
        let may_ask = lost == Lost::Token || self.record.stored.is_floating() || !self.options.asks_to_reactivate;
        let now = self.record.now();
        let is_soon = self.record.stored.activated_at.is_some_and(|at| (now - at).abs() < ACTIVATION_PAUSE);
        if may_ask && !is_soon {
            self.join(license_key);
            return;
        }
        if lost == Lost::Slot {
            match if may_ask { self.is_full(license_key) } else { Some(true) } {
                None => return,
                Some(true) => {
                    self.record.lose_slot();
                    return;
                }
                Some(false) => {}
            }
            // Another process may have deactivated the license in the meantime.
            if self.record.load().is_err() || self.record.stored.license_key.as_deref() != Some(license_key) {
                return;
            }
        }
        let lost = if lost == Lost::Slot { "slot" } else { "token" };
        let detail = format!("the service does not know the {lost} of this machine any more");
        self.record.miss(Problem::new("token", detail), None);
    }

    /// Whether every slot is taken; none if the answer has settled the state already.
    fn is_full(&mut self, license_key: &str) -> Option<bool> {
        let called = self.call_verify(license_key);
        let Called::Good { reply, server_time } = called else {
            self.refused(&called);
            return None;
        };
        self.record.clock.learn(server_time);
        let (used, most) = (whole_in(reply.get("machinesUsed"))?, whole_in(reply.get("maxMachines"))?);
        Some(most >= 0 && used >= most)
    }

    /// Activates with the stored key, but only if that can succeed, because attempts are limited.
    fn join(&mut self, license_key: &str) {
        let is_waiting = self.record.outcome == Outcome::Waiting;
        if self.record.stored.tombstone.is_some() || is_waiting {
            match self.is_full(license_key) {
                None => return,
                Some(true) if is_waiting => {
                    self.record.lose_slot();
                    return;
                }
                Some(_) => {}
            }
        }
        match self.call_activate(license_key) {
            Called::Good { reply, server_time } => self.activated(license_key, &reply, server_time),
            called @ Called::Missed { .. } => self.refused(&called),
            called @ Called::Refused { .. } => {
                let now = self.record.now();
                if self.record.keep(|state| state.activated_at = Some(now)) {
                    self.refused(&called);
                }
            }
        }
    }

    pub fn activated(&mut self, license_key: &str, reply: &Object, server_time: Option<i64>) {
        self.checked_fully();
        let now = server_time.unwrap_or_else(|| self.record.now());
        let mut given = self.facts_before(license_key);
        given.take_activation(reply, now);
        let token = text_in(reply.get("token"));
        self.record.accept(reply, server_time, given, |state| {
            state.token.clone_from(&token);
            state.activated_at = Some(now);
        });
    }

    /// Takes over a refusal of a license that was accepted on this machine before, or a missing answer.
    pub fn refused(&mut self, called: &Called) {
        let (refusal, server_time) = match called {
            Called::Good { .. } => return,
            Called::Missed { problem, retry_after } => return self.record.miss(problem.clone(), *retry_after),
            Called::Refused { refusal, server_time } => (refusal, *server_time),
        };
        if refusal.code == "license_expired" && self.is_expired_by_a_wrong_clock(server_time) {
            let detail = "by the clock of the service, which is ahead, the license has expired";
            return self.record.miss(Problem::new("clock", detail), None);
        }
        self.record.clock.learn(server_time);
        match refusal.code {
            "license_replaced" | "license_revoked" | "license_expired" | "wrong_product" => {
                self.record.refuse(refusal.code)
            }
            "machine_limit" => self.record.lose_slot(),
            "user_limit" => self.record.lose(Outcome::Released),
            "license_not_found" => {
                // The license existed when it was activated. The service has lost it, as after restoring an old backup, and
                // the customer has paid.
                let detail = "the service does not know the license any more";
                self.record.miss(Problem::new("license_not_found", detail), None);
            }
            "activation_rate" => self.record.miss(Problem::new("busy", refusal.text.as_str()), refusal.retry_after),
            "update_not_covered" if self.record.leave_uncovered(&refusal.fields) => {}
            _ => self.record.miss(Problem::new("request", refusal.text.as_str()), None),
        }
    }

    /// Whether the license has expired only by a clock of the service that is more than a day ahead. A user who sets the
    /// machine's clock back to get here gains no more than from an outage.
    fn is_expired_by_a_wrong_clock(&self, server_time: Option<i64>) -> bool {
        let expires = self.record.stored.facts.as_ref().and_then(Facts::expires);
        let now = self.record.now();
        expires.zip(server_time).is_some_and(|(expires, at)| now < expires && expires <= at && at - now > DAY)
    }
}
