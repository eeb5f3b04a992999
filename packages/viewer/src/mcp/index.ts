export { serveMcp } from "./http.ts";
export { answerQuickly } from "./quick-messages.ts";
export { serveMcpOverStdio } from "./stdio.ts";
