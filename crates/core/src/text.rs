//! Ids as JSON text: `#[serde(with = "monoflake_core::text")]`.
//!
//! A JSON number above 2^53 is not exact in JavaScript; a string is. Deserializing accepts canonical decimal
//! text only.
//!
//! ```
//! use monoflake_core::Id;
//!
//! #[derive(serde::Serialize, serde::Deserialize, PartialEq, Debug)]
//! struct Order {
//!     #[serde(with = "monoflake_core::text")]
//!     id: Id,
//! }
//!
//! let json = r#"{"id":"175928847299117063"}"#;
//! let order: Order = serde_json::from_str(json)?;
//! assert_eq!(serde_json::to_string(&order)?, json);
//! assert!(serde_json::from_str::<Order>(r#"{"id":"+1"}"#).is_err());
//! # Ok::<(), serde_json::Error>(())
//! ```

use core::fmt;

use serde::{
    Deserializer, Serializer,
    de::{Error, Visitor},
};

use crate::Id;

/// Writes the id as canonical decimal text.
///
/// # Errors
///
/// What the serializer says.
pub fn serialize<S: Serializer>(id: &Id, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(id)
}

/// Reads an id from canonical decimal text.
///
/// # Errors
///
/// If it is no string, or not the text of an id.
pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Id, D::Error> {
    struct Text;

    impl Visitor<'_> for Text {
        type Value = Id;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("an id as decimal text")
        }

        fn visit_str<E: Error>(self, text: &str) -> Result<Id, E> {
            text.parse().map_err(E::custom)
        }
    }

    deserializer.deserialize_str(Text)
}
