/// Random bytes of the system. They never fail on the supported systems.
pub(crate) fn random_bytes<const N: usize>() -> [u8; N] {
    let mut bytes = [0; N];
    getrandom::fill(&mut bytes).expect("the system has random bytes");
    bytes
}

pub(crate) fn random_name() -> String {
    format!("{:032x}", u128::from_ne_bytes(random_bytes()))
}

/// A number from 0 up to 1.
pub(crate) fn random_number() -> f64 {
    (u64::from_ne_bytes(random_bytes()) >> 11) as f64 / (1u64 << 53) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn random_numbers_are_below_1() {
        assert!((0.0..1.0).contains(&random_number()));
    }
}
