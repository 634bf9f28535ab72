use crate::decide::Outcome;
use crate::facts::{differs, is_key_of_file};
use crate::json::{text_in, Object};
use crate::line::Called;
use crate::session::Session;
use crate::time::{DAY, HOUR};

/// The pause before another request for a license file that could not be had.
const FILE_PAUSE: i64 = HOUR;

impl Session {
    /// Fetches a newer license file when it is due. On failure nothing changes, and the app goes on with its present one.
    pub fn renew_file(&mut self) {
        let record = &self.record;
        let is_asked = record.needs_file() && record.covers_build() && record.outcome == Outcome::Good;
        let now = self.options.clock.monotonic();
        if !is_asked || now < self.file_not_before || !self.is_file_due() {
            return;
        }
        let (Some(license_key), Some(token)) = (record.stored.license_key.clone(), record.stored.token.clone()) else {
            return;
        };
        self.file_not_before = now + FILE_PAUSE;
        let reply = match self.call("/issueLicenseFile", &license_key, &token, Object::new()) {
            Called::Good { reply, .. } => reply,
            Called::Refused { refusal, .. } if refusal.code == "license_files_not_offered" => {
                self.file_not_before = now + DAY;
                return;
            }
            _ => return,
        };
        let text = text_in(reply.get("licenseFile")).unwrap_or_default();
        if let Some(key_lists) = self.key_lists_for(&text) {
            self.record.keep(|state| {
                state.file = Some(text.clone());
                state.key_lists.clone_from(&key_lists);
            });
            self.file_not_before = 0;
        }
    }

    /// Whether none is stored, its renewal has come, the license or its key has changed, or the file is from the future.
    fn is_file_due(&self) -> bool {
        let now = self.record.now();
        let Some(file) = &self.record.file else { return true };
        file.purpose == "grace"
            && (now >= file.renew_after.millis()
                || differs(self.record.stored.facts.as_ref(), file)
                || !is_key_of_file(self.record.stored.license_key.as_deref(), Some(file))
                || file.issued.millis() > now + DAY)
    }

    /// The lists of signing keys that prove a file genuine.
    fn key_lists_for(&self, text: &str) -> Option<Vec<String>> {
        let stored = &self.record.stored.key_lists;
        if self.record.verify(text, None, stored).is_ok() {
            return Some(stored.clone());
        }
        // Published lists first: any of them leads to all keys, while the stored ones lead to some.
        let mut candidates = self.line.key_lists();
        candidates.extend(stored.iter().cloned());
        self.record.verify(text, None, &candidates).ok()?;
        Some(self.record.follow(&candidates).1)
    }
}
