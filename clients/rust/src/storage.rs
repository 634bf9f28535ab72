use crate::lock::Lock;
use crate::private_files::{create_folder, create_private, text_of, write_private};
use crate::process::is_alive;
use crate::random::random_name;
use crate::time::millis_since_1970;
use std::fs::{self, OpenOptions};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};

/// Stores one text between starts. If a function fails, the client goes on in memory.
pub trait Storage: Send + Sync {
    /// The text of the last write; none without any.
    fn read(&mut self) -> io::Result<Option<String>>;
    /// Replaces the whole text.
    fn write(&mut self, text: &str) -> io::Result<()>;
    /// Removes the text.
    fn remove(&mut self) -> io::Result<()>;
}

/// Keeps the state for the life of the process: for tests, and for servers that activate at each start.
#[derive(Debug, Default)]
pub struct MemoryStorage(Option<String>);

impl Storage for MemoryStorage {
    fn read(&mut self) -> io::Result<Option<String>> {
        Ok(self.0.clone())
    }

    fn write(&mut self, text: &str) -> io::Result<()> {
        self.0 = Some(text.to_owned());
        Ok(())
    }

    fn remove(&mut self) -> io::Result<()> {
        self.0 = None;
        Ok(())
    }
}

/// The time for which the client tries to replace a file: Windows refuses it while a virus scanner reads the file.
const REPLACE_FOR: Duration = Duration::from_secs(1);

/// Says how often a change is made again because another process took the lock for abandoned.
const LOCK_REPEATS: usize = 3;

/// The place of the stored state.
pub(crate) enum Place {
    /// The folder that the clients of all languages and processes share.
    Folder(Folder),
    /// The storage of the app, which this process alone uses.
    Own(Box<dyn Storage>),
}

impl Place {
    pub fn storage(&mut self) -> &mut dyn Storage {
        match self {
            Place::Folder(folder) => folder,
            Place::Own(storage) => storage.as_mut(),
        }
    }

    pub fn folder(&self) -> Option<&Folder> {
        match self {
            Place::Folder(folder) => Some(folder),
            Place::Own(_) => None,
        }
    }

    /// Makes a change, a reading and a writing, while no other process makes one.
    pub fn exclusively(&mut self, mut change: impl FnMut(&mut Place) -> io::Result<()>) -> io::Result<()> {
        for repeats in 0.. {
            if let Place::Folder(folder) = self {
                folder.held = if repeats < LOCK_REPEATS { Lock::take(&folder.place("lock")) } else { None };
            }
            let changed = change(self);
            let Place::Folder(folder) = self else { return changed };
            let is_lost = folder.is_lost();
            folder.held = None;
            if changed.is_ok() || !is_lost {
                return changed;
            }
        }
        unreachable!("without a lock, none is lost")
    }
}

pub(crate) struct Folder {
    path: PathBuf,
    /// The file by which this client says that it is alive.
    own: PathBuf,
    /// The time after which a client of the machine counts as gone.
    silent: Duration,
    held: Option<Lock>,
}

impl Folder {
    pub fn new(path: PathBuf, silent: Duration) -> Self {
        let own = path.join("processes").join(format!("{}.{}", std::process::id(), random_name()));
        Folder { path, own, silent, held: None }
    }

    fn place(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }

    fn is_lost(&self) -> bool {
        self.held.as_ref().is_some_and(|lock| !lock.is_held())
    }

    fn must_hold(&self) -> io::Result<()> {
        if self.is_lost() {
            return Err(io::Error::other("another process holds the lock"));
        }
        Ok(())
    }

    /// Copies an unreadable text, for support to inspect.
    pub fn set_aside(&self, text: &str) {
        let _ = write_whole(&self.place("state.broken"), text, || Ok(()));
    }

    /// The time of the last write by the machine's clock; none if it is unknown.
    pub fn written_at(&self) -> Option<i64> {
        newest_in(&self.path)
    }

    /// Records that this client is alive.
    pub fn beat(&self) {
        let beaten =
            OpenOptions::new().write(true).open(&self.own).and_then(|file| file.set_modified(SystemTime::now()));
        if beaten.is_err() && create_folder(&self.own).is_ok() {
            let _ = create_private(&self.own);
        }
    }

    /// Removes the record of this client. Returns whether it was the last one of the machine.
    pub fn leave(&self) -> bool {
        let _ = fs::remove_file(&self.own);
        let mut is_last = true;
        for entry in entries_of(&self.place("processes")) {
            let name = entry.file_name();
            let process = name.to_str().and_then(|name| name.split('.').next()?.parse().ok());
            let modified = entry.metadata().and_then(|found| found.modified());
            let is_recent = modified.is_ok_and(|at| at.elapsed().unwrap_or_default() < self.silent);
            if is_recent && process.is_some_and(is_alive) {
                is_last = false;
            } else {
                let _ = fs::remove_file(entry.path());
            }
        }
        is_last
    }
}

impl Storage for Folder {
    fn read(&mut self) -> io::Result<Option<String>> {
        match text_of(&self.place("state")) {
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            read => read.map(Some),
        }
    }

    fn write(&mut self, text: &str) -> io::Result<()> {
        write_whole(&self.place("state"), text, || self.must_hold())
    }

    fn remove(&mut self) -> io::Result<()> {
        self.must_hold()?;
        match fs::remove_file(self.place("state")) {
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
            removed => removed,
        }
    }
}

fn entries_of(folder: &Path) -> impl Iterator<Item = fs::DirEntry> {
    fs::read_dir(folder).into_iter().flatten().flatten()
}

/// The last change of a file or folder and of everything in it.
fn newest_in(path: &Path) -> Option<i64> {
    let found = fs::symlink_metadata(path).ok()?;
    let within =
        if found.is_dir() { entries_of(path).filter_map(|entry| newest_in(&entry.path())).max() } else { None };
    found.modified().ok().map(millis_since_1970).max(within)
}

/// Writes a temporary file and renames it, so that a crash leaves the old or the new text.
fn write_whole(path: &Path, text: &str, may_replace: impl Fn() -> io::Result<()>) -> io::Result<()> {
    create_folder(path)?;
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let temporary = path.with_file_name(format!("{name}.{}.tmp", random_name()));
    let written = write_private(&temporary, text).and_then(|()| may_replace()).and_then(|()| replace(&temporary, path));
    if written.is_err() {
        let _ = fs::remove_file(&temporary);
    }
    written
}

fn replace(temporary: &Path, path: &Path) -> io::Result<()> {
    let begin = Instant::now();
    loop {
        let renamed = fs::rename(temporary, path);
        if renamed.is_ok() || !cfg!(windows) || begin.elapsed() > REPLACE_FOR {
            return renamed;
        }
        std::thread::sleep(Duration::from_millis(50));
    }
}
