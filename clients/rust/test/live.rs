//! The client with the real service, which test/page.ts starts. Without it, these tests are left out.

use latchkey::{Client, Error, MemoryStorage, Options, Request, Source, State, Status, Transport, Use};
use std::env;
use std::fs;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{channel, Receiver};
use std::sync::{Arc, Mutex, OnceLock};
use std::thread;
use std::time::Duration;

const LONG: Duration = Duration::from_secs(20);

/// A machine, whose folder ends with it.
struct Machine {
    server: String,
    key: String,
    folder: PathBuf,
}

impl Machine {
    fn new(name: &str) -> Option<Self> {
        let (server, key) = (env::var("LATCHKEY_SERVER").ok()?, env::var("LATCHKEY_KEY").ok()?);
        Some(Machine { server, key, folder: env::temp_dir().join(format!("latchkey-{}-{name}", std::process::id())) })
    }

    fn options(&self) -> Options {
        let mut options = Options::new(&self.server, "my-app");
        let fingerprint = self.folder.display().to_string();
        options.directory = Some(self.folder.clone());
        options.fingerprint(move || Ok(fingerprint.clone()));
        options
    }

    fn client(&self) -> Client {
        Client::new(self.options()).unwrap()
    }

    /// A client, and the states of which it gives notice.
    fn heard(&self) -> (Client, Receiver<State>) {
        let (told, heard) = channel();
        let told = Mutex::new(told);
        let mut options = self.options();
        options.on_change(move |_, present| told.lock().unwrap().send(present.clone()).unwrap());
        (Client::new(options).unwrap(), heard)
    }
}

impl Drop for Machine {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.folder);
    }
}

fn source_of(state: &State) -> Option<Source> {
    match state.status {
        Status::Licensed { source, .. } => Some(source),
        _ => None,
    }
}

#[test]
fn a_start_with_a_stored_license_checks_in_the_background() {
    let Some(machine) = Machine::new("background") else { return };
    let first = machine.client();
    first.start();
    assert_eq!(source_of(&first.activate(&machine.key).unwrap()), Some(Source::Server));
    first.close();
    let (client, heard) = machine.heard();
    assert_eq!(source_of(&client.start()), Some(Source::Stored));
    while source_of(&heard.recv_timeout(LONG).unwrap()) != Some(Source::Server) {}
    assert!(client.next_check().unwrap() > Duration::from_secs(3600));
    client.close();
    assert_eq!(client.next_check(), None);
    client.start();
    client.deactivate().unwrap();
    assert!(!client.may_run());
    client.close();
}

#[test]
fn another_client_of_the_machine_is_noticed() {
    let Some(machine) = Machine::new("noticed") else { return };
    let (one, heard) = machine.heard();
    one.start();
    machine.client().activate(&machine.key).unwrap();
    heard.recv_timeout(LONG).unwrap();
    assert!(one.may_run());
    one.deactivate().unwrap();
    one.close();
}

#[test]
fn threads_that_check_at_once_share_a_call() {
    let Some(machine) = Machine::new("threads") else { return };
    machine.client().activate(&machine.key).unwrap();
    let calls = Arc::new(AtomicUsize::new(0));
    let (counted, usual) = (calls.clone(), latchkey::HttpTransport::new());
    let mut options = machine.options();
    options.transport(move |request: &Request| {
        counted.fetch_add(1, Ordering::SeqCst);
        usual.send(request)
    });
    let client = Client::new(options).unwrap();
    client.start();
    thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                client.check();
                assert!(client.state().may_run());
            });
        }
    });
    assert_eq!(calls.load(Ordering::SeqCst), 1);
    client.deactivate().unwrap();
    client.close();
}

#[test]
fn a_listener_may_call_the_client() {
    let Some(machine) = Machine::new("listener") else { return };
    let own: Arc<OnceLock<Client>> = Arc::default();
    let seen = Arc::new(Mutex::new(Vec::new()));
    let (client, names) = (own.clone(), seen.clone());
    let mut options = machine.options();
    options.storage(MemoryStorage::default()).on_change(move |_, present| {
        names.lock().unwrap().push(present.status.name());
        if let Some(client) = client.get() {
            client.check();
            client.close();
        }
    });
    let client = own.get_or_init(|| Client::new(options).unwrap());
    client.start();
    client.activate(&machine.key).unwrap();
    client.deactivate().unwrap();
    assert_eq!(*seen.lock().unwrap(), ["licensed", "unlicensed"]);
}

#[test]
fn a_dropped_client_ends_its_thread() {
    let Some(machine) = Machine::new("dropped") else { return };
    let held = Arc::new(());
    let kept = held.clone();
    let mut options = machine.options();
    options.log(move |_| drop(kept.clone()));
    let client = Client::new(options).unwrap();
    client.start();
    drop(client);
    // The thread drops the options at its end.
    for _ in 0..2000 {
        if Arc::strong_count(&held) == 1 {
            return;
        }
        thread::sleep(Duration::from_millis(10));
    }
    panic!("the thread goes on");
}

#[test]
fn errors_name_the_cause() {
    let Some(machine) = Machine::new("errors") else { return };
    let client = machine.client();
    client.start();
    assert!(matches!(client.activate(""), Err(Error::NoLicenseKey)));
    assert!(matches!(client.consume(Use::new("exports", 1)), Err(Error::NoLicenseKey)));
    assert!(matches!(client.consume(Use::new("exports", 1_000_000_001)), Err(Error::InvalidUnits)));
    let refused = client.activate("A-KEY").unwrap_err();
    assert!(matches!(&refused, Error::Refused(refused) if refused.code == "license_not_found"), "{refused}");
    assert!(!refused.to_string().contains("A-KEY"));
    let mut away = machine.options();
    away.servers = vec!["http://127.0.0.1:9".into()];
    let unreachable = Client::new(away).unwrap().activate(&machine.key).unwrap_err();
    assert!(matches!(&unreachable, Error::Unreachable(problem) if problem.kind == "network"), "{unreachable}");
}
