export { type NameOptions, suggestNames } from "./names.ts";
export type { Line, RecognisedText } from "./recognised.ts";
export { openRecogniser, type Recogniser, type RecogniserOptions } from "./recogniser.ts";
