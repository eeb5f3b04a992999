export type { Line, RecognisedText } from "../recognition/recognised.ts";
export { openRecogniser, type Recogniser, type RecogniserOptions } from "../recognition/recogniser.ts";
export { type NameOptions, suggestNames } from "./names.ts";
