use crate::json::{json_of, parse_object, whole_in, Object};
use crate::refusals::{flag_of, refusal_in, retry_after_of, Refusal};
use crate::state::Problem;
use crate::time::{read_http_date, read_iso};
use serde_json::Value;
use std::error::Error;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

/// A request with its whole address.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Request {
    /// The address.
    pub url: String,
    /// JSON for a POST; none for a GET.
    pub body: Option<String>,
    /// The time within which the whole answer must have arrived.
    pub timeout: Duration,
}

/// An answer of any server.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Answer {
    /// The HTTP status.
    pub status: u16,
    /// Names and values.
    pub headers: Vec<(String, String)>,
    /// The whole body, of at most 65,536 bytes.
    pub text: String,
}

impl Answer {
    /// The first header of a name, in any case.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(given, _)| given.eq_ignore_ascii_case(name)).map(|(_, value)| value.as_str())
    }
}

/// The kind of a [`TransportFailure`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FailureKind {
    /// No connection, or a broken one.
    Network,
    /// The certificate is not trusted, or the other side does not speak TLS.
    Tls,
    /// The answer was not complete in time.
    Timeout,
}

/// There is no complete answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TransportFailure {
    /// The kind.
    pub kind: FailureKind,
    /// English, for a log.
    pub detail: String,
}

impl fmt::Display for TransportFailure {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.detail)
    }
}

impl Error for TransportFailure {}

/// Sends requests. It checks the certificate, follows no redirect and ends in time.
pub trait Transport: Send + Sync {
    /// The whole answer to a request.
    fn send(&self, request: &Request) -> Result<Answer, TransportFailure>;
}

impl<F> Transport for F
where
    F: Fn(&Request) -> Result<Answer, TransportFailure> + Send + Sync,
{
    fn send(&self, request: &Request) -> Result<Answer, TransportFailure> {
        self(request)
    }
}

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
    Whole,
    WholeOrNull,
    Time,
    TimeOrNull,
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
        ],
        "/heartbeat" => &[("expiresAt", Time)],
        "/consume" => {
            &[("meter", Text), ("used", Whole), ("limit", Whole), ("remaining", WholeOrNull), ("resetsAt", TimeOrNull)]
        }
        "/issueLicenseFile" => &[("licenseFile", Text)],
        _ => &[("machinesUsed", Whole), ("maxMachines", Whole)],
    }
}

/// These may be absent: another server with the same protocol omits them.
const LATER_FIELDS: [(&str, Kind); 3] =
    [("newToken", Kind::Text), ("licenseType", Kind::Text), ("sessionExpiresAt", Kind::Time)];

/// Whether an answer has the form of the endpoint's. Any other did not come from the service.
fn is_good_reply(endpoint: &str, answer: &Answer, body: &Object) -> bool {
    let has = |(name, kind): &(&str, Kind)| body.get(*name).is_some_and(|value| has_kind(value, *kind));
    let lacks_key = endpoint == "/startTrial" && !has(&("licenseKey", Kind::Text));
    answer.status == 200
        && body.get(flag_of(endpoint)) == Some(&Value::Bool(true))
        && reply_fields(endpoint).iter().all(has)
        && LATER_FIELDS.iter().all(|field| !body.contains_key(field.0) || has(field))
        && !lacks_key
}

fn has_kind(value: &Value, kind: Kind) -> bool {
    match kind {
        Kind::Text => value.as_str().is_some_and(|text| !text.is_empty()),
        Kind::Whole => whole_in(Some(value)).is_some(),
        Kind::WholeOrNull => value.is_null() || has_kind(value, Kind::Whole),
        Kind::Time => value.as_str().is_some_and(|text| read_iso(text).is_some()),
        Kind::TimeOrNull => value.is_null() || has_kind(value, Kind::Time),
    }
}
