//! The id: a number in `0..2^63` (I5), the same order as number, as `i64` and as zero-padded text.

use core::{fmt, str::FromStr};

/// A unique id.
///
/// Below 2^63, so it is positive in every signed 64-bit column. As text it is canonical decimal: no sign, no
/// leading zero, nothing around it.
///
/// ```
/// use monoflake_core::Id;
///
/// let id = Id::try_from(175_928_847_299_117_063_u64)?;
/// assert_eq!(id.to_string(), "175928847299117063");
/// assert_eq!("175928847299117063".parse(), Ok(id));
/// assert!("0175928847299117063".parse::<Id>().is_err());
/// assert_eq!(i64::from(id), 175_928_847_299_117_063);
/// # Ok::<(), monoflake_core::IdError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(transparent)]
pub struct Id(u64);

impl Id {
    /// The least id, 0. No generator makes it: tick 0 is never used.
    pub const MIN: Self = Self(0);

    /// The greatest id, 2^63 - 1.
    pub const MAX: Self = Self(i64::MAX as u64);

    /// The caller keeps I5.
    #[inline(always)]
    pub(crate) const fn from_bits(bits: u64) -> Self {
        Self(bits)
    }

    /// The id as a number below 2^63.
    ///
    /// ```
    /// assert_eq!(monoflake_core::Id::MAX.as_u64(), (1 << 63) - 1);
    /// ```
    #[inline]
    pub const fn as_u64(self) -> u64 {
        self.0
    }

    /// The id as a number that is never negative, for databases.
    ///
    /// ```
    /// assert_eq!(monoflake_core::Id::MAX.as_i64(), i64::MAX);
    /// ```
    #[inline]
    pub const fn as_i64(self) -> i64 {
        self.0.cast_signed()
    }
}

impl From<Id> for u64 {
    fn from(id: Id) -> Self {
        id.as_u64()
    }
}

impl From<Id> for i64 {
    fn from(id: Id) -> Self {
        id.as_i64()
    }
}

impl TryFrom<u64> for Id {
    type Error = IdError;

    fn try_from(number: u64) -> Result<Self, IdError> {
        if number > Self::MAX.0 { Err(IdError::OutOfRange) } else { Ok(Self(number)) }
    }
}

impl TryFrom<i64> for Id {
    type Error = IdError;

    fn try_from(number: i64) -> Result<Self, IdError> {
        number.try_into().map(Self).map_err(|_| IdError::OutOfRange)
    }
}

impl fmt::Display for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl FromStr for Id {
    type Err = IdError;

    fn from_str(text: &str) -> Result<Self, IdError> {
        let digits = text.as_bytes();
        if digits.is_empty() || !digits.iter().all(u8::is_ascii_digit) || (digits[0] == b'0' && digits.len() > 1) {
            return Err(IdError::NotCanonical);
        }
        // Only digits are left, so all that can be wrong is the size.
        let number: u64 = text.parse().map_err(|_| IdError::OutOfRange)?;
        number.try_into()
    }
}

/// Why a number or a text is not an id.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum IdError {
    /// The number is negative or above 2^63 - 1.
    OutOfRange,
    /// The text is not how the id is written: digits only, and no leading zero.
    NotCanonical,
}

impl fmt::Display for IdError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::OutOfRange => "an id is a number from 0 to 9223372036854775807 (2^63 - 1)",
            Self::NotCanonical => "an id is written in the digits 0 to 9 only, without sign, spaces or leading zeros",
        })
    }
}

impl core::error::Error for IdError {}

#[cfg(feature = "serde")]
mod number {
    use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error};

    use super::Id;

    /// As a number.
    impl Serialize for Id {
        fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            serializer.serialize_u64(self.as_u64())
        }
    }

    /// From a number.
    impl<'de> Deserialize<'de> for Id {
        fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
            u64::deserialize(deserializer)?.try_into().map_err(D::Error::custom)
        }
    }
}
