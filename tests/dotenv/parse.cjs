// Parses texts with dotenv: an array of texts on standard input, the variables of each on
// standard output, as pairs.
"use strict";

const dotenv = require("dotenv");

const files = JSON.parse(require("node:fs").readFileSync(0, "utf8"));
const parsed = files.map((file) => Object.entries(dotenv.parse(file)));
console.log(JSON.stringify(parsed));
