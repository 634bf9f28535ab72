//! Licenses a program with a Latchkey service: activation, offline grace, floating seats, meters and signed license files.
//!
//! ```no_run
//! let client = latchkey::Client::new(latchkey::Options::new("https://licenses.example.com", "my-app"))?;
//! client.start();
//! if !client.may_run() {
//!     client.activate("7KQ2M-WXYZA")?;
//! }
//! client.close();
//! # Ok::<(), latchkey::Error>(())
//! ```
//!
//! The page docs/apps/rust.md of the service explains it.

#![forbid(unsafe_code)]
#![warn(missing_docs)]

mod activation;
mod client;
mod clock;
mod decide;
mod error;
mod facts;
mod fields;
mod file;
#[cfg(feature = "ureq")]
mod http;
mod json;
mod keeper;
mod keys;
mod line;
mod lock;
mod machine;
mod metering;
mod news;
mod options;
mod private_files;
mod process;
mod random;
mod record;
mod refusals;
mod renewal;
mod schedule;
mod session;
mod state;
mod storage;
mod stored;
mod terms;
mod time;
mod transport;

pub use client::Client;
pub use clock::Clock;
pub use error::{BadLicenseFile, Error, Refused};
pub use file::{read_license_file, LicenseFile, PublicKey, ReadOptions};
#[cfg(feature = "ureq")]
pub use http::HttpTransport;
pub use machine::{machine_fingerprint, state_directory};
pub use options::{Options, Release};
pub use serde_json::Value;
pub use state::{ClockCondition, Consumption, LicenseFacts, Problem, RefusedUse, Source, State, Status, Use};
pub use storage::{MemoryStorage, Storage};
pub use time::Time;
pub use transport::{Answer, FailureKind, Request, Transport, TransportFailure};
