export { mergeTexts } from "./merge.ts";
