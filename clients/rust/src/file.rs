use crate::error::{BadLicenseFile, Error};
use crate::json::{parse_object, whole_in, Object};
use crate::time::{millis_since_1970, Time, SECOND};
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use base64::Engine;
use ed25519_dalek::{Signature, Verifier, VerifyingKey};
use serde_json::Value;
use sha2::{Digest, Sha256};
use std::time::SystemTime;

/// A key that signs license files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PublicKey {
    /// The id of the key.
    pub kid: String,
    /// The public part as in a JWK, base64url.
    pub x: String,
}

impl PublicKey {
    /// A key as `list-signing-keys --as rust` prints it.
    pub fn new(kid: impl Into<String>, x: impl Into<String>) -> Self {
        PublicKey { kid: kid.into(), x: x.into() }
    }
}

/// The content of a genuine license file.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct LicenseFile {
    /// The time at which the file was made.
    pub issued: Time,
    /// The time from which the app asks for a newer file.
    pub renew_after: Time,
    /// The end of the file; none for no end.
    pub expires: Option<Time>,
    /// `grace` for a file that the app fetched, `offline` or `borrow` for one that an operator made.
    pub purpose: String,
    /// The last group of the license key.
    pub key_hint: String,
    /// The product of the license.
    pub product_id: String,
    /// The variant of the product.
    pub variant: String,
    /// Such as `per-machine` and `floating`.
    pub license_type: String,
    /// None for a perpetual license.
    pub license_expires: Option<Time>,
    /// Every field by its name in docs/apps/license-files.md.
    pub claims: serde_json::Map<String, Value>,
}

/// The conditions that a valid file must meet. Compile the keys and the issuer into the app.
#[derive(Clone, Debug)]
pub struct ReadOptions {
    /// The known keys.
    pub public_keys: Vec<PublicKey>,
    /// `urn:latchkey:...` of your service.
    pub issuer: String,
    /// The product that the file must license.
    pub product_id: String,
    /// The fingerprint of this machine; none accepts files for any machine.
    pub fingerprint: Option<String>,
    /// The time at which the file must be valid; the present time if it is absent.
    pub now: Option<SystemTime>,
}

/// Verifies a license file without a client, for tools and servers. The error is [`Error::BadLicenseFile`].
pub fn read_license_file(text: &str, options: &ReadOptions) -> Result<LicenseFile, Error> {
    verify_license_file(text, options, Some(millis_since_1970(options.now.unwrap_or_else(SystemTime::now))))
}

/// Has room for 50 features with texts of 200 characters.
const MOST_FILE_TEXT: usize = 65_536;
const BEGIN: &str = "-----BEGIN LATCHKEY LICENSE-----";
const END: &str = "-----END LATCHKEY LICENSE-----";

pub(crate) fn bad(reason: &'static str, text: &'static str) -> Error {
    Error::BadLicenseFile(BadLicenseFile { reason, text })
}

/// The content of a file at a time in milliseconds; without one, expired files pass, too.
pub(crate) fn verify_license_file(text: &str, expected: &ReadOptions, now: Option<i64>) -> Result<LicenseFile, Error> {
    if text.chars().count() > MOST_FILE_TEXT {
        return Err(bad("format", "the file is too large"));
    }
    let claims = verify_jws(&without_armour(text), "latchkey-license+jwt", &expected.public_keys)?;
    let issuer = claims.get("iss").cloned();
    let products = claims.get("products").and_then(Value::as_array).cloned().unwrap_or_default();
    let machine = claims.get("fp").and_then(Value::as_str).map(str::to_owned);
    let Some(file) = file_in(claims) else {
        return Err(bad("claims", "the file is of a later version than this app understands"));
    };
    if issuer != Some(Value::from(expected.issuer.as_str())) {
        return Err(bad("issuer", "the file comes from another service"));
    }
    if !products.contains(&Value::from(expected.product_id.as_str())) {
        return Err(bad("product", "the file is for another product"));
    }
    if machine.zip(expected.fingerprint.as_deref()).is_some_and(|(machine, own)| machine != fingerprint_hash(own)) {
        return Err(bad("machine", "the file is for another machine"));
    }
    if now.zip(file.expires).is_some_and(|(now, expires)| expires.millis() <= now) {
        return Err(bad("expired", "the file has expired"));
    }
    Ok(file)
}

/// The compact JWS inside the armour; a JWS without armour is accepted, too.
fn without_armour(text: &str) -> String {
    let text = text.trim_start_matches('\u{feff}').trim();
    // The two lines of a short text may share their hyphens.
    let inside = text.strip_prefix(BEGIN).and_then(|rest| rest.strip_suffix(END)).unwrap_or(text);
    inside.split_whitespace().collect()
}

/// Verifies a compact JWS with the key that its header names, and returns its payload.
pub(crate) fn verify_jws(jws: &str, kind: &str, public_keys: &[PublicKey]) -> Result<Object, Error> {
    let malformed = || bad("format", "this is not a license file");
    let (signed, signature) = jws.rsplit_once('.').ok_or_else(malformed)?;
    let (header, payload) = signed.split_once('.').ok_or_else(malformed)?;
    let (header, payload, signature) =
        (object_in(header), object_in(payload), decode(signature).filter(|bytes| !bytes.is_empty()));
    let (Some(header), Some(payload), Some(signature)) = (header, payload, signature) else { return Err(malformed()) };
    let field = |name: &str| header.get(name).and_then(Value::as_str);
    // RFC 9864 renames the algorithm. Both names mean the same here, because all keys are Ed25519.
    if !matches!(field("alg"), Some("EdDSA" | "Ed25519")) {
        return Err(bad("algorithm", "the file is signed in an unknown way"));
    }
    if field("typ") != Some(kind) {
        return Err(bad("type", "this is a file of another kind"));
    }
    match public_keys.iter().find(|key| field("kid") == Some(&key.kid)) {
        None => Err(bad("key", "the file is signed with a key that this app does not know")),
        Some(key) if !is_signed(&decode(&key.x).unwrap_or_default(), signed.as_bytes(), &signature) => {
            Err(bad("signature", "the file was changed, or is not genuine"))
        }
        Some(_) => Ok(payload),
    }
}

fn is_signed(public_key: &[u8], message: &[u8], signature: &[u8]) -> bool {
    let verify = || {
        let key = VerifyingKey::from_bytes(public_key.try_into().ok()?).ok()?;
        key.verify(message, &Signature::from_slice(signature).ok()?).ok()
    };
    verify().is_some()
}

/// None for claims of another form.
fn file_in(claims: Object) -> Option<LicenseFile> {
    let text = |name: &str| claims.get(name)?.as_str().map(str::to_owned);
    let time = |name: &str| whole_in(claims.get(name)).map(|seconds| Time::of(seconds.saturating_mul(SECOND)));
    let time_or_null = |name: &str| if claims.get(name)?.is_null() { Some(None) } else { time(name).map(Some) };
    let is_known = matches!(claims.get("purpose")?.as_str()?, "grace" | "offline" | "borrow");
    let has_machine = claims.get("fp").is_some_and(|machine| machine.is_null() || machine.is_string());
    let has_products = claims.get("products")?.as_array()?.iter().all(Value::is_string);
    if whole_in(claims.get("v")) != Some(1) || !is_known || !has_machine || !has_products {
        return None;
    }
    for name in ["iss", "jti", "lic"] {
        text(name)?;
    }
    Some(LicenseFile {
        issued: time("iat")?,
        renew_after: time("renewAfter")?,
        expires: time_or_null("exp")?,
        license_expires: time_or_null("licenseExpiresAt")?,
        purpose: text("purpose")?,
        key_hint: text("keyHint")?,
        product_id: text("productId")?,
        variant: text("variant")?,
        license_type: text("licenseType")?,
        claims,
    })
}

/// The hash by which a license file names a machine.
fn fingerprint_hash(fingerprint: &str) -> String {
    encode(&Sha256::digest(format!("latchkey-fp:{fingerprint}")))
}

fn object_in(part: &str) -> Option<Object> {
    parse_object(&String::from_utf8(decode(part)?).ok()?)
}

pub(crate) fn encode(bytes: &[u8]) -> String {
    URL_SAFE_NO_PAD.encode(bytes)
}

/// None unless the text is the only spelling of its bytes.
fn decode(text: &str) -> Option<Vec<u8>> {
    URL_SAFE_NO_PAD.decode(text).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::time::{Duration, UNIX_EPOCH};

    fn vectors(path: &str) -> Value {
        let text = fs::read_to_string(format!("{}/../../{path}", env!("CARGO_MANIFEST_DIR"))).unwrap();
        Value::Object(parse_object(&text).unwrap())
    }

    /// The conditions of all vectors, with those of one.
    fn options_of(all: &Value, own: &Value) -> ReadOptions {
        let field = |name: &str| own.get(name).unwrap_or(&all[name]).clone();
        let text = |name: &str| field(name).as_str().map(str::to_owned);
        let key = |each: &Value| PublicKey::new(each["kid"].as_str().unwrap(), each["x"].as_str().unwrap());
        ReadOptions {
            public_keys: field("publicKeys").as_array().unwrap().iter().map(key).collect(),
            issuer: text("issuer").unwrap(),
            product_id: text("productId").unwrap(),
            fingerprint: text("fingerprint"),
            now: Some(UNIX_EPOCH + Duration::from_secs(field("now").as_u64().unwrap())),
        }
    }

    #[test]
    fn vectors_of_license_files() {
        let all = vectors("docs/vectors/license-files.json");
        let (accepted, refused) = (all["accepted"].as_array().unwrap(), all["refused"].as_array().unwrap());
        assert!(accepted.len() >= 10 && refused.len() >= 30);
        let read = |each: &Value| {
            let options = options_of(&all["expected"], &each["expected"]);
            read_license_file(each["file"].as_str().unwrap(), &options)
        };
        for each in accepted {
            let file = read(each).unwrap_or_else(|error| panic!("{}: {error}", each["name"]));
            assert_eq!(Value::Object(file.claims), each["claims"], "{}", each["name"]);
        }
        for each in refused {
            assert!(matches!(read(each), Err(Error::BadLicenseFile(_))), "{}", each["name"]);
        }
    }

    #[test]
    fn no_change_of_a_file_passes() {
        let all = vectors("docs/vectors/license-files.json");
        let options = options_of(&all["expected"], &Value::Null);
        let jws = without_armour(all["accepted"][0]["file"].as_str().unwrap());
        for (at, letter) in jws.char_indices().step_by(5) {
            for other in ["", "A", "_", ".", "é", "\0", &format!("{letter}{letter}")] {
                let changed = format!("{}{other}{}", &jws[..at], &jws[at + 1..]);
                assert!(changed == jws || read_license_file(&changed, &options).is_err(), "{other:?} at {at}");
            }
        }
        // The two lines share their hyphens.
        assert!(read_license_file("-----BEGIN LATCHKEY LICENSE-----END LATCHKEY LICENSE-----", &options).is_err());
    }

    #[test]
    fn vectors_of_signatures() {
        let all = vectors("clients/conformance/vectors/ed25519.json");
        let bytes = |value: &Value| -> Vec<u8> {
            let text = value.as_str().unwrap();
            (0..text.len()).step_by(2).map(|at| u8::from_str_radix(&text[at..at + 2], 16).unwrap()).collect()
        };
        let cases = all["cases"].as_array().unwrap();
        assert!(cases.len() >= 70);
        for each in cases.iter().filter(|each| each["result"] != "either") {
            let (key, message) = (bytes(&each["publicKey"]), bytes(&each["message"]));
            let is = is_signed(&key, &message, &bytes(&each["signature"]));
            assert_eq!(is, each["result"] == "valid", "{}", each["name"]);
        }
    }
}
