use std::error::Error;
use std::fmt;
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
