// What a simulated camera needs, too.
export type { Picture } from "./picture.ts";
export { payloadsOf, ticksOf } from "./rtp.ts";
