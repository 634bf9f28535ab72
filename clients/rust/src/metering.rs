use crate::error::Error;
use crate::file::encode;
use crate::json::{text_in, whole_in, Object};
use crate::line::Called;
use crate::random::random_bytes;
use crate::refusals::Refusal;
use crate::session::Session;
use crate::state::{Consumption, RefusedUse, Use};
use crate::stored::{StoredState, StoredUse};
use crate::time::{iso_in, Time};

const MOST_UNITS: u64 = 1_000_000_000;

impl Called {
    fn is_about_use(&self) -> bool {
        matches!(self, Called::Refused { refusal, .. } if refusal.is_about_use())
    }
}

impl Session {
    /// Counts a use, or stores it. After an error, nothing was counted or stored.
    pub fn consume(&mut self, given: Use) -> Result<Consumption, Error> {
        if given.units > MOST_UNITS {
            return Err(Error::InvalidUnits);
        }
        self.record.load()?;
        if self.record.stored.license_key.is_none() {
            return Err(Error::NoLicenseKey);
        }
        let request_id = given.request_id.filter(|id| !id.is_empty()).unwrap_or_else(|| encode(&random_bytes::<16>()));
        let stored = StoredUse { meter: given.meter, units: given.units, request_id, at: self.record.now() };
        // A use that has no answer may have been counted. Later ones wait behind it, so that only one is ever in doubt.
        let called = match self.send_uses() {
            Some(called) => called,
            None => self.call_use(&stored),
        };
        match called {
            Called::Good { reply, .. } => Ok(Consumption::Counted {
                meter: text_in(reply.get("meter")).unwrap_or_default(),
                used: whole_in(reply.get("used")).unwrap_or_default(),
                limit: whole_in(reply.get("limit")).unwrap_or_default(),
                remaining: whole_in(reply.get("remaining")),
                resets_at: iso_in(reply.get("resetsAt").and_then(|at| at.as_str())).map(Time::of),
            }),
            Called::Refused { refusal, .. } => Err(refusal.as_error()),
            Called::Missed { problem, .. } => {
                if stored.units > 0 && self.store_use(&stored) {
                    Ok(Consumption::Queued(use_of(stored)))
                } else {
                    Err(Error::Unreachable(problem))
                }
            }
        }
    }

    /// Sends the stored uses in their order. Returns the answer that says nothing about a use; none once no use is left.
    pub fn send_uses(&mut self) -> Option<Called> {
        while let Some(stored) = self.record.stored.uses.first().cloned() {
            let called = self.call_use(&stored);
            match &called {
                Called::Good { .. } => {}
                Called::Refused { refusal, .. } if refusal.is_about_use() => {
                    let code = refusal.code.to_owned();
                    self.refused_uses.push(RefusedUse { refused: use_of(stored.clone()), code });
                }
                _ => return Some(called),
            }
            self.record.keep(|state| state.uses.retain(|each| each.request_id != stored.request_id));
        }
        None
    }

    /// Stores a use, if the app may run and there is room.
    fn store_use(&mut self, stored: &StoredUse) -> bool {
        let most = self.options.offline_uses;
        let has = |state: &StoredState| state.uses.iter().any(|each| each.request_id == stored.request_id);
        let is_room = self.record.stored.uses.len() < most || has(&self.record.stored);
        if !self.record.known().decide().may_run() || !is_room {
            return false;
        }
        let is_kept = self.record.keep(|state| {
            // Another process may have stored uses since, even the last one for which there was room; the same use is
            // stored once.
            if state.uses.len() < most && !has(state) {
                state.uses.push(stored.clone());
            }
        });
        is_kept && has(&self.record.stored)
    }

    /// Calls the service, a second time if the machine got another token meanwhile.
    fn call_use(&mut self, stored: &StoredUse) -> Called {
        if self.record.stored.token.is_none() {
            // Without a fingerprint, the machine cannot join.
            let _ = self.ask(true);
        }
        let first = self.call_use_once(stored);
        let (license_key, token) = (self.record.stored.license_key.clone(), self.record.stored.token.clone());
        let (Some(license_key), Some(token)) = (license_key, token) else { return first };
        if matches!(first, Called::Good { .. }) || first.is_about_use() {
            return first;
        }
        self.not_good(&license_key, &first);
        if let Some(problem) = self.record.problem().filter(|_| first.is_of_replaced_key()) {
            return Called::prevented(problem);
        }
        let present = &self.record.stored;
        let has_other = present.token.as_ref().is_some_and(|present| *present != token);
        // The key that took the place of the sent one counts the same use once.
        if has_other && (first.is_of_replaced_key() || present.license_key.as_ref() == Some(&license_key)) {
            return self.call_use_once(stored);
        }
        first
    }

    fn call_use_once(&mut self, stored: &StoredUse) -> Called {
        let known = &self.record.stored;
        let (Some(license_key), Some(token)) = (known.license_key.clone(), known.token.clone()) else {
            // The machine could not join.
            return match self.record.problem() {
                Some(problem) => Called::prevented(problem),
                None => Called::Refused {
                    refusal: Refusal::new("machine_not_activated", "Machine not activated"),
                    server_time: None,
                },
            };
        };
        let mut fields = Object::new();
        fields.insert("meter".into(), stored.meter.as_str().into());
        fields.insert("units".into(), stored.units.into());
        // Asking counts nothing, and needs no id.
        if stored.units > 0 {
            fields.insert("requestId".into(), stored.request_id.as_str().into());
        }
        let called = self.call("/consume", &license_key, &token, fields);
        match &called {
            Called::Good { server_time, .. } => self.record.clock.learn(*server_time),
            Called::Refused { server_time, .. } if called.is_about_use() => self.record.clock.learn(*server_time),
            _ => {}
        }
        called
    }
}

fn use_of(stored: StoredUse) -> Use {
    Use { meter: stored.meter, units: stored.units, request_id: Some(stored.request_id) }
}
