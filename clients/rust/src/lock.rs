//! The lock: a file, which programs in every language can hold.

use crate::private_files::{create_folder, create_private, text_of};
use crate::random::random_name;
use std::fs;
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// The time after which a lock that shows the same text was abandoned: a holder needs milliseconds.
const ABANDONED: Duration = Duration::from_secs(2);

/// The wait for a lock, after which the work is done without it, because a lock must not stop a customer.
const PATIENCE: Duration = Duration::from_secs(6);
const PAUSE: Duration = Duration::from_millis(5);

/// A lock that this process has taken.
pub(crate) struct Lock {
    path: PathBuf,
    text: String,
}

impl Lock {
    /// Takes the lock; none if the work must go on without it.
    pub fn take(path: &Path) -> Option<Lock> {
        let text = random_name();
        let begin = Instant::now();
        let (mut shown, mut shown_since) = (None, begin);
        while begin.elapsed() < PATIENCE {
            match create(path, &text) {
                Ok(()) => return Some(Lock { path: path.to_owned(), text }),
                Err(error) if is_held(&error) => {}
                Err(_) => return None,
            }
            let present = text_of(path).ok();
            if present.is_none() || present != shown {
                (shown, shown_since) = (present, Instant::now());
            } else if shown_since.elapsed() > ABANDONED {
                remove_abandoned(path, shown.as_deref().unwrap_or_default());
            }
            sleep(PAUSE);
        }
        None
    }

    /// Whether no other process has taken the lock for abandoned.
    pub fn is_held(&self) -> bool {
        holds(&self.path, &self.text)
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        if self.is_held() {
            let _ = fs::remove_file(&self.path);
        }
    }
}

/// Windows reports `PermissionDenied` for a file that is about to disappear.
fn is_held(error: &io::Error) -> bool {
    error.kind() == ErrorKind::AlreadyExists || (cfg!(windows) && error.kind() == ErrorKind::PermissionDenied)
}

fn create(path: &Path, text: &str) -> io::Result<()> {
    // A file in the place of the folder exists as well, and is no lock.
    create_folder(path).map_err(io::Error::other)?;
    let mut file = create_private(path)?;
    let written = file.write_all(text.as_bytes());
    if written.is_err() {
        let _ = fs::remove_file(path);
    }
    written
}

/// Removes an abandoned lock. Another process may have done so and taken it since: that lock is put back.
fn remove_abandoned(path: &Path, text: &str) {
    let moved = path.with_file_name(format!("lock.{}", random_name()));
    if fs::rename(path, &moved).is_ok() {
        if !holds(&moved, text) {
            let _ = fs::hard_link(&moved, path);
        }
        let _ = fs::remove_file(&moved);
    }
}

fn holds(path: &Path, text: &str) -> bool {
    text_of(path).is_ok_and(|present| present == text)
}
