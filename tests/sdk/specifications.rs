//! Real specifications: every operation is a declaration that the SDKs accept, or is named with the
//! reason.

use std::collections::BTreeSet;
use std::fs;
use std::process::Command;
use std::time::Duration;

use cogtools_test_support::{Project, Run, gemini_complaints, install};

use super::cache;
use crate::{repository, run};

const PACKAGES: [&str; 5] = [
    "@octokit/openapi@23.0.2",
    "@datafire/slack@5.0.1",
    "@datafire/stripe@4.0.1",
    "@readme/oas-examples@8.2.2",
    "kubernetes-client@9.0.0",
];
const PYTHON: [&str; 5] = [
    "google-genai==3.4.0",
    "openai==3.54.0",
    "anthropic==2.12.0",
    "jsonschema==4.26.0",
    "pydantic==2.14.3",
];
/// The time for a program that reads megabytes, and is not optimised.
pub(super) const LIMIT: Duration = Duration::from_mins(5);

/// A specification, with the number of its operations and of those that cannot be tools.
pub(super) struct Specification {
    pub(super) name: &'static str,
    /// The file in the packages.
    file: &'static str,
    operations: usize,
    /// The name of each operation that is no tool, with the reason.
    left_out: &'static [(&'static str, &'static str)],
}

/// Definitions of schemas in Kubernetes are schemas.
const RECURSIVE: &str = "JSONSchemaProps` contains itself";

pub(super) const SPECIFICATIONS: [Specification; 6] = [
    Specification {
        name: "github",
        file: "@octokit/openapi/generated/api.github.com.json",
        operations: 1223,
        left_out: &[(
            "repos/upload-release-asset",
            "its body has the media type `application/octet-stream`",
        )],
    },
    Specification {
        name: "kubernetes",
        file: "kubernetes-client/lib/specs/swagger-1.13.json.gz",
        operations: 1014,
        left_out: &[
            (
                "createApiextensionsV1beta1CustomResourceDefinition",
                RECURSIVE,
            ),
            (
                "replaceApiextensionsV1beta1CustomResourceDefinition",
                RECURSIVE,
            ),
            (
                "replaceApiextensionsV1beta1CustomResourceDefinitionStatus",
                RECURSIVE,
            ),
        ],
    },
    Specification {
        name: "slack",
        file: "@datafire/slack/openapi.json",
        operations: 138,
        left_out: &[],
    },
    Specification {
        name: "stripe",
        file: "@datafire/stripe/openapi.json",
        operations: 203,
        left_out: &[],
    },
    Specification {
        name: "readme",
        file: "@readme/oas-examples/3.1/json/readme.json",
        operations: 54,
        left_out: &[],
    },
    Specification {
        name: "petstore",
        file: "@readme/oas-examples/3.0/json/petstore.json",
        operations: 20,
        left_out: &[],
    },
];

impl Specification {
    /// Returns its text, in JSON.
    pub(super) fn text(&self) -> String {
        let place = install::npm(&cache(), "specifications-npm-1", &PACKAGES);
        let path = place.join("node_modules").join(self.file);
        if path.extension().is_none_or(|end| end != "gz") {
            return fs::read_to_string(path).expect("a file");
        }
        let unpacked = Command::new("gzip").arg("-dc").arg(path).output();
        String::from_utf8(unpacked.expect("gzip").stdout).expect("text")
    }

    /// Makes a project with it as a source, which has these options.
    fn project(&self, options: &str) -> Project {
        let project = Project::new();
        let name = self.name;
        project.file(format!("{name}.json"), self.text());
        let config = format!("tool_sources: [{{openapi: {{file: {name}.json, {options}}}}}]\n");
        project.file(".cogtoolrc.yaml", config);
        project
    }
}

/// Checks the declarations of all specifications in the format `format`.
fn check(format: &str) {
    let python = install::python(&cache(), "specifications-python-1", &PYTHON);
    for specification in &SPECIFICATIONS {
        let project = specification.project("server: https://api.example.com");
        let discover = run("cogtools-discover", &project).args(["--format", format]);
        let outcome = discover.limit(LIMIT).run();
        let warnings = String::from_utf8_lossy(&outcome.stderr);
        for (operation, reason) in specification.left_out {
            let found = warnings
                .lines()
                .find(|line| line.contains(&format!("`{operation}`")));
            assert!(
                found.is_some_and(|line| line.contains(reason)),
                "{warnings}"
            );
        }
        let count = warnings
            .lines()
            .filter(|line| line.contains("is left out: "))
            .count();
        assert_eq!(count, specification.left_out.len(), "{warnings}");
        if format == "gemini" {
            let declared = serde_json::from_slice(&outcome.stdout).expect("JSON");
            assert_eq!(gemini_complaints(&declared), Vec::<String>::new());
        }
        let checked = Run::new(&python)
            .project(&project)
            .arg(repository().join("tests/sdk/check.py"))
            .arg(format)
            .stdin(outcome.stdout)
            .limit(LIMIT)
            .run()
            .text();
        let names: BTreeSet<&str> = checked.lines().collect();
        let expected = specification.operations - count;
        assert_eq!(names.len(), expected, "{}", specification.name);
    }
}

#[test]
fn gemini_takes_every_operation() {
    check("gemini");
}

#[test]
fn openai_takes_every_operation() {
    check("openai");
}

#[test]
fn openai_takes_every_operation_in_strict_mode() {
    check("openai-strict");
}

#[test]
fn anthropic_takes_every_operation() {
    check("anthropic");
}
