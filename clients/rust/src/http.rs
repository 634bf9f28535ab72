use crate::options::is_this_machine;
use crate::transport::{Answer, FailureKind, Request, Transport, TransportFailure};
use std::error::Error as StdError;
use std::io::ErrorKind;
use ureq::http::Uri;
use ureq::tls::{parse_pem, Certificate, PemItem, RootCerts, TlsConfig};
use ureq::{Agent, Body, Error};

/// Bounds an answer. Those of the service are below 4 KiB, apart from license files.
const MOST_ANSWER_BYTES: u64 = 65_536;

/// Requests by ureq, through the proxies of the environment.
///
/// It trusts the authorities of the system, or those of [`HttpTransport::with_roots`]. Nothing in this machine's name goes
/// through a proxy, which has another machine under it.
#[derive(Clone, Debug)]
pub struct HttpTransport {
    agent: Agent,
    direct: Agent,
}

impl HttpTransport {
    /// Trusts the authorities of the system.
    pub fn new() -> Self {
        Self::trusting(RootCerts::PlatformVerifier)
    }

    /// Trusts the authorities in a PEM text instead of those of the system.
    pub fn with_roots(pem: &[u8]) -> Result<Self, TransportFailure> {
        let mut roots: Vec<Certificate<'static>> = Vec::new();
        for item in parse_pem(pem) {
            if let PemItem::Certificate(root) = item.map_err(failure_of)? {
                roots.push(root);
            }
        }
        Ok(Self::trusting(RootCerts::from(roots.into_iter())))
    }

    fn trusting(roots: RootCerts) -> Self {
        let config = || {
            Agent::config_builder()
                .http_status_as_error(false)
                .max_redirects(0)
                .max_redirects_will_error(false)
                .max_idle_connections(0)
                .accept("application/json")
                .user_agent("latchkey-rust")
                .tls_config(TlsConfig::builder().root_certs(roots.clone()).build())
        };
        HttpTransport { agent: config().build().new_agent(), direct: config().proxy(None).build().new_agent() }
    }
}

impl Default for HttpTransport {
    fn default() -> Self {
        Self::new()
    }
}

impl Transport for HttpTransport {
    fn send(&self, request: &Request) -> Result<Answer, TransportFailure> {
        let is_local = request.url.parse::<Uri>().is_ok_and(|uri| uri.host().is_some_and(is_this_machine));
        send(if is_local { &self.direct } else { &self.agent }, request).map_err(failure_of)
    }
}

fn send(agent: &Agent, request: &Request) -> Result<Answer, Error> {
    let timeout = Some(request.timeout);
    let answered = match &request.body {
        None => agent.get(&request.url).config().timeout_global(timeout).build().call()?,
        Some(body) => {
            let asked = agent.post(&request.url).content_type("application/json");
            asked.config().timeout_global(timeout).build().send(body)?
        }
    };
    let (head, body) = answered.into_parts();
    let named = head
        .headers
        .iter()
        .map(|(name, value)| (name.to_string(), String::from_utf8_lossy(value.as_bytes()).into_owned()));
    Ok(Answer { status: head.status.as_u16(), headers: named.collect(), text: text_of(body)? })
}

fn text_of(mut body: Body) -> Result<String, Error> {
    // The limit is an error once it is exceeded.
    let bytes = body.with_config().limit(MOST_ANSWER_BYTES).read_to_vec()?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

fn failure_of(error: Error) -> TransportFailure {
    let kind = match &error {
        Error::Timeout(_) => FailureKind::Timeout,
        Error::Io(error) if error.kind() == ErrorKind::TimedOut => FailureKind::Timeout,
        // rustls says so of a certificate or a record that it does not accept.
        Error::Io(error) if error.kind() == ErrorKind::InvalidData => FailureKind::Tls,
        Error::Tls(_) | Error::Rustls(_) | Error::Pem(_) => FailureKind::Tls,
        _ => FailureKind::Network,
    };
    let cause = error.source().map(|cause| format!(": {cause}")).unwrap_or_default();
    TransportFailure { kind, detail: format!("{error}{cause}") }
}
