//! The purpose of a request, by its method and path.

/// The operations of the API.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Operation {
    /// Content of a model, at once or as a stream.
    Generate { model: String, is_stream: bool },
    /// The number of tokens of a prompt for a model.
    Count { model: String },
    /// All models.
    Models,
    /// One model.
    Model { model: String },
    /// A new cache.
    CreateCache,
    /// All caches.
    ListCaches,
    /// One cache, by its name.
    GetCache(String),
    /// A cache's new time to live.
    UpdateCache(String),
    /// A cache's end.
    DeleteCache(String),
}

/// A request's address: whose API, and the operation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Route {
    /// The version in the path, such as `v1beta`.
    pub(super) version: String,
    /// `projects/P/locations/L` of Vertex AI.
    pub(super) project: Option<String>,
    pub(super) operation: Operation,
}

/// The versions of the Gemini API and of Vertex AI.
const VERSIONS: [&str; 4] = ["v1", "v1beta", "v1alpha", "v1beta1"];

impl Route {
    /// Reads a path without its query.
    pub(super) fn read(method: &str, path: &str) -> Option<Self> {
        let mut names: Vec<&str> = path.strip_prefix('/')?.split('/').collect();
        let version = VERSIONS.iter().find(|version| **version == names[0])?;
        names.remove(0);
        let mut project = None;
        if let ["projects", _, "locations", _, ..] = names.as_slice() {
            let rest = names.split_off(4);
            project = Some(names.join("/"));
            names = rest;
            if let ["publishers", "google", ..] = names.as_slice() {
                names.drain(..2);
            }
        }
        Some(Self {
            version: (*version).to_owned(),
            operation: operation(method, &names, project.as_deref())?,
            project,
        })
    }
}

fn operation(method: &str, names: &[&str], project: Option<&str>) -> Option<Operation> {
    let cache = |id: &str| {
        let prefix = project.map_or_else(String::new, |project| format!("{project}/"));
        format!("{prefix}cachedContents/{id}")
    };
    match (method, names) {
        ("GET", ["models"]) => Some(Operation::Models),
        ("GET", ["models", model]) => Some(Operation::Model {
            model: (*model).to_owned(),
        }),
        ("POST", ["models", model]) => {
            let (model, verb) = model.split_once(':')?;
            let model = model.to_owned();
            match verb {
                "generateContent" | "streamGenerateContent" => Some(Operation::Generate {
                    model,
                    is_stream: verb == "streamGenerateContent",
                }),
                "countTokens" => Some(Operation::Count { model }),
                _ => None,
            }
        }
        ("POST", ["cachedContents"]) => Some(Operation::CreateCache),
        ("GET", ["cachedContents"]) => Some(Operation::ListCaches),
        ("GET", ["cachedContents", id]) => Some(Operation::GetCache(cache(id))),
        ("PATCH", ["cachedContents", id]) => Some(Operation::UpdateCache(cache(id))),
        ("DELETE", ["cachedContents", id]) => Some(Operation::DeleteCache(cache(id))),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::{Operation, Route};

    const VERTEX: &str = "projects/p/locations/l";

    /// The project and the operation of a path.
    fn check(method: &str, path: &str, expected: Option<(Option<&str>, Operation)>) {
        let found = Route::read(method, path).map(|route| (route.project, route.operation));
        let expected = expected.map(|(project, operation)| (project.map(str::to_owned), operation));
        assert_eq!(found, expected, "{method} {path}");
    }

    #[test]
    fn path_names_a_model() {
        let model = || "m".to_owned();
        let generate = |is_stream| Operation::Generate {
            model: model(),
            is_stream,
        };
        let count = Operation::Count { model: model() };
        let one = Operation::Model { model: model() };
        let at = |path: &str| format!("/v1/{VERTEX}/publishers/google/models/{path}");
        check(
            "POST",
            "/v1beta/models/m:streamGenerateContent",
            Some((None, generate(true))),
        );
        check(
            "POST",
            &at("m:generateContent"),
            Some((Some(VERTEX), generate(false))),
        );
        check("POST", "/v1/models/m:countTokens", Some((None, count)));
        check("GET", "/v1/models", Some((None, Operation::Models)));
        check("GET", "/v1/models/m", Some((None, one)));
        check("GET", "/v2/models", None);
        check("POST", "/v1/models/m:embedContent", None);
        check("POST", "/v1/models", None);
    }

    #[test]
    fn path_names_a_cache() {
        let name = "cachedContents/c";
        let vertex = format!("{VERTEX}/{name}");
        let caches = "/v1beta/cachedContents";
        check("POST", caches, Some((None, Operation::CreateCache)));
        check("GET", caches, Some((None, Operation::ListCaches)));
        let update = Operation::UpdateCache(name.to_owned());
        check("PATCH", "/v1/cachedContents/c", Some((None, update)));
        let delete = Operation::DeleteCache(vertex.clone());
        check(
            "DELETE",
            &format!("/v1/{vertex}"),
            Some((Some(VERTEX), delete)),
        );
    }
}
