/// Whether a process exists. One of another user counts as alive.
#[cfg(unix)]
pub(crate) fn is_alive(process: i32) -> bool {
    use rustix::io::Errno;
    use rustix::process::{test_kill_process, Pid};
    Pid::from_raw(process).is_some_and(|process| matches!(test_kill_process(process), Ok(()) | Err(Errno::PERM)))
}

/// Windows tells it to unsafe code alone, so the age of the file decides there.
#[cfg(not(unix))]
pub(crate) fn is_alive(_process: i32) -> bool {
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_process_is_alive() {
        assert!(is_alive(std::process::id() as i32));
        assert!(cfg!(not(unix)) || !is_alive(i32::MAX));
    }
}
