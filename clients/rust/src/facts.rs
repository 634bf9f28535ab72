use crate::fields::{iso_text, number, text, write_number};
use crate::file::LicenseFile;
use crate::json::{iso_text_in, text_in, whole_in, Object};
use crate::state::LicenseFacts;
use crate::terms::{features_in, Terms};
use crate::time::{iso, iso_in, Time, DAY, SECOND};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;
use std::collections::HashMap;

/// The facts about the license as they are stored.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Facts {
    pub license_key_hint: String,
    pub product_id: String,
    #[serde(deserialize_with = "text")]
    pub variant: Option<String>,
    #[serde(deserialize_with = "text")]
    pub license_type: Option<String>,
    #[serde(deserialize_with = "iso_text")]
    pub license_expires_at: Option<String>,
    #[serde(deserialize_with = "number", serialize_with = "write_number")]
    pub days_remaining: Option<f64>,
    #[serde(deserialize_with = "number", serialize_with = "write_number")]
    pub machines_used: Option<f64>,
    #[serde(deserialize_with = "number", serialize_with = "write_number")]
    pub max_machines: Option<f64>,
    // Earlier clients do not store the following ones.
    #[serde(default, deserialize_with = "iso_text")]
    pub grace_until: Option<String>,
    #[serde(default, deserialize_with = "iso_text")]
    pub updates_until: Option<String>,
    #[serde(default)]
    pub max_version: Option<String>,
    #[serde(default, deserialize_with = "features")]
    pub features: Option<Object>,
}

fn features<'de, D: Deserializer<'de>>(reader: D) -> Result<Option<Object>, D::Error> {
    let given = Option::<Object>::deserialize(reader)?;
    let kept = given.as_ref().and_then(|given| features_in(Some(&Value::Object(given.clone()))));
    if kept == given {
        Ok(given)
    } else {
        Err(serde::de::Error::custom("a feature of another type"))
    }
}

impl Facts {
    pub fn terms(&self) -> Terms {
        Terms {
            features: self.features.clone(),
            feature_ends: HashMap::new(),
            updates_until: iso_in(self.updates_until.as_deref()),
            max_version: self.max_version.clone(),
        }
    }

    /// Adopts the covered builds, as an answer or a refusal states them. One of another type counts as absent.
    pub fn cover(&mut self, reply: &Object) {
        self.updates_until = iso_text_in(reply.get("updatesUntil"));
        self.max_version = text_in(reply.get("maxVersion"));
    }

    /// Adopts the facts of an answer of /heartbeat, which every good answer of the other endpoints has, too.
    pub fn take_heartbeat(&mut self, reply: &Object) {
        self.grace_until = iso_text_in(reply.get("graceUntil"));
        self.features = features_in(reply.get("features"));
    }

    fn take_common(&mut self, reply: &Object) {
        self.take_heartbeat(reply);
        self.cover(reply);
        self.variant = text_in(reply.get("variant"));
        self.license_expires_at = iso_text_in(reply.get("licenseExpiresAt"));
        self.license_type = text_in(reply.get("licenseType")).or(self.license_type.take());
    }

    /// Adopts the facts of an answer of /activate.
    pub fn take_activation(&mut self, reply: &Object, now: i64) {
        self.take_common(reply);
        self.days_remaining = days_until(self.expires(), now);
        self.machines_used = reply.get("machinesUsed").and_then(Value::as_f64);
        self.max_machines = reply.get("maxMachines").and_then(Value::as_f64);
    }

    /// Adopts the facts of an answer of /validate.
    pub fn take_check(&mut self, reply: &Object) {
        self.take_common(reply);
        self.product_id = text_in(reply.get("productId")).unwrap_or_default();
        self.days_remaining = reply.get("daysRemaining").and_then(Value::as_f64);
    }

    /// The facts in a license file.
    pub fn of_file(file: &LicenseFile, now: i64) -> Self {
        let stated = Terms::of_file(file);
        let expires = file.license_expires.map(Time::millis);
        Facts {
            license_key_hint: file.key_hint.clone(),
            product_id: file.product_id.clone(),
            variant: Some(file.variant.clone()),
            license_type: Some(file.license_type.clone()),
            license_expires_at: expires.map(iso),
            days_remaining: days_until(expires, now),
            machines_used: None,
            max_machines: file.claims.get("maxMachines").and_then(Value::as_f64),
            grace_until: None,
            updates_until: stated.updates_until.map(iso),
            max_version: stated.max_version,
            features: features_in(file.claims.get("features")),
        }
    }

    pub fn expires(&self) -> Option<i64> {
        iso_in(self.license_expires_at.as_deref())
    }

    /// The facts as apps read them.
    pub fn shown(&self) -> LicenseFacts {
        let time = |text: &Option<String>| iso_in(text.as_deref()).map(Time::of);
        let whole = |number: Option<f64>| number.map(|number| number as i64);
        LicenseFacts {
            license_key_hint: self.license_key_hint.clone(),
            product_id: self.product_id.clone(),
            variant: self.variant.clone(),
            license_type: self.license_type.clone(),
            license_expires_at: time(&self.license_expires_at),
            days_remaining: whole(self.days_remaining),
            machines_used: whole(self.machines_used),
            max_machines: whole(self.max_machines),
            grace_until: time(&self.grace_until),
            updates_until: time(&self.updates_until),
            max_version: self.max_version.clone(),
            features: self.features.clone(),
        }
    }
}

/// Rounds up to whole days, like the service. It subtracts a second, because the header Date omits fractions.
fn days_until(expires: Option<i64>, now: i64) -> Option<f64> {
    expires.map(|expires| ((expires - now - SECOND + DAY - 1).div_euclid(DAY)).max(0) as f64)
}

/// The last group of a license key, or the last four characters of a key without groups.
pub(crate) fn hint_of(license_key: &str) -> String {
    let key = license_key.trim().to_uppercase();
    match key.rsplit_once('-') {
        Some((_, last)) => last.to_owned(),
        None => key.chars().skip(key.chars().count().saturating_sub(4)).collect(),
    }
}

/// Whether a key, in any spelling, can be the one that a file names.
pub(crate) fn is_key_of_file(license_key: Option<&str>, file: Option<&LicenseFile>) -> bool {
    let bare = |text: &str| -> String { text.to_uppercase().chars().filter(char::is_ascii_alphanumeric).collect() };
    license_key.zip(file).is_some_and(|(key, file)| bare(key).ends_with(&bare(&file.key_hint)))
}

/// The time of a text in seconds since 1970, as license files have it.
fn seconds_of(text: Option<&str>) -> Option<i64> {
    iso_in(text).map(|at| at.div_euclid(SECOND))
}

/// Whether a license file states other terms than the facts.
pub(crate) fn differs(facts: Option<&Facts>, file: &LicenseFile) -> bool {
    let expires = facts.and_then(|facts| seconds_of(facts.license_expires_at.as_deref()));
    let updates = facts.and_then(|facts| seconds_of(facts.updates_until.as_deref()));
    expires != file.license_expires.map(|time| time.millis() / SECOND)
        || updates != whole_in(file.claims.get("updatesUntil"))
}
