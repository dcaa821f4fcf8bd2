//! Tools in JavaScript: `implementation: {js: |…}`.
