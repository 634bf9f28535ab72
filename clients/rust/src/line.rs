//! Calls to the service, and the meaning of the answers.

use crate::json::{json_of, parse_object, whole_in, Object};
use crate::refusals::{flag_of, refusal_in, retry_after_of, Refusal};
use crate::state::Problem;
use crate::time::{read_http_date, read_iso};
use crate::transport::{Answer, FailureKind, Request, Transport, TransportFailure};
use serde_json::Value;
use std::sync::Arc;
use std::time::Duration;

/// The addresses of the service, and the transport for calls.
pub(crate) struct Line {
    pub servers: Vec<String>,
    pub transport: Arc<dyn Transport>,
    pub timeout: Duration,
}

/// The result of a call.
#[derive(Clone, Debug)]
pub(crate) enum Called {
    Good {
        reply: Object,
        server_time: Option<i64>,
    },
    Refused {
        refusal: Refusal,
        server_time: Option<i64>,
    },
    Missed {
        problem: Problem,
        /// The pause that comes with a problem, in milliseconds.
        retry_after: Option<i64>,
    },
}

impl Called {
    /// The result of a call that the problem of an earlier call prevents.
    pub fn prevented(problem: &Problem) -> Self {
        Called::Missed { problem: problem.clone(), retry_after: None }
    }

    /// Whether another key has taken the place of the one that was sent.
    pub fn is_of_replaced_key(&self) -> bool {
        matches!(self, Called::Refused { refusal, .. } if refusal.code == "license_replaced")
    }
}

impl Line {
    /// Calls an endpoint. If an address does not answer as the service does, it tries the next one.
    pub fn call(&self, endpoint: &str, fields: &Object) -> Called {
        let found = self.over_servers(endpoint, Some(json_of(fields)), |answer| {
            let body = parse_object(&answer.text)?;
            let server_time = answer.header("Date").and_then(read_http_date);
            if is_good_reply(endpoint, answer, &body) {
                return Some(Called::Good { reply: body, server_time });
            }
            refusal_in(endpoint, answer, body).map(|refusal| Called::Refused { refusal, server_time })
        });
        found.unwrap_or_else(|missed| missed)
    }

    /// The signed lists of signing keys that the service publishes.
    pub fn key_lists(&self) -> Vec<String> {
        let found = self.over_servers("/.well-known/latchkey-keys.json", None, |answer| {
            let mut body = parse_object(&answer.text).filter(|_| answer.status == 200)?;
            body.get_mut("keys").and_then(Value::as_array_mut).map(std::mem::take)
        });
        found.unwrap_or_default().iter().filter_map(|list| list.as_str().map(str::to_owned)).collect()
    }

    fn over_servers<T>(
        &self,
        path: &str,
        body: Option<String>,
        read: impl Fn(&Answer) -> Option<T>,
    ) -> Result<T, Called> {
        let mut first = None;
        for server in &self.servers {
            let request = Request { url: format!("{server}{path}"), body: body.clone(), timeout: self.timeout };
            let missed = match self.transport.send(&request) {
                Err(failure) => Called::Missed { problem: problem_of(&failure, server), retry_after: None },
                Ok(answer) => match read(&answer) {
                    Some(found) => return Ok(found),
                    None => Called::Missed {
                        problem: Problem::new(
                            if matches!(answer.status, 429 | 503) { "busy" } else { "answer" },
                            format!("{server} answered {}, which says nothing about the license", answer.status),
                        ),
                        retry_after: retry_after_of(&answer),
                    },
                },
            };
            first.get_or_insert(missed);
        }
        Err(first.expect("the options name a server"))
    }
}

fn problem_of(failure: &TransportFailure, server: &str) -> Problem {
    let kind = match failure.kind {
        FailureKind::Network => "network",
        FailureKind::Tls => "tls",
        FailureKind::Timeout => "timeout",
    };
    Problem::new(kind, format!("{server} could not be reached: {failure}"))
}

#[derive(Clone, Copy)]
enum Kind {
    /// A text that is not empty.
    Text,
    TextOrAbsent,
    Whole,
    WholeOrNull,
    Time,
    TimeOrNull,
    TimeOrAbsent,
}

/// The fields that a good answer has.
fn reply_fields(endpoint: &str) -> &'static [(&'static str, Kind)] {
    use Kind::*;
    match endpoint {
        "/activate" | "/startTrial" => &[
            ("token", Text),
            ("expiresAt", Time),
            ("machinesUsed", Whole),
            ("maxMachines", Whole),
            ("variant", Text),
            ("licenseExpiresAt", TimeOrNull),
        ],
        "/validate" => &[
            ("expiresAt", Time),
            ("productId", Text),
            ("variant", Text),
            ("licenseExpiresAt", TimeOrNull),
            ("daysRemaining", WholeOrNull),
            ("newToken", TextOrAbsent),
            ("licenseKey", TextOrAbsent),
            ("sessionToken", TextOrAbsent),
        ],
        "/heartbeat" => &[("expiresAt", Time)],
        "/consume" => {
            &[("meter", Text), ("used", Whole), ("limit", Whole), ("remaining", WholeOrNull), ("resetsAt", TimeOrNull)]
        }
        "/issueLicenseFile" => &[("licenseFile", Text)],
        _ => &[("machinesUsed", Whole), ("maxMachines", Whole)],
    }
}

/// Another server with the same protocol omits these.
const LATER_FIELDS: [(&str, Kind); 2] = [("licenseType", Kind::TextOrAbsent), ("sessionExpiresAt", Kind::TimeOrAbsent)];

/// Whether an answer has the form of the endpoint's. Any other did not come from the service.
fn is_good_reply(endpoint: &str, answer: &Answer, body: &Object) -> bool {
    let has = |(name, kind): &(&str, Kind)| match body.get(*name) {
        Some(value) => has_kind(value, *kind),
        None => matches!(kind, Kind::TextOrAbsent | Kind::TimeOrAbsent),
    };
    let lacks_key = endpoint == "/startTrial" && !has(&("licenseKey", Kind::Text));
    answer.status == 200
        && body.get(flag_of(endpoint)) == Some(&Value::Bool(true))
        && reply_fields(endpoint).iter().all(has)
        && LATER_FIELDS.iter().all(has)
        && !lacks_key
}

fn has_kind(value: &Value, kind: Kind) -> bool {
    match kind {
        Kind::Text | Kind::TextOrAbsent => value.as_str().is_some_and(|text| !text.is_empty()),
        Kind::Whole => whole_in(Some(value)).is_some(),
        Kind::WholeOrNull => value.is_null() || has_kind(value, Kind::Whole),
        Kind::Time | Kind::TimeOrAbsent => value.as_str().is_some_and(|text| read_iso(text).is_some()),
        Kind::TimeOrNull => value.is_null() || has_kind(value, Kind::Time),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_new_key_and_its_token_are_texts() {
        let good = json!({
            "valid": true, "expiresAt": "2026-11-28T18:00:00.000Z", "productId": "app", "variant": "indie",
            "licenseExpiresAt": null, "daysRemaining": null, "licenseKey": "NEW-KEY", "sessionToken": "token",
        });
        let answer = Answer { status: 200, ..Answer::default() };
        let is_good = |body: &Value| is_good_reply("/validate", &answer, body.as_object().unwrap());
        assert!(is_good(&good));
        for name in ["newToken", "licenseKey", "sessionToken"] {
            for value in [json!(7), json!(""), json!(null), json!(["NEW-KEY"])] {
                let mut other = good.clone();
                other[name] = value;
                assert!(!is_good(&other), "{other}");
            }
            let mut other = good.clone();
            other.as_object_mut().unwrap().remove(name);
            assert!(is_good(&other), "{other}");
        }
    }
}
