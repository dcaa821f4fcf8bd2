//! What the keywords of a Schema Object mean: what an editor shows for each.

/// What `optional` means, which sugar alone has.
pub(crate) const OPTIONAL: &str = "true: a call may leave the parameter out. It is then absent, not null. A default has the same effect.";
/// What a keyword that begins with `x-` means.
pub(crate) const EXTENSION: &str =
    "An extension of OpenAPI: kept as it stands, and not told to hosts that refuse it.";

/// The meaning of `keyword`; a test asks for all that the parser knows.
pub(crate) fn meaning(keyword: &str) -> Option<&'static str> {
    Some(match keyword {
        "type" => {
            "The type of the value: string, integer, number, boolean, array or object. Under parameters, string[] is an array of strings."
        }
        "description" => "What the model is told about the value. Say what to put there.",
        "title" => "A title for people.",
        "format" => "What kind of text or number it is, such as date-time. Not all hosts take it.",
        "enum" => {
            "The values there are. Under parameters, a list of strings needs no type; some hosts take strings only."
        }
        "default" => {
            "The value that is filled in when a call leaves it out. It must be valid itself, and makes a parameter optional."
        }
        "example" => "A value as it may look. Whole calls belong into the tool's examples.",
        "nullable" => "true: the value may also be null. Needs a type beside it.",
        "deprecated" => "true: new calls should not use it.",
        "readOnly" => "true: the value appears in answers only.",
        "writeOnly" => "true: the value appears in calls only.",
        _ => return bound(keyword).or_else(|| structure(keyword)),
    })
}

/// The keywords that bound a value.
fn bound(keyword: &str) -> Option<&'static str> {
    Some(match keyword {
        "pattern" => {
            "A regular expression that the text must match somewhere; ^ and $ make it match as a whole."
        }
        "minLength" => "The least number of characters.",
        "maxLength" => "The greatest number of characters.",
        "minimum" => "The least number.",
        "maximum" => "The greatest number.",
        "exclusiveMinimum" => "true: the number must be greater than minimum, not equal to it.",
        "exclusiveMaximum" => "true: the number must be less than maximum, not equal to it.",
        "multipleOf" => "The number must be a multiple of this one.",
        "minItems" => "The least number of items.",
        "maxItems" => "The greatest number of items.",
        "uniqueItems" => "true: no two items are the same.",
        "minProperties" => "The least number of properties.",
        "maxProperties" => "The greatest number of properties.",
        _ => return None,
    })
}

/// The keywords that build a schema from others.
fn structure(keyword: &str) -> Option<&'static str> {
    Some(match keyword {
        "properties" => "The properties of an object: a map from names to schemas.",
        "required" => "The names of the properties that every object must have.",
        "items" => "The schema of every item. An array needs it.",
        "additionalProperties" => {
            "Whether properties that are not listed are allowed, or the schema that they must fit."
        }
        "allOf" => "A list of schemas that the value must fit, each of them.",
        "anyOf" => "A list of schemas, at least one of which the value must fit.",
        "oneOf" => "A list of schemas, exactly one of which the value must fit.",
        "not" => "A schema that the value must not fit. Some hosts do not take it.",
        "discriminator" => "Which property tells the schemas under oneOf apart.",
        "externalDocs" => "Where there is more to read.",
        "xml" => "How the value looks as XML.",
        "$ref" => "A JSON pointer to another part of these parameters, such as #/properties/node.",
        _ => return None,
    })
}
