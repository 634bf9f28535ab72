//! The machine: its id, its folder of the state and its name.

use crate::error::Error;
use crate::file::encode;
use crate::private_files::{create_folder, write_private};
use crate::random::{random_bytes, random_name};
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;
use std::env;
use std::fs;
use std::io::{self, ErrorKind, Read};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

const ID_TRIES: usize = 3;
const ID_PAUSE: Duration = Duration::from_millis(100);
const PROGRAM_LIMIT: Duration = Duration::from_secs(5);

/// The default folder of the stored state: one for each product, of this user. The error is [`Error::InvalidOption`] on a
/// system without a home folder.
pub fn state_directory(product_id: &str) -> Result<PathBuf, Error> {
    let given = |name: &str| env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let base = if cfg!(windows) {
        given("LOCALAPPDATA").or_else(|| Some(given("USERPROFILE")?.join("AppData").join("Local")))
    } else if cfg!(target_vendor = "apple") {
        given("HOME").map(|home| home.join("Library").join("Application Support"))
    } else {
        given("XDG_STATE_HOME").or_else(|| Some(given("HOME")?.join(".local").join("state")))
    };
    let base = base.ok_or_else(|| Error::InvalidOption("directory is missing: there is no home folder".into()))?;
    let is_kept = |letter: char| letter.is_ascii_alphanumeric() || "_.-".contains(letter);
    Ok(base.join("latchkey").join(product_id.replace(|letter| !is_kept(letter), "_")))
}

/// The fingerprint of this machine: the id that the system keeps, hashed together with the product. The hash cannot be
/// reversed, and fingerprints of two products cannot be matched.
///
/// In a container, or if the system keeps no id, it is made from a random id in the file `machine-id` of the folder. It
/// fails if the id cannot be read at the moment: a random one would be another machine to the service.
pub fn machine_fingerprint(product_id: &str, directory: &Path) -> io::Result<String> {
    let system = if is_in_container()? { None } else { system_id()? };
    let id = system.map_or_else(|| kept_id(directory), Ok)?;
    let mut hash = Hmac::<Sha256>::new_from_slice(id.as_bytes()).map_err(io::Error::other)?;
    hash.update(format!("latchkey:{product_id}").as_bytes());
    Ok(format!("v1.{:.22}", encode(&hash.finalize().into_bytes())))
}

/// The id of the system; none if it keeps none.
fn system_id() -> io::Result<Option<String>> {
    if cfg!(target_os = "macos") {
        let text = text_of_program(Path::new("/usr/sbin/ioreg"), &["-rd1", "-c", "IOPlatformExpertDevice"])?;
        return Ok(uuid_after(&text, "\"IOPlatformUUID\""));
    }
    if cfg!(windows) {
        let program = Path::new(&env::var_os("SystemRoot").unwrap_or_default()).join("System32").join("reg.exe");
        let key = "HKEY_LOCAL_MACHINE\\SOFTWARE\\Microsoft\\Cryptography";
        let text = text_of_program(&program, &["query", key, "/v", "MachineGuid", "/reg:64"])?;
        return Ok(uuid_after(&text, "MachineGuid"));
    }
    for path in ["/etc/machine-id", "/var/lib/dbus/machine-id"] {
        let id = text_of_system_file(path)?.trim().to_lowercase();
        // An image that was never started has no id, or zeros.
        let is_id = id.len() == 32 && id.bytes().all(|letter| letter.is_ascii_hexdigit());
        if is_id && id.bytes().any(|letter| letter != b'0') {
            return Ok(Some(id));
        }
    }
    Ok(None)
}

/// The first UUID in the line of a name.
fn uuid_after(text: &str, name: &str) -> Option<String> {
    let line = text.lines().find_map(|line| line.split_once(name))?.1;
    let mut words = line.split(|letter: char| !(letter.is_ascii_hexdigit() || letter == '-'));
    words.find(|word| word.len() == 36).map(str::to_lowercase)
}

/// Whether this is a container: those of one image share its id, or get a new one at each start.
fn is_in_container() -> io::Result<bool> {
    if !cfg!(target_os = "linux") {
        return Ok(false);
    }
    if ["/.dockerenv", "/run/.containerenv"].iter().any(|path| Path::new(path).exists()) {
        return Ok(true);
    }
    let groups = text_of_system_file("/proc/self/cgroup")?;
    Ok(["kubepods", "docker", "containerd", "lxc"].iter().any(|name| groups.contains(name)))
}

/// An empty text if there is none for this app.
fn text_of_system_file(path: &str) -> io::Result<String> {
    tried(|| match fs::read(path) {
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::PermissionDenied) => Ok(String::new()),
        read => Ok(String::from_utf8_lossy(&read?).into_owned()),
    })
}

/// An empty text if the program does not exist or ended with an error.
fn text_of_program(program: &Path, args: &[&str]) -> io::Result<String> {
    tried(|| {
        let mut command = Command::new(program);
        command.args(args).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = match command.spawn() {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(String::new()),
            started => started?,
        };
        let begin = Instant::now();
        // Its few lines fit into the pipe.
        let status = loop {
            if let Some(status) = child.try_wait()? {
                break status;
            }
            if begin.elapsed() > PROGRAM_LIMIT {
                child.kill()?;
                child.wait()?;
                return Err(io::Error::new(ErrorKind::TimedOut, format!("{} does not end", program.display())));
            }
            sleep(Duration::from_millis(5));
        };
        let mut output = Vec::new();
        if let Some(mut pipe) = child.stdout.take() {
            pipe.read_to_end(&mut output)?;
        }
        match status.code() {
            Some(0) => Ok(String::from_utf8_lossy(&output).into_owned()),
            Some(1..=255) => Ok(String::new()),
            // The statuses of signals, and of crashes on Windows.
            _ => Err(io::Error::other(format!("{} ended with {status}", program.display()))),
        }
    })
}

/// Repeats a reading that may succeed the next time.
fn tried(read: impl Fn() -> io::Result<String>) -> io::Result<String> {
    for _ in 1..ID_TRIES {
        if let Ok(text) = read() {
            return Ok(text);
        }
        sleep(ID_PAUSE);
    }
    read()
}

/// The random id of a folder. If several processes create it at once, all of them get the first one.
fn kept_id(directory: &Path) -> io::Result<String> {
    let path = directory.join("machine-id");
    let known = fs::read_to_string(&path);
    if let Ok(id) = &known {
        if !id.trim().is_empty() {
            return Ok(id.trim().to_owned());
        }
    }
    create_folder(&path)?;
    let temporary = directory.join(format!("machine-id.{}.tmp", random_name()));
    write_private(&temporary, &random_uuid())?;
    let placed = if known.is_err() {
        // It fails if another process has created the file by now.
        let _ = fs::hard_link(&temporary, &path);
        Ok(())
    } else {
        // An empty file, as after a power cut, is replaced.
        fs::rename(&temporary, &path)
    };
    let _ = fs::remove_file(&temporary);
    placed?;
    Ok(fs::read_to_string(&path)?.trim().to_owned())
}

fn random_uuid() -> String {
    let mut bytes: [u8; 16] = random_bytes();
    bytes[6] = bytes[6] & 0x0f | 0x40;
    bytes[8] = bytes[8] & 0x3f | 0x80;
    let name = format!("{:032x}", u128::from_be_bytes(bytes));
    [&name[..8], &name[8..12], &name[12..16], &name[16..20], &name[20..]].join("-")
}

/// The name of the computer, empty if it has none.
pub(crate) fn hostname() -> String {
    #[cfg(unix)]
    return rustix::system::uname().nodename().to_string_lossy().into_owned();
    #[cfg(not(unix))]
    env::var("COMPUTERNAME").unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_of_other_systems_are_found() {
        let mac =
            "  \"IOPlatformSerialNumber\" = \"C02\"\n  \"IOPlatformUUID\" = \"0A1B2C3D-0000-4000-8000-00000000000F\"\n";
        assert_eq!(uuid_after(mac, "\"IOPlatformUUID\"").unwrap(), "0a1b2c3d-0000-4000-8000-00000000000f");
        let windows = "\r\n    MachineGuid    REG_SZ    0a1b2c3d-0000-4000-8000-00000000000f\r\n";
        assert_eq!(uuid_after(windows, "MachineGuid").unwrap(), "0a1b2c3d-0000-4000-8000-00000000000f");
        assert_eq!(uuid_after("nothing", "MachineGuid"), None);
    }

    #[test]
    fn random_ids_have_the_form_of_version_4() {
        let id = random_uuid();
        assert_eq!((id.len(), &id[14..15]), (36, "4"));
        assert!("89ab".contains(&id[19..20]));
    }

    #[test]
    fn a_program_that_fails_has_no_text() {
        assert_eq!(text_of_program(Path::new("/no/such/program"), &[]).unwrap(), "");
        assert_eq!(text_of_program(Path::new("/bin/false"), &[]).unwrap(), "");
        assert_eq!(text_of_program(Path::new("/bin/echo"), &["a"]).unwrap(), "a\n");
    }
}
