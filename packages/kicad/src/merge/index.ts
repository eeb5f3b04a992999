export { spliceBetween } from "./differences.ts";
export { type Comparison, type Conflict, compareTexts, type Side } from "./merge.ts";
