use crate::file::{verify_jws, PublicKey};
use serde_json::Value;
use std::collections::HashSet;

/// The lists that are examined.
const MOST_KEY_LISTS: usize = 16;

/// Every key that the signed lists lead to, the compiled-in ones first, and the lists that led to them. Lists that are not
/// genuine, and the ids in `stolen`, are ignored.
///
/// The service publishes lists of its keys, each signed by an older key, so that a compiled-in key leads to all later
/// ones. The client stores the signed lists, never bare keys, because a user could add keys by editing the state.
pub(crate) fn follow_key_lists(
    compiled_in: &[PublicKey],
    issuer: &str,
    lists: &[String],
    stolen: &[String],
) -> (Vec<PublicKey>, Vec<String>) {
    let mut keys = compiled_in.to_vec();
    let mut known: HashSet<String> = stolen.iter().cloned().chain(keys.iter().map(|key| key.kid.clone())).collect();
    let mut used = Vec::new();
    let mut left: Vec<&String> = lists.iter().take(MOST_KEY_LISTS).collect();
    loop {
        let mut open = Vec::new();
        for list in &left {
            let Some(listed) = keys_in(list, &keys, issuer) else {
                open.push(*list);
                continue;
            };
            let before = keys.len();
            keys.extend(listed.into_iter().filter(|key| known.insert(key.kid.clone())));
            if keys.len() > before {
                used.push((*list).clone());
            }
        }
        if open.len() == left.len() {
            return (keys, used);
        }
        left = open;
    }
}

/// The keys of a list that a known key signed.
fn keys_in(list: &str, known: &[PublicKey], issuer: &str) -> Option<Vec<PublicKey>> {
    let payload = verify_jws(list, "latchkey-keys+jwt", known).ok()?;
    let listed = payload.get("keys")?.as_array()?;
    if payload.get("iss")?.as_str() != Some(issuer) {
        return None;
    }
    let key = |each: &Value| Some(PublicKey::new(each.get("kid")?.as_str()?, each.get("x")?.as_str()?));
    Some(listed.iter().filter_map(key).collect())
}
