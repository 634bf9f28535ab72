use crate::clock::{Clock, SystemClock};
use crate::error::Error;
use crate::file::PublicKey;
use crate::keeper::Log;
use crate::random::random_number;
use crate::state::{RefusedUse, State};
use crate::storage::Storage;
use crate::stored::MOST_USES;
use crate::terms::{is_version, Build};
use crate::time::read_iso;
use crate::transport::Transport;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// Says when [`Client::close`](crate::Client::close) gives a floating seat back.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Release {
    /// Seats of pools of up to ten: the next start activates again, and a license has 15 activations an hour for all its
    /// machines.
    #[default]
    SmallPools,
    /// In any case.
    Always,
    /// In none.
    Never,
}

type Function<T> = Arc<dyn Fn() -> T + Send + Sync>;
type OnChange = Arc<dyn Fn(&State, &State) + Send + Sync>;
type OnUseRefused = Arc<dyn Fn(&RefusedUse) + Send + Sync>;

/// The options of a client. Values are fields, functions are set by methods.
///
/// Listeners may call the client. The other functions are called during an operation: of the client they may call `state`,
/// `may_run` and `feature` alone.
#[non_exhaustive]
pub struct Options {
    /// The https addresses of the service, tried in this order.
    pub servers: Vec<String>,
    /// Names the product as licenses do.
    pub product_id: String,
    /// The keys that sign license files, see [`Options::trust`]. With them, only a signed file lets the app go on without the service. Without them, the time of the last good answer does, which a user can
    /// extend by editing the stored state.
    pub public_keys: Vec<PublicKey>,
    /// The issuer of license files.
    pub issuer: Option<String>,
    /// Ids of signing keys that are ignored in published lists.
    pub stolen_keys: Vec<String>,
    /// The date of this build (ISO 8601); a license may cover builds up to a date.
    pub build_date: Option<String>,
    /// The version of this build, dotted numbers; a license may cover builds up to a version.
    pub version: Option<String>,
    /// The folder of the stored state, by default one of the user.
    pub directory: Option<PathBuf>,
    /// The user's name for the machine, by default the system's.
    pub hostname: Option<String>,
    /// The longest time between two heartbeats of a floating license; five minutes by default.
    pub heartbeat: Duration,
    /// The longest time for a whole answer; ten seconds by default.
    pub request_timeout: Duration,
    /// Whether `close` gives a floating seat back.
    pub release: Release,
    /// Leaves it to the user whether a machine that the service does not know any more takes a free slot again.
    pub asks_to_reactivate: bool,
    /// The time for which a good answer counts without `public_keys`; 30 days by default.
    pub grace: Duration,
    /// The same for floating licenses; 24 hours by default.
    pub floating_grace: Duration,
    /// The uses of meters that wait in the stored state without an answer, at most 500. A user who deletes the stored
    /// state deletes them.
    pub offline_uses: usize,
    /// Leaves the checks that are due to the app, which calls [`Client::work`](crate::Client::work) regularly.
    pub is_manual: bool,
    pub(crate) fingerprint: Option<Function<io::Result<String>>>,
    pub(crate) user: Option<Function<Option<String>>>,
    pub(crate) on_change: Option<OnChange>,
    pub(crate) on_use_refused: Option<OnUseRefused>,
    pub(crate) log: Log,
    pub(crate) transport: Option<Arc<dyn Transport>>,
    pub(crate) storage: Option<Box<dyn Storage>>,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) random: Function<f64>,
}

impl Options {
    /// The options of an app, with the defaults of all others.
    pub fn new(server: impl Into<String>, product_id: impl Into<String>) -> Self {
        const HOUR: Duration = Duration::from_secs(60 * 60);
        Options {
            servers: vec![server.into()],
            product_id: product_id.into(),
            public_keys: Vec::new(),
            issuer: None,
            stolen_keys: Vec::new(),
            build_date: None,
            version: None,
            directory: None,
            hostname: None,
            heartbeat: Duration::from_secs(5 * 60),
            request_timeout: Duration::from_secs(10),
            release: Release::default(),
            asks_to_reactivate: false,
            grace: 30 * 24 * HOUR,
            floating_grace: 24 * HOUR,
            offline_uses: 0,
            is_manual: false,
            fingerprint: None,
            user: None,
            on_change: None,
            on_use_refused: None,
            log: Arc::new(|_| {}),
            transport: None,
            storage: None,
            clock: Arc::new(SystemClock),
            random: Arc::new(random_number),
        }
    }

    /// Compiles in what `list-signing-keys --as rust` prints.
    pub fn trust(&mut self, issuer: &str, public_keys: &[(&str, &str)]) -> &mut Self {
        self.issuer = Some(issuer.to_owned());
        self.public_keys = public_keys.iter().map(|(kid, x)| PublicKey::new(*kid, *x)).collect();
        self
    }

    /// A text that identifies this machine and never changes; by default that of
    /// [`machine_fingerprint`](crate::machine_fingerprint).
    pub fn fingerprint(&mut self, find: impl Fn() -> io::Result<String> + Send + Sync + 'static) -> &mut Self {
        self.fingerprint = Some(Arc::new(find));
        self
    }

    /// The person who uses the app, such as the address of the signed-in account; none while nobody is signed in. A license
    /// for named users needs it to activate.
    pub fn user(&mut self, find: impl Fn() -> Option<String> + Send + Sync + 'static) -> &mut Self {
        self.user = Some(Arc::new(find));
        self
    }

    /// Called with the former and the new state after every change, in any thread.
    pub fn on_change(&mut self, listen: impl Fn(&State, &State) + Send + Sync + 'static) -> &mut Self {
        self.on_change = Some(Arc::new(listen));
        self
    }

    /// Called with a use of a meter that had waited and was refused.
    pub fn on_use_refused(&mut self, listen: impl Fn(&RefusedUse) + Send + Sync + 'static) -> &mut Self {
        self.on_use_refused = Some(Arc::new(listen));
        self
    }

    /// Called with a line about a stored state that cannot be read or written.
    pub fn log(&mut self, write: impl Fn(&str) + Send + Sync + 'static) -> &mut Self {
        self.log = Arc::new(write);
        self
    }

    /// Replaces the requests, by a function or another [`Transport`].
    pub fn transport(&mut self, transport: impl Transport + 'static) -> &mut Self {
        self.transport = Some(Arc::new(transport));
        self
    }

    /// Replaces the files of the stored state.
    pub fn storage(&mut self, storage: impl Storage + 'static) -> &mut Self {
        self.storage = Some(Box::new(storage));
        self
    }

    /// Replaces the clock of the machine.
    pub fn clock(&mut self, clock: Arc<dyn Clock>) -> &mut Self {
        self.clock = clock;
        self
    }

    /// Replaces the numbers from 0 up to 1 that spread the requests of many apps.
    pub fn random(&mut self, draw: impl Fn() -> f64 + Send + Sync + 'static) -> &mut Self {
        self.random = Arc::new(draw);
        self
    }

    /// Fails for an option that is invalid. Returns the build.
    pub(crate) fn check(&mut self) -> Result<Build, Error> {
        let fail = |text: String| Err(Error::InvalidOption(text));
        if self.servers.is_empty() {
            return fail("servers are missing".into());
        }
        for server in &mut self.servers {
            if !is_trusted(server) {
                return fail(format!("the server {server:?} is not an https address"));
            }
            server.truncate(server.trim_end_matches('/').len());
        }
        if self.product_id.is_empty() {
            return fail("product_id is missing".into());
        }
        if !self.public_keys.is_empty() && self.issuer.as_deref().unwrap_or_default().is_empty() {
            return fail("public_keys need the issuer of the license files".into());
        }
        if self.offline_uses > MOST_USES {
            return fail(format!("offline_uses must be from 0 to {MOST_USES}"));
        }
        if let Some(version) = self.version.as_ref().filter(|version| !is_version(version)) {
            return fail(format!("the version {version:?} is not dotted numbers"));
        }
        let date = self.build_date.as_ref().map(|text| (text, read_iso(text)));
        if let Some((text, None)) = date {
            return fail(format!("the build_date {text:?} is not a date in ISO 8601"));
        }
        Ok(Build { date: date.and_then(|(_, date)| date), version: self.version.clone() })
    }
}

/// Whether a host of an address is this machine.
pub(crate) fn is_this_machine(host: &str) -> bool {
    matches!(host, "localhost" | "127.0.0.1" | "[::1]")
}

/// Whether only the service can answer. On this machine, only its own programs answer plain HTTP.
fn is_trusted(address: &str) -> bool {
    let Some((scheme, rest)) = address.split_once("://") else { return false };
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let end = if authority.starts_with('[') { authority.find(']').map(|end| end + 1) } else { authority.find(':') };
    let (host, port) = authority.split_at(end.unwrap_or(authority.len()));
    let is_port = port.is_empty() || port.strip_prefix(':').is_some_and(|port| port.parse::<u16>().is_ok());
    let is_host =
        !host.is_empty() && host.chars().all(|letter| letter.is_ascii_alphanumeric() || "-._[]:".contains(letter));
    let is_scheme = match scheme.to_ascii_lowercase().as_str() {
        "https" => true,
        "http" => is_this_machine(&host.to_ascii_lowercase()),
        _ => false,
    };
    is_scheme && is_host && is_port
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_service_can_answer() {
        for address in [
            "https://licenses.example.com",
            "HTTPS://licenses.example.com:8443/path/",
            "http://localhost:8080",
            "http://127.0.0.1",
            "http://[::1]:8080",
            "https://[2001:db8::1]/",
        ] {
            assert!(is_trusted(address), "{address}");
        }
        for address in [
            "",
            "licenses.example.com",
            "http://licenses.example.com",
            "http://localhost.example.com",
            "http://localhost@example.com",
            "https://",
            "https://:443",
            "https://a b",
            "https://a:port",
            "ftp://localhost",
        ] {
            assert!(!is_trusted(address), "{address}");
        }
    }
}
