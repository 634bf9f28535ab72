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

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{BufRead, BufReader, Write};
    use std::net::{TcpListener, TcpStream};
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::sync::Arc;
    use std::thread;
    use std::time::Duration;

    /// Answers each connection as told, once a request has come. Returns the address, and the number of requests.
    fn liar(answer: impl Fn(&mut TcpStream) + Send + 'static) -> (String, Arc<AtomicUsize>) {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/x", listener.local_addr().unwrap());
        let asked = Arc::new(AtomicUsize::new(0));
        let counted = asked.clone();
        thread::spawn(move || {
            for mut connection in listener.incoming().flatten() {
                let head = BufReader::new(connection.try_clone().unwrap()).lines().map_while(Result::ok);
                if head.take_while(|line| !line.is_empty()).count() > 0 {
                    counted.fetch_add(1, Ordering::SeqCst);
                    answer(&mut connection);
                }
            }
        });
        (url, asked)
    }

    fn said(head: &str, body: &str) -> impl Fn(&mut TcpStream) + Send + 'static {
        let text = format!("HTTP/1.1 {head}\r\n\r\n{body}");
        // The client may have closed the connection by then.
        move |connection| drop(connection.write_all(text.as_bytes()))
    }

    /// The status and text of the answer, or the kind of the failure.
    fn ask(answer: impl Fn(&mut TcpStream) + Send + 'static, timeout: Duration) -> String {
        let request = Request { url: liar(answer).0, body: Some("{}".into()), timeout };
        match HttpTransport::new().send(&request) {
            Ok(answer) => format!("{} {}", answer.status, answer.text),
            Err(failure) => format!("{:?}", failure.kind),
        }
    }

    #[test]
    fn only_a_complete_answer_counts() {
        let (other, asked) = liar(said("200 OK\r\nContent-Length: 0", ""));
        let full = " ".repeat(MOST_ANSWER_BYTES as usize);
        let whole = format!("200 {full}");
        for (head, body, given) in [
            ("200 OK\r\nContent-Length: 2", "{}", "200 {}"),
            ("403 Forbidden\r\nContent-Length: 2", "{}", "403 {}"),
            (&format!("302 Found\r\nLocation: {other}\r\nContent-Length: 1"), "x", "302 x"),
            ("200 OK\r\nContent-Length: 9", "{}", "Network"),
            ("200 OK\r\nTransfer-Encoding: chunked", "9\r\n{}", "Network"),
            ("200 OK\r\nContent-Length: 65536", &full, &whole),
            ("200 OK\r\nContent-Length: 65537", &format!("{full} "), "Network"),
            ("200 OK", &format!("{full}{full}"), "Network"),
        ] {
            assert_eq!(ask(said(head, body), Duration::from_secs(10)), given, "{head}");
        }
        assert_eq!(ask(|_| {}, Duration::from_secs(10)), "Network");
        assert_eq!(asked.load(Ordering::SeqCst), 0, "a redirect was followed");
    }

    #[test]
    fn an_answer_byte_by_byte_ends_in_time() {
        let drip = |connection: &mut TcpStream| {
            said("200 OK\r\nContent-Length: 100000", "")(connection);
            while connection.write_all(b" ").is_ok() {
                thread::sleep(Duration::from_millis(5));
            }
        };
        assert_eq!(ask(drip, Duration::from_millis(200)), "Timeout");
    }

    #[test]
    fn another_protocol_than_tls_is_a_failure_of_tls() {
        let (url, _) = liar(said("200 OK\r\nContent-Length: 2", "{}"));
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        thread::spawn(move || {
            for mut connection in listener.incoming().flatten() {
                let _ = connection.write_all(b"HTTP/1.1 400 Bad Request\r\n\r\n");
            }
        });
        let timeout = Duration::from_secs(10);
        let failed = HttpTransport::new().send(&Request { url: format!("https://{address}/x"), body: None, timeout });
        assert_eq!(failed.unwrap_err().kind, FailureKind::Tls);
        let wrong = HttpTransport::with_roots(b"-----BEGIN CERTIFICATE-----\n!\n-----END CERTIFICATE-----\n");
        assert_eq!(wrong.unwrap_err().kind, FailureKind::Tls);
        assert!(HttpTransport::new().send(&Request { url, body: None, timeout }).is_ok());
    }
}
