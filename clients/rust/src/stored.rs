//! The state between starts: one JSON text, which the clients of all languages share (docs/apps/client-behaviour.md,
//! section 2). Nothing in it is trusted without a check, because anything may have changed it.

use crate::clock::KnownTimes;
use crate::facts::Facts;
use crate::fields::{nullable, nullable_time, object, text, time};
use crate::json::{parse_object, whole_in};
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;

const MOST_STATE_TEXT: usize = 262_144;

/// The bytes that tell that a file is no state: no character has more than four.
pub(crate) const MOST_STATE_BYTES: u64 = 4 * MOST_STATE_TEXT as u64 + 1;

/// The uses that a state can hold.
pub(crate) const MOST_USES: usize = 500;

/// A refusal that stays in force without a connection.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Tombstone {
    pub code: String,
    #[serde(deserialize_with = "time")]
    pub at: i64,
}

/// The end of a floating seat without another heartbeat, and the time of the last one.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Seat {
    #[serde(deserialize_with = "time")]
    pub until: i64,
    #[serde(deserialize_with = "time")]
    pub beat_at: i64,
}

/// A use of a meter that waits for an answer. The service counts a `request_id` once.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct StoredUse {
    pub meter: String,
    #[serde(deserialize_with = "units")]
    pub units: u64,
    pub request_id: String,
    #[serde(deserialize_with = "time")]
    pub at: i64,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct StoredState {
    #[serde(deserialize_with = "version")]
    pub v: i64,
    #[serde(deserialize_with = "text")]
    pub license_key: Option<String>,
    #[serde(deserialize_with = "text")]
    pub token: Option<String>,
    #[serde(deserialize_with = "nullable")]
    pub facts: Option<Facts>,
    #[serde(deserialize_with = "text")]
    pub file: Option<String>,
    pub key_lists: Vec<String>,
    #[serde(deserialize_with = "nullable_time")]
    pub last_good_at: Option<i64>,
    #[serde(deserialize_with = "nullable")]
    pub tombstone: Option<Tombstone>,
    #[serde(deserialize_with = "nullable")]
    pub seat: Option<Seat>,
    /// The time of the last automatic call of /activate, or of the last accepted one.
    #[serde(deserialize_with = "nullable_time")]
    pub activated_at: Option<i64>,
    #[serde(deserialize_with = "object")]
    pub times: KnownTimes,
    #[serde(default, deserialize_with = "uses", skip_serializing_if = "Vec::is_empty")]
    pub uses: Vec<StoredUse>,
}

impl Default for StoredState {
    fn default() -> Self {
        StoredState {
            v: 1,
            license_key: None,
            token: None,
            facts: None,
            file: None,
            key_lists: Vec::new(),
            last_good_at: None,
            tombstone: None,
            seat: None,
            activated_at: None,
            times: KnownTimes::default(),
            uses: Vec::new(),
        }
    }
}

impl StoredState {
    /// The state of a text; none if it holds no state, as after a failure of the disk.
    pub fn read(text: &str) -> Option<Self> {
        if text.chars().count() > MOST_STATE_TEXT {
            return None;
        }
        serde_json::from_value(Value::Object(parse_object(text)?)).ok()
    }

    pub fn is_floating(&self) -> bool {
        self.facts.as_ref().is_some_and(|facts| facts.license_type.as_deref() == Some("floating"))
    }

    /// Whether there is nothing to store.
    pub fn is_empty(&self) -> bool {
        *self == StoredState::default()
    }

    /// Whether somebody removed the times, so that only the machine's clock would count.
    pub fn lacks_times(&self) -> bool {
        (self.license_key.is_some() || self.file.is_some()) && self.times.are_empty()
    }

    /// The newest moment apart from the times; none without any.
    pub fn latest(&self) -> Option<i64> {
        let refused_at = self.tombstone.as_ref().map(|tombstone| tombstone.at);
        let beat_at = self.seat.map(|seat| seat.beat_at);
        [self.last_good_at, self.activated_at, refused_at, beat_at].into_iter().flatten().max()
    }
}

fn version<'de, D: Deserializer<'de>>(reader: D) -> Result<i64, D::Error> {
    let found = whole_in(Some(&Value::deserialize(reader)?));
    found.filter(|version| *version == 1).ok_or_else(|| D::Error::custom("another version"))
}

fn units<'de, D: Deserializer<'de>>(reader: D) -> Result<u64, D::Error> {
    let found = whole_in(Some(&Value::deserialize(reader)?));
    found.and_then(|units| units.try_into().ok()).ok_or_else(|| D::Error::custom("no units"))
}

fn uses<'de, D: Deserializer<'de>>(reader: D) -> Result<Vec<StoredUse>, D::Error> {
    let given = Vec::<Value>::deserialize(reader)?;
    if given.len() > MOST_USES {
        return Err(D::Error::custom("too many uses"));
    }
    given.into_iter().map(|each| object(each).map_err(D::Error::custom)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::Moment;
    use crate::json::json_of;
    use serde_json::json;

    fn whole_state() -> StoredState {
        let moment = |time| Some(Moment { time, local: time + 1 });
        StoredState {
            v: 1,
            license_key: Some("AAAAA-BBBBB".into()),
            token: Some("t".into()),
            facts: Some(Facts {
                license_expires_at: Some("2027-01-01T00:00:00.000Z".into()),
                max_machines: Some(3.0),
                features: json!({ "export": true, "seats": 3 }).as_object().cloned(),
                ..Facts::default()
            }),
            file: Some("f".into()),
            key_lists: vec!["l".into()],
            last_good_at: Some(1),
            tombstone: Some(Tombstone { code: "license_revoked".into(), at: 2 }),
            seat: Some(Seat { until: 3, beat_at: 4 }),
            activated_at: Some(5),
            times: KnownTimes { trusted: moment(6), confirmed: moment(8), seen: moment(10) },
            uses: vec![StoredUse { meter: "exports".into(), units: 1, request_id: "id".into(), at: 12 }],
        }
    }

    #[test]
    fn a_written_state_is_read() {
        for state in [StoredState::default(), whole_state()] {
            assert_eq!(StoredState::read(&json_of(&state)), Some(state));
        }
        assert!(json_of(&whole_state()).contains(r#""maxMachines":3,"#));
    }

    /// The text of the whole state with another value of a field, a JSON text; absent if it is empty.
    fn with(path: &str, value: &str) -> String {
        let mut state = serde_json::to_value(whole_state()).unwrap();
        let (outer, name) = path.rsplit_once('.').unwrap_or(("", path));
        let inner = if outer.is_empty() { &mut state } else { &mut state[outer] };
        let fields = inner.as_object_mut().unwrap();
        fields.insert(name.into(), json!("the value"));
        if value.is_empty() {
            fields.remove(name);
        }
        json_of(&state).replace("\"the value\"", value)
    }

    #[test]
    fn other_types_are_unreadable() {
        for (path, value) in [
            ("v", "2"),
            ("v", "true"),
            ("licenseKey", "1"),
            ("facts", "[]"),
            ("facts.maxMachines", "true"),
            ("facts.maxMachines", "1e400"),
            ("facts.licenseExpiresAt", "\"soon\""),
            ("facts.features", "{\"a\": null}"),
            ("facts.features", "{\"a\": 1e400}"),
            ("facts.licenseKeyHint", "null"),
            ("facts.variant", ""),
            ("keyLists", "\"l\""),
            ("keyLists", "[1]"),
            ("lastGoodAt", "9e15"),
            ("tombstone", "{\"code\": \"license_revoked\"}"),
            ("seat", "{\"until\": \"1\", \"beatAt\": 2}"),
            ("seat", "[1, 2]"),
            ("times", "null"),
            ("times.seen", ""),
            ("times.seen", "[1, 2]"),
            ("uses", "[null]"),
            ("uses", "[[\"m\", 1, \"r\", 1]]"),
            ("uses", "[{\"meter\": \"m\", \"units\": -1, \"requestId\": \"r\", \"at\": 1}]"),
            ("uses", "null"),
            ("token", ""),
            ("facts", ""),
            ("file", ""),
            ("keyLists", ""),
            ("seat", ""),
            ("activatedAt", ""),
        ] {
            assert_eq!(StoredState::read(&with(path, value)), None, "{path} {value}");
        }
        for (path, value) in
            [("unknown", "[1]"), ("uses", ""), ("facts.features", ""), ("facts.maxVersion", ""), ("later", "1e400")]
        {
            assert!(StoredState::read(&with(path, value)).is_some(), "{path} {value}");
        }
    }

    #[test]
    fn a_text_beyond_the_limit_is_unreadable() {
        let text = json_of(&whole_state());
        let padded = |size: usize| format!("{text}{}", " ".repeat(size - text.chars().count()));
        assert!(StoredState::read(&padded(MOST_STATE_TEXT)).is_some());
        assert!(StoredState::read(&padded(MOST_STATE_TEXT + 1)).is_none());
    }
}
