//! The functions of the app that change which license this machine has.

use crate::error::Error;
use crate::facts::{is_key_of_file, Facts};
use crate::file::bad;
use crate::json::{text_in, Object};
use crate::line::Called;
use crate::options::Release;
use crate::refusals::Refusal;
use crate::session::Session;
use crate::stored::StoredState;
use crate::time::MINUTE;

/// The seats up to which a pool gets its seats back when the app closes.
const SMALL_POOL: f64 = 10.0;

/// The time within which an app that is restarted keeps its seat.
const RELEASE_PAUSE: i64 = 10 * MINUTE;

impl Session {
    /// Takes a key that the user entered, or takes a slot again.
    pub fn activate(&mut self, given: &str) -> Result<(), Error> {
        self.record.load()?;
        let stored = self.record.stored.license_key.clone();
        let license_key = match given.trim() {
            "" => stored.clone().ok_or(Error::NoLicenseKey)?,
            given => given.to_owned(),
        };
        let is_same = stored.as_ref() == Some(&license_key);
        let called = self.call_activate(&license_key);
        match &called {
            Called::Good { reply, server_time } => {
                self.accept_key(&license_key, reply, *server_time);
                self.send_uses();
                Ok(())
            }
            Called::Missed { problem, .. } => {
                if is_same {
                    self.refused(&called);
                }
                Err(Error::Unreachable(problem.clone()))
            }
            Called::Refused { refusal, .. }
                if refusal.code == "machine_limit" && self.is_floating(&license_key, refusal) =>
            {
                self.wait(&license_key, is_same);
                Ok(())
            }
            Called::Refused { refusal, server_time } => {
                if is_same && called.is_of_replaced_key() {
                    self.not_good(&license_key, &called);
                    if self.record.stored.license_key.as_ref() != Some(&license_key) {
                        self.renew_file();
                        self.send_uses();
                        return Ok(());
                    }
                    if let Some(problem) = self.record.problem() {
                        return Err(Error::Unreachable(problem.clone()));
                    }
                } else if is_same {
                    self.refused(&called);
                } else {
                    self.record.clock.learn(*server_time);
                }
                Err(refusal.as_error())
            }
        }
    }

    /// Takes over the key of a floating license without a free seat.
    fn wait(&mut self, license_key: &str, is_same: bool) {
        if !is_same {
            self.put_key(license_key);
        }
        let given = Facts { license_type: Some("floating".into()), ..self.facts_before(license_key) };
        let is_kept = self.record.keep(|state| {
            state.facts = Some(given.clone());
            state.tombstone = None;
        });
        if is_kept {
            self.record.lose_slot();
        }
    }

    /// Takes a trial, unless the app may run.
    pub fn start_trial(&mut self, variant: Option<&str>, email: Option<&str>) -> Result<(), Error> {
        self.record.load()?;
        if self.record.known().decide().may_run() {
            return Ok(());
        }
        let mut fields = self.user_fields();
        for (name, value) in [("variant", variant), ("email", email)] {
            if let Some(value) = value {
                fields.insert(name.into(), value.into());
            }
        }
        match self.line.call("/startTrial", &fields) {
            Called::Missed { problem, .. } => Err(Error::Unreachable(problem)),
            Called::Refused { refusal, server_time } => {
                self.record.clock.learn(server_time);
                Err(refusal.as_error())
            }
            Called::Good { reply, server_time } => {
                self.accept_key(&text_in(reply.get("licenseKey")).unwrap_or_default(), &reply, server_time);
                Ok(())
            }
        }
    }

    fn accept_key(&mut self, license_key: &str, reply: &Object, server_time: Option<i64>) {
        if self.record.stored.license_key.as_deref() != Some(license_key) {
            self.put_key(license_key);
        }
        self.activated(license_key, reply, server_time);
        self.renew_file();
    }

    /// Replaces the license. A file that was imported for the new one stays.
    fn put_key(&mut self, license_key: &str) {
        let record = &mut self.record;
        let stays = is_key_of_file(Some(license_key), record.file.as_ref());
        record.replace(StoredState {
            license_key: Some(license_key.to_owned()),
            key_lists: record.stored.key_lists.clone(),
            file: record.stored.file.clone().filter(|_| stays),
            ..StoredState::default()
        });
    }

    /// Whether a license without a free slot is a floating one.
    fn is_floating(&self, license_key: &str, refusal: &Refusal) -> bool {
        if let Some(named) = text_in(refusal.fields.get("licenseType")) {
            return named == "floating";
        }
        let stored = &self.record.stored;
        let is_known = stored.facts.as_ref().is_some_and(|facts| facts.license_type.is_some());
        if stored.license_key.as_deref() == Some(license_key) && is_known {
            return stored.is_floating();
        }
        match self.call_verify(license_key) {
            Called::Good { reply, .. } => reply.get("licenseType").is_some_and(|named| named == "floating"),
            _ => false,
        }
    }

    /// Frees the slot and forgets the license. Without an answer nothing has changed.
    pub fn deactivate(&mut self) -> Result<(), Error> {
        self.record.load()?;
        self.send_uses();
        let stored = &self.record.stored;
        if let (Some(license_key), Some(token)) = (stored.license_key.clone(), stored.token.clone()) {
            let mut called = self.call_deactivate(&license_key, &token);
            let own_key = self.record.stored.license_key.clone();
            let is_old = matches!(&called, Called::Refused { refusal, .. } if refusal.code == "invalid_token");
            if let Some(license_key) = own_key.filter(|_| is_old) {
                // Only a token of the present activation frees the slot.
                match self.call_activate(&license_key) {
                    Called::Good { reply, .. } => {
                        let token = text_in(reply.get("token")).unwrap_or_default();
                        called = self.call("/deactivate", &license_key, &token, Object::new());
                    }
                    again @ Called::Missed { .. } => called = again,
                    Called::Refused { .. } => {}
                }
            }
            if let Called::Missed { problem, .. } = called {
                return Err(Error::Unreachable(problem));
            }
        }
        self.record.replace(StoredState::default());
        Ok(())
    }

    /// Gives a floating seat back if others may need it, and keeps the license.
    pub fn give_seat_back(&mut self) {
        if self.record.load().is_err() {
            return;
        }
        let stored = &self.record.stored;
        let (Some(license_key), Some(token)) = (stored.license_key.clone(), stored.token.clone()) else { return };
        let seats = stored.facts.as_ref().and_then(|facts| facts.max_machines);
        let is_small = seats.is_some_and(|seats| (0.0..=SMALL_POOL).contains(&seats));
        let is_fresh = stored.activated_at.is_some_and(|at| self.record.now() - at < RELEASE_PAUSE);
        let gives_back = match self.options.release {
            Release::SmallPools => is_small && !is_fresh,
            Release::Always => true,
            Release::Never => false,
        };
        if !stored.is_floating() || !gives_back {
            return;
        }
        if let Called::Good { .. } = self.call_deactivate(&license_key, &token) {
            self.record.keep(|state| {
                state.token = None;
                state.seat = None;
            });
        }
    }

    /// Frees the slot or the seat; if the key was replaced, with the one that took its place.
    fn call_deactivate(&mut self, license_key: &str, token: &str) -> Called {
        let called = self.call("/deactivate", license_key, token, Object::new());
        if !called.is_of_replaced_key() {
            return called;
        }
        self.not_good(license_key, &called);
        if let Some(problem) = self.record.problem() {
            return Called::prevented(problem);
        }
        let StoredState { license_key: new_key, token: new_token, .. } = &self.record.stored;
        match new_key.as_deref().filter(|new_key| *new_key != license_key).zip(new_token.as_deref()) {
            Some((new_key, new_token)) => self.call("/deactivate", new_key, new_token, Object::new()),
            None => called,
        }
    }

    /// Takes over a license file.
    pub fn import_file(&mut self, text: &str) -> Result<(), Error> {
        let record = &mut self.record;
        record.load()?;
        let file = record.verify(text, Some(record.now()), &record.stored.key_lists)?;
        let refused_at = record.stored.tombstone.as_ref().map(|tombstone| tombstone.at);
        if refused_at.is_some_and(|at| file.issued.millis() <= at) {
            return Err(bad("refused", "the license was refused after this file was made"));
        }
        let is_same = is_key_of_file(record.stored.license_key.as_deref(), Some(&file));
        let kept = if is_same {
            record.stored.clone()
        } else {
            StoredState { key_lists: record.stored.key_lists.clone(), ..StoredState::default() }
        };
        let facts = Some(Facts::of_file(&file, record.now()));
        record.replace(StoredState { file: Some(text.to_owned()), facts, tombstone: None, ..kept });
        Ok(())
    }
}
