use crate::options::Options;
use crate::state::{RefusedUse, State};
use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// An event of which the app gets a notice.
pub(crate) enum Event {
    Changed(Box<[State; 2]>),
    UseRefused(RefusedUse),
}

/// Calls the listeners in the order of the events, and outside of operations, so that they may call the client.
#[derive(Default)]
pub(crate) struct News(Mutex<Waiting>);

#[derive(Default)]
struct Waiting {
    events: VecDeque<Event>,
    is_telling: bool,
}

impl News {
    pub fn add(&self, event: Event) {
        locked(&self.0).events.push_back(event);
    }

    /// Tells everything that waits, unless a caller up the stack or another thread does.
    pub fn tell(&self, options: &Options) {
        let mut waiting = locked(&self.0);
        if waiting.is_telling {
            return;
        }
        waiting.is_telling = true;
        while let Some(event) = waiting.events.pop_front() {
            drop(waiting);
            match (&event, &options.on_change, &options.on_use_refused) {
                (Event::Changed(states), Some(listen), _) => listen(&states[0], &states[1]),
                (Event::UseRefused(refused), _, Some(listen)) => listen(refused),
                _ => {}
            }
            waiting = locked(&self.0);
        }
        waiting.is_telling = false;
    }
}

/// Locks, also after a function of the app has panicked in another thread: every value behind a lock is whole between two
/// statements.
pub(crate) fn locked<T: ?Sized>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
