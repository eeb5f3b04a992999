export { serveMessages } from "./http.ts";
export { inputReader, listed, type Refusal, refusalAnswer } from "./tools.ts";
