use crate::file::LicenseFile;
use crate::json::{text_in, whole_in, Object};
use crate::time::SECOND;
use serde_json::Value;
use std::collections::HashMap;

/// The build of the app, as far as the app names it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Build {
    pub date: Option<i64>,
    pub version: Option<String>,
}

/// The terms of a license as an answer, a license file or the stored facts state them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Terms {
    pub features: Option<Object>,
    /// In seconds since 1970.
    pub feature_ends: HashMap<String, i64>,
    /// In milliseconds since 1970.
    pub updates_until: Option<i64>,
    pub max_version: Option<String>,
}

impl Terms {
    /// The terms in a genuine file. Those of another type count as absent, because a later service may have made the
    /// file.
    pub fn of_file(file: &LicenseFile) -> Self {
        let ends = file.claims.get("featureEnds").and_then(Value::as_object).into_iter().flatten();
        Terms {
            features: features_in(file.claims.get("features")),
            feature_ends: ends.filter_map(|(name, end)| Some((name.clone(), whole_in(Some(end))?))).collect(),
            updates_until: whole_in(file.claims.get("updatesUntil")).map(|seconds| seconds * SECOND),
            max_version: text_in(file.claims.get("maxVersion")),
        }
    }

    /// The value of a feature at a time; none if the license does not have it.
    pub fn feature(&self, name: &str, now: i64) -> Option<Value> {
        if self.feature_ends.get(name).is_some_and(|end| end * SECOND <= now) {
            return None;
        }
        self.features.as_ref()?.get(name).cloned()
    }

    /// Whether the terms cover a build. A build of the very moment is covered.
    pub fn covers(&self, build: &Build) -> bool {
        if self.updates_until.zip(build.date).is_some_and(|(until, date)| date > until) {
            return false;
        }
        match (&self.max_version, &build.version) {
            (Some(bound), Some(version)) => !is_above(version, bound),
            _ => true,
        }
    }
}

/// The features in an answer or a file, without those of another type; none without any object.
pub(crate) fn features_in(value: Option<&Value>) -> Option<Object> {
    let given = value?.as_object()?.iter();
    let known = given.filter(|(_, each)| each.is_boolean() || each.is_string() || each.is_number());
    Some(known.map(|(name, each)| (name.clone(), each.clone())).collect())
}

/// Whether a version has the form of dotted numbers, with any text after `-` or `+`.
pub(crate) fn is_version(text: &str) -> bool {
    let is_number = |part: &str| (1..=15).contains(&part.len()) && part.bytes().all(|letter| letter.is_ascii_digit());
    !text.contains('\n') && numbered_part(text).split('.').all(is_number)
}

fn numbered_part(version: &str) -> &str {
    version.split(['-', '+']).next().unwrap_or_default()
}

/// Whether a version is above a bound, of which only the given numbers count: 2.3.7 is not above 2.3.
fn is_above(version: &str, bound: &str) -> bool {
    // A bound that is no number covers everything.
    let numbers = |text: &str| -> Vec<Option<u64>> {
        let number = |part: &str| part.parse().ok().filter(|number| *number < 1 << 50);
        numbered_part(text).split('.').map(number).collect()
    };
    let given = numbers(version);
    for (index, most) in numbers(bound).into_iter().enumerate() {
        let (Some(given), Some(most)) = (given.get(index).copied().unwrap_or(Some(0)), most) else { return false };
        if given != most {
            return given > most;
        }
    }
    false
}
