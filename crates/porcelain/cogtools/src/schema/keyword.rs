//! The descriptions of the keywords of a Schema Object, as editors show them.

/// The description of `optional`, which exists only in the short form.
pub(crate) const OPTIONAL: &str = "true: a call may omit the parameter. It is then absent, not null. A default has the same effect.";
/// The description of keywords that begin with `x-`.
pub(crate) const EXTENSION: &str =
    "An OpenAPI extension: preserved, but not sent to hosts that refuse it.";

/// The description of `keyword`; a test covers all keywords of the parser.
pub(crate) fn description(keyword: &str) -> Option<&'static str> {
    Some(match keyword {
        "type" => {
            "The type of the value: string, integer, number, boolean, array or object. Under parameters, string[] is an array of strings."
        }
        "description" => "A description of the value for the model. Say what to send.",
        "title" => "A title for users.",
        "format" => "The format of the text or number, such as date-time. Not all hosts accept it.",
        "enum" => {
            "The permitted values. Under parameters, a list of strings needs no type; some hosts accept only strings."
        }
        "default" => {
            "The value that is used if a call omits it. It must be valid, and makes the parameter optional."
        }
        "example" => "An example value. Whole calls belong in the tool's examples.",
        "nullable" => "true: the value may also be null. Requires type.",
        "deprecated" => {
            "true: new calls should not use it. In the short form also text, such as: use city."
        }
        "readOnly" => "true: the value appears only in results.",
        "writeOnly" => "true: the value appears only in calls.",
        _ => return bound(keyword).or_else(|| structure(keyword)),
    })
}

/// The keywords that limit a value.
fn bound(keyword: &str) -> Option<&'static str> {
    Some(match keyword {
        "pattern" => {
            "A regular expression that a part of the text must match; use ^ and $ to match the whole text."
        }
        "minLength" => "The minimum number of characters.",
        "maxLength" => "The maximum number of characters.",
        "minimum" => "The minimum.",
        "maximum" => "The maximum.",
        "exclusiveMinimum" => "true: the number must be greater than minimum, not equal to it.",
        "exclusiveMaximum" => "true: the number must be less than maximum, not equal to it.",
        "multipleOf" => "The number must be a multiple of this one.",
        "minItems" => "The minimum number of items.",
        "maxItems" => "The maximum number of items.",
        "uniqueItems" => "true: all items must be different.",
        "minProperties" => "The minimum number of properties.",
        "maxProperties" => "The maximum number of properties.",
        _ => return None,
    })
}

/// The keywords that build a schema from others.
fn structure(keyword: &str) -> Option<&'static str> {
    Some(match keyword {
        "properties" => "The properties of an object: a map from names to schemas.",
        "required" => "The names of the required properties.",
        "items" => "The schema of the items. Required for an array.",
        "additionalProperties" => {
            "Whether other properties are allowed, or the schema for their values."
        }
        "allOf" => "A list of schemas, all of which the value must match.",
        "anyOf" => "A list of schemas, at least one of which the value must match.",
        "oneOf" => "A list of schemas, exactly one of which the value must match.",
        "not" => "A schema that the value must not match. Some hosts do not accept it.",
        "discriminator" => "The property that distinguishes the schemas under oneOf.",
        "externalDocs" => "A link to further documentation.",
        "xml" => "The XML representation of the value.",
        "$ref" => "A JSON pointer to another part of these parameters, such as #/properties/node.",
        _ => return None,
    })
}
