//! Any text: it is an id exactly if it is how some number below 2^63 is printed.
#![no_main]

use libfuzzer_sys::fuzz_target;
use monoflake_core::{Id, IdError};

fuzz_target!(|text: &str| {
    let canonical = text.parse::<u128>().ok().filter(|number| number.to_string() == text);
    let said = text.parse::<Id>();
    match canonical {
        Some(number) if number < 1 << 63 => {
            let id = said.expect("it is the text of an id");
            assert_eq!(u128::from(id.as_u64()), number);
            assert_eq!(id.to_string(), text);
        }
        Some(_) => assert_eq!(said, Err(IdError::OutOfRange)),
        // Canonical, but beyond even 128 bits.
        None if text.len() > 38 && text.bytes().all(|byte| byte.is_ascii_digit()) && !text.starts_with('0') => {
            assert_eq!(said, Err(IdError::OutOfRange));
        }
        None => assert_eq!(said, Err(IdError::NotCanonical)),
    }
});
