use crate::json::json_of;
use crate::storage::{Folder, Place};
use crate::stored::StoredState;
use std::io;
use std::sync::Arc;

/// The listener of the log.
pub(crate) type Log = Arc<dyn Fn(&str) + Send + Sync>;

/// Keeps the state in the storage. If that fails, it keeps it in memory, because a full disk must not stop a customer.
pub(crate) struct Keeper {
    place: Place,
    memory: Memory,
}

struct Memory {
    log: Log,
    /// The last state known to this process; none before the first reading.
    last: Option<StoredState>,
    /// The text that was read or written last.
    text: Option<String>,
    /// The unreadable text that was set aside.
    broken: Option<String>,
    /// Whether the last write failed, so that the last state is newer than the stored one.
    is_ahead: bool,
    /// Whether every reading has failed so far, as with a locked keychain.
    is_unread: bool,
    problem: Option<String>,
}

impl Keeper {
    pub fn new(place: Place, log: Log) -> Self {
        let memory =
            Memory { log, last: None, text: None, broken: None, is_ahead: false, is_unread: false, problem: None };
        Keeper { place, memory }
    }

    /// Why the state cannot be read or written.
    pub fn problem(&self) -> Option<&str> {
        self.memory.problem.as_deref()
    }

    pub fn is_unread(&self) -> bool {
        self.memory.is_unread
    }

    pub fn folder(&self) -> Option<&Folder> {
        self.place.folder()
    }

    /// The present state, which another process may have changed.
    pub fn read(&mut self) -> StoredState {
        self.memory.read(&mut self.place)
    }

    /// Whether the stored text is neither the one that was read last nor the one that was written last.
    pub fn is_changed(&mut self) -> bool {
        self.place.storage().read().map_or(true, |text| text != self.memory.text)
    }

    /// Makes the next state of the present one, or leaves it for none. Returns the present state after that.
    pub fn update(&mut self, mut next: impl FnMut(StoredState) -> Option<StoredState>) -> StoredState {
        let memory = &mut self.memory;
        let changed = self.place.exclusively(|place| {
            let present = memory.read(place);
            if let Some(state) = next(present) {
                let text = (!state.is_empty()).then(|| json_of(&state));
                memory.last = Some(state);
                match &text {
                    None => place.storage().remove()?,
                    Some(text) => place.storage().write(text)?,
                }
                (memory.text, memory.problem, memory.is_ahead) = (text, None, false);
            }
            Ok(())
        });
        if let Err(error) = changed {
            memory.is_ahead = true;
            memory.fail("write", &error);
        }
        memory.known()
    }
}

impl Memory {
    /// The last state, and an empty one without any.
    fn known(&self) -> StoredState {
        self.last.clone().unwrap_or_default()
    }

    fn read(&mut self, place: &mut Place) -> StoredState {
        if self.is_ahead && self.last.is_some() {
            return self.known();
        }
        match place.storage().read() {
            Ok(text) => self.take(text, place.folder()),
            Err(error) => {
                self.fail("read", &error);
                self.is_unread = self.last.is_none();
            }
        }
        self.known()
    }

    fn take(&mut self, text: Option<String>, folder: Option<&Folder>) {
        (self.problem, self.is_unread) = (None, false);
        let state = text.as_deref().map_or(Some(StoredState::default()), StoredState::read);
        if state.is_none() {
            let problem = "the stored state cannot be read";
            self.problem = Some(problem.into());
            if self.broken != text {
                (self.log)(problem);
                self.broken.clone_from(&text);
                if let Some(folder) = folder {
                    folder.set_aside(text.as_deref().unwrap_or_default());
                }
            }
        }
        self.text = text;
        self.last = Some(state.unwrap_or_else(|| self.known()));
    }

    fn fail(&mut self, what: &str, error: &io::Error) {
        let problem = format!("cannot {what} the state: {error}");
        if self.problem.is_none() {
            (self.log)(&problem);
        }
        self.problem = Some(problem);
    }
}
