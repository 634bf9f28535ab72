//! Readers of stored fields that are stricter than those of serde.

use crate::time::read_iso;
use serde::de::{DeserializeOwned, Error};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;

/// The last moment of a date in the languages that share the state.
const LAST_DATE: f64 = 8.64e15;

// A structure read by serde alone may also be a list, and an absent field counts as null.

pub(crate) fn object<'de, D: Deserializer<'de>, T: DeserializeOwned>(reader: D) -> Result<T, D::Error> {
    nullable(reader)?.ok_or_else(|| D::Error::custom("null"))
}

pub(crate) fn nullable<'de, D: Deserializer<'de>, T: DeserializeOwned>(reader: D) -> Result<Option<T>, D::Error> {
    match Value::deserialize(reader)? {
        Value::Null => Ok(None),
        value @ Value::Object(_) => serde_json::from_value(value).map(Some).map_err(D::Error::custom),
        _ => Err(D::Error::custom("no object")),
    }
}

pub(crate) fn text<'de, D: Deserializer<'de>>(reader: D) -> Result<Option<String>, D::Error> {
    Option::deserialize(reader)
}

pub(crate) fn iso_text<'de, D: Deserializer<'de>>(reader: D) -> Result<Option<String>, D::Error> {
    let found = text(reader)?;
    if found.as_deref().is_some_and(|found| read_iso(found).is_none()) {
        return Err(D::Error::custom("no time"));
    }
    Ok(found)
}

pub(crate) fn number<'de, D: Deserializer<'de>>(reader: D) -> Result<Option<f64>, D::Error> {
    Option::deserialize(reader)
}

pub(crate) fn write_number<S: Serializer>(number: &Option<f64>, writer: S) -> Result<S::Ok, S::Error> {
    number.map(crate::json::number_of).serialize(writer)
}

pub(crate) fn nullable_time<'de, D: Deserializer<'de>>(reader: D) -> Result<Option<i64>, D::Error> {
    match number(reader)? {
        Some(at) if at.abs() > LAST_DATE => Err(D::Error::custom("no time")),
        at => Ok(at.map(|at| at as i64)),
    }
}

pub(crate) fn time<'de, D: Deserializer<'de>>(reader: D) -> Result<i64, D::Error> {
    nullable_time(reader)?.ok_or_else(|| D::Error::custom("null"))
}
