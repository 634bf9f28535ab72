use crate::state::Problem;
use crate::time::Time;
use std::error::Error as StdError;
use std::fmt;
use std::time::Duration;

/// The error of a function of the client.
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// A function needs a license key while none is given and none is stored.
    NoLicenseKey,
    /// Units are no number from 0 to 1,000,000,000.
    InvalidUnits,
    /// An option is invalid; the text names it.
    InvalidOption(String),
    /// The service refused the call.
    Refused(Refused),
    /// The service did not answer, or an answer came from elsewhere.
    Unreachable(Problem),
    /// A text is not a valid license file for this app and machine.
    BadLicenseFile(BadLicenseFile),
    /// The fingerprint of this machine cannot be found at the moment.
    NoFingerprint(String),
}

/// A refusal by the service.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Refused {
    /// Names the refusal, such as `license_revoked`.
    pub code: String,
    /// The text of the service.
    pub text: String,
    /// The limit of machines or users, with `machine_limit` and `user_limit`.
    pub limit: Option<u64>,
    /// The time to wait, with refusals that end by waiting.
    pub retry_after: Option<Duration>,
    /// The begin of the next period of the meter, with `meter_limit`.
    pub resets_at: Option<Time>,
}

/// The first check that a license file failed.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct BadLicenseFile {
    /// `format`, `algorithm`, `type`, `key`, `signature`, `claims`, `issuer`, `product`, `machine`, `expired`, or
    /// `refused` if the service refused the license after the file was made.
    pub reason: &'static str,
    /// English, for a log.
    pub text: &'static str,
}

impl fmt::Display for Error {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::NoLicenseKey => out.write_str("there is no license key"),
            Error::InvalidUnits => out.write_str("units must be from 0 to 1000000000"),
            Error::InvalidOption(text) => out.write_str(text),
            Error::Refused(refused) => write!(out, "refused: {}: {}", refused.code, refused.text),
            Error::Unreachable(problem) => out.write_str(&problem.detail),
            Error::BadLicenseFile(bad) => write!(out, "bad license file: {}", bad.text),
            Error::NoFingerprint(cause) => write!(out, "cannot find the fingerprint: {cause}"),
        }
    }
}

impl StdError for Error {}
