use crate::error::{Error, Refused};
use crate::json::{text_in, Object};
use crate::time::{iso_in, Time, HOUR, MINUTE};
use crate::transport::Answer;
use serde_json::Value;
use std::time::Duration;

/// A refusal by the service.
#[derive(Clone, Debug)]
pub(crate) struct Refusal {
    pub code: &'static str,
    pub text: String,
    /// All fields of the answer.
    pub fields: Object,
    /// The number in the text of machine_limit and user_limit.
    limit: Option<u64>,
    /// The pause of refusals that end by waiting, in milliseconds.
    pub retry_after: Option<i64>,
}

impl Refusal {
    pub fn new(code: &'static str, text: impl Into<String>) -> Self {
        Refusal { code, text: text.into(), fields: Object::new(), limit: None, retry_after: None }
    }

    /// Whether it refuses a use of a meter alone. Any other refusal is about the license, the machine or its token.
    pub fn is_about_use(&self) -> bool {
        matches!(
            self.code,
            "meter_limit" | "meter_not_found" | "request_id_reused" | "missing_fields" | "invalid_field"
        )
    }

    /// The refusal as apps get it.
    pub fn as_error(&self) -> Error {
        let resets_at = if self.code == "meter_limit" { text_in(self.fields.get("resetsAt")) } else { None };
        Error::Refused(Refused {
            code: self.code.into(),
            text: self.text.clone(),
            limit: self.limit,
            retry_after: self.retry_after.map(|millis| Duration::from_millis(millis.unsigned_abs())),
            resets_at: iso_in(resets_at.as_deref()).map(Time::of),
        })
    }
}

/// The codes with the statuses and texts that identify them without the header Latchkey-Code. `#` in a text is a number,
/// `*` any text. A form without statuses does not distinguish the refusal from another program's.
const FORMS: [(&str, &[u16], &str); 25] = [
    ("license_not_found", &[404], "License not found"),
    ("license_replaced", &[403], "License was replaced by another key"),
    ("license_revoked", &[403], "License has been revoked"),
    ("license_expired", &[403], "License has expired"),
    ("wrong_product", &[403], "License is for a different product"),
    ("machine_limit", &[403], "Machine limit reached (#). Deactivate another machine first."),
    ("machine_not_activated", &[403, 404], "Machine not activated"),
    ("activation_rate", &[429], "Too many activation attempts. Try again later."),
    ("invalid_token", &[401], "Invalid token|Invalid or expired token"),
    ("token_mismatch", &[401], "Token mismatch"),
    ("license_files_not_offered", &[403], "License files are not offered for this license"),
    ("update_not_covered", &[403], "License does not cover this version"),
    ("trial_not_offered", &[403], "This product offers no trial"),
    ("trial_over", &[403], "Trial has ended"),
    (
        "trial_rate",
        &[429],
        "Too many trials from your network. Try again later.|Too many trials of this product. Try again later.",
    ),
    ("product_not_found", &[404], "Product not found"),
    ("variant_not_found", &[404], "Variant not found"),
    ("product_archived", &[409], "Product is archived"),
    ("meter_limit", &[403], "Usage limit reached"),
    ("meter_not_found", &[404], "Meter not found"),
    ("request_id_reused", &[422], "requestId was used for other units"),
    ("user_required", &[400], "User required"),
    ("user_limit", &[403], "User limit reached (#)"),
    ("missing_fields", &[400], "Missing *"),
    ("invalid_field", &[], ""),
];

const OF_SESSIONS: [&str; 7] = [
    "license_not_found",
    "license_replaced",
    "license_revoked",
    "license_expired",
    "machine_not_activated",
    "invalid_token",
    "token_mismatch",
];

/// Whether the service gives a refusal at an endpoint.
fn is_given_at(endpoint: &str, code: &str) -> bool {
    let own = match endpoint {
        "/activate" => {
            "license_not_found license_replaced license_revoked license_expired wrong_product update_not_covered \
             machine_limit activation_rate user_required user_limit"
        }
        "/startTrial" => {
            "product_not_found variant_not_found product_archived trial_not_offered trial_rate trial_over \
             license_replaced license_revoked update_not_covered machine_limit activation_rate user_required user_limit"
        }
        "/verify" => {
            "license_not_found license_replaced license_revoked license_expired wrong_product update_not_covered"
        }
        "/consume" => "meter_limit meter_not_found request_id_reused",
        "/validate" => "update_not_covered",
        "/issueLicenseFile" => "license_files_not_offered",
        _ => "",
    };
    let is_of_session = !matches!(endpoint, "/activate" | "/startTrial" | "/verify") && OF_SESSIONS.contains(&code);
    code == "missing_fields" || is_of_session || own.split_whitespace().any(|each| each == code)
}

/// The field by which an endpoint reports success.
pub(crate) fn flag_of(endpoint: &str) -> &'static str {
    if matches!(endpoint, "/validate" | "/verify") {
        "valid"
    } else {
        "success"
    }
}

/// The refusal in an answer; none if it is not one that this client knows. The header Latchkey-Code names a refusal, and
/// then its text may be any. Without the header, as from another server with the same protocol, the status and the text
/// must be those of a refusal that the service gives at this endpoint. Any other answer counts as an outage, and an outage
/// stops nobody.
pub(crate) fn refusal_in(endpoint: &str, answer: &Answer, body: Object) -> Option<Refusal> {
    if body.get(flag_of(endpoint)) != Some(&Value::Bool(false)) || !(400..500).contains(&answer.status) {
        return None;
    }
    let text = text_in(body.get("error")).unwrap_or_default();
    let (code, _, form) = FORMS.iter().find(|(code, statuses, form)| match answer.header("Latchkey-Code") {
        Some(named) => named == *code,
        None => is_given_at(endpoint, code) && statuses.contains(&answer.status) && is_text_of(form, &text),
    })?;
    let ends_by_waiting = matches!(*code, "activation_rate" | "trial_rate");
    let retry_after = ends_by_waiting.then(|| retry_after_of(answer).unwrap_or(MINUTE));
    Some(Refusal { code, limit: number_in(form, &text), retry_after, text, fields: body })
}

fn is_text_of(form: &str, text: &str) -> bool {
    if form.contains('#') {
        return number_in(form, text).is_some();
    }
    let Some(begin) = form.strip_suffix('*') else { return form.split('|').any(|form| form == text) };
    let is_allowed = |letter: char| letter.is_ascii_alphanumeric() || "_ ,()".contains(letter);
    text.strip_prefix(begin).is_some_and(|rest| !rest.is_empty() && rest.chars().all(is_allowed))
}

/// The number of at most nine digits in the place of `#`.
fn number_in(form: &str, text: &str) -> Option<u64> {
    let (begin, end) = form.split_once('#')?;
    let digits = text.strip_prefix(begin)?.strip_suffix(end)?;
    let is_number = (1..=9).contains(&digits.len()) && digits.bytes().all(|letter| letter.is_ascii_digit());
    is_number.then(|| digits.parse().ok())?
}

/// The header Retry-After in milliseconds, at most an hour, so that a broken answer cannot silence an app for good.
pub(crate) fn retry_after_of(answer: &Answer) -> Option<i64> {
    let text = answer.header("Retry-After")?.trim();
    if text.is_empty() || !text.bytes().all(|letter| letter.is_ascii_digit()) {
        return None;
    }
    Some((text.parse::<f64>().ok()? * 1000.0).min(HOUR as f64) as i64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn code_of(endpoint: &str, status: u16, text: &str) -> Option<&'static str> {
        let body = json!({ flag_of(endpoint): false, "error": text }).as_object().cloned().unwrap();
        refusal_in(endpoint, &Answer { status, ..Answer::default() }, body).map(|refusal| refusal.code)
    }

    #[test]
    fn status_and_text_name_a_refusal_at_its_endpoint() {
        for (endpoint, status, text, code) in [
            ("/activate", 403, "Machine limit reached (3). Deactivate another machine first.", Some("machine_limit")),
            ("/activate", 403, "Machine limit reached (). Deactivate another machine first.", None),
            ("/activate", 403, "User limit reached (12)", Some("user_limit")),
            ("/validate", 403, "User limit reached (12)", None),
            ("/validate", 401, "Invalid or expired token", Some("invalid_token")),
            ("/activate", 401, "Invalid token", None),
            ("/verify", 400, "Missing licenseKey, productId", Some("missing_fields")),
            ("/verify", 400, "Missing <html>", None),
            ("/validate", 404, "License has been revoked", None),
            ("/verify", 400, "Missing ", None),
            ("/validate", 400, "", None),
        ] {
            assert_eq!(code_of(endpoint, status, text), code, "{endpoint} {status} {text}");
        }
    }

    #[test]
    fn a_pause_is_at_most_an_hour() {
        for (text, pause) in [("2", Some(2000)), (" 7 ", Some(7000)), ("9999999", Some(HOUR)), ("-1", None), ("", None)]
        {
            let headers = vec![("retry-after".to_owned(), text.to_owned())];
            assert_eq!(retry_after_of(&Answer { headers, ..Answer::default() }), pause, "{text}");
        }
    }
}
