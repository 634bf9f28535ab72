//! JSON whose numbers may be any.

use serde::Serialize;
use serde_json::value::RawValue;
use serde_json::{Map, Number, Value};
use std::collections::BTreeMap;

pub(crate) type Object = Map<String, Value>;

/// The last whole number that every language which shares the stored state has.
const LARGEST_WHOLE: f64 = 9_007_199_254_740_991.0;

/// The depth of the texts that are read. Those of the service have a depth of three.
const MOST_DEPTH: usize = 100;

/// The object of a JSON text; none for any other text.
pub(crate) fn parse_object(text: &str) -> Option<Object> {
    match parse(serde_json::from_str(text).ok()?, 0)? {
        Value::Object(object) => Some(object),
        _ => None,
    }
}

/// `serde_json` alone rejects a whole text for the sake of a number that no f64 holds.
fn parse(raw: &RawValue, depth: usize) -> Option<Value> {
    let text = raw.get();
    if depth > MOST_DEPTH {
        return None;
    }
    Some(match text.as_bytes().first()? {
        b'{' => {
            let fields: BTreeMap<String, &RawValue> = serde_json::from_str(text).ok()?;
            let read = fields.into_iter().map(|(name, each)| Some((name, parse(each, depth + 1)?)));
            Value::Object(read.collect::<Option<_>>()?)
        }
        b'[' => {
            let parts: Vec<&RawValue> = serde_json::from_str(text).ok()?;
            Value::Array(parts.into_iter().map(|each| parse(each, depth + 1)).collect::<Option<_>>()?)
        }
        b'-' | b'0'..=b'9' => number_of(text.parse().ok()?),
        _ => serde_json::from_str(text).ok()?,
    })
}

/// A whole number without a fraction, as other languages write it. Infinity becomes `[null]`, which no field may be.
pub(crate) fn number_of(number: f64) -> Value {
    if number.fract() == 0.0 && number.abs() <= LARGEST_WHOLE {
        return Value::from(number as i64);
    }
    Number::from_f64(number).map_or_else(|| Value::Array(vec![Value::Null]), Value::Number)
}

/// A whole number that every language has.
pub(crate) fn whole_in(value: Option<&Value>) -> Option<i64> {
    let number = value?.as_f64()?;
    (number.fract() == 0.0 && number.abs() <= LARGEST_WHOLE).then_some(number as i64)
}

/// A text that may be absent.
pub(crate) fn text_in(value: Option<&Value>) -> Option<String> {
    value?.as_str().map(str::to_owned)
}

/// A text in ISO 8601 that may be absent.
pub(crate) fn iso_text_in(value: Option<&Value>) -> Option<String> {
    text_in(value).filter(|text| crate::time::read_iso(text).is_some())
}

/// Writes a value that JSON can hold.
pub(crate) fn json_of(value: &impl Serialize) -> String {
    serde_json::to_string(value).expect("its maps have names of text")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_number_is_read() {
        let read = parse_object(r#"{"a": 1e400, "b": [1.50, -0, 9007199254740993], "c": null}"#).unwrap();
        assert_eq!(whole_in(read.get("a")), None);
        assert_eq!(json_of(&read["b"]), "[1.5,0,9007199254740992.0]");
        assert!(read["c"].is_null());
    }

    #[test]
    fn other_texts_are_no_objects() {
        for text in ["", "[]", "{", "{}x", "null", "{\"a\":01}", &"[".repeat(100_000), &"{\"a\":".repeat(1000)] {
            assert!(parse_object(text).is_none(), "{text:.20}");
        }
    }
}
