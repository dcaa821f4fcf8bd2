//! Formats that OpenAPI 3.0 or its registry defines and draft 7 of JSON Schema does not.

/// `byte`: base64 with padding, in the alphabet of RFC 4648, section 4.
pub(super) fn is_byte(text: &str) -> bool {
    let digits = text.trim_end_matches('=');
    let padding = text.len() - digits.len();
    let legal = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/');
    text.len().is_multiple_of(4) && padding <= 2 && digits.bytes().all(legal)
}

/// `uuid`: five groups of hexadecimal digits, of any version.
pub(super) fn is_uuid(text: &str) -> bool {
    let groups = text.split('-').map(str::len);
    groups.eq([8, 4, 4, 4, 12])
        && text
            .bytes()
            .all(|byte| byte == b'-' || byte.is_ascii_hexdigit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn byte_is_padded_base64() {
        for text in ["", "QQ==", "QUI=", "QUJD", "+/+/", "QUJDRA=="] {
            assert!(is_byte(text), "{text}");
        }
        for text in [
            "Q", "QQ", "QQ=", "Q===", "====", "QQ==QQ==", "QU_-", "QUJ D", "é===",
        ] {
            assert!(!is_byte(text), "{text}");
        }
    }

    #[test]
    fn uuid_is_five_groups_of_hexadecimal_digits() {
        for text in [
            "2eb8aa08-aa98-11ea-b4aa-73b441d16380",
            "2EB8AA08-AA98-11EA-B4AA-73B441D16380",
            "00000000-0000-0000-0000-000000000000",
        ] {
            assert!(is_uuid(text), "{text}");
        }
        for text in [
            "",
            "2eb8aa08aa9811eab4aa73b441d16380",
            "2eb8aa08-aa98-11ea-b4aa-73b441d1638",
            "2eb8aa08-aa98-11ea-b4aa73b441d16380-",
            "2eb8aa0g-aa98-11ea-b4aa-73b441d16380",
            "{2eb8aa08-aa98-11ea-b4aa-73b441d1638}",
        ] {
            assert!(!is_uuid(text), "{text}");
        }
    }
}
