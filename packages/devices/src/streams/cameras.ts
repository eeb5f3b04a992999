// What a simulated camera needs, too.
export { createFfmpeg } from "./ffmpeg.ts";
export type { Picture } from "./picture.ts";
export { payloadsOf, ticksOf } from "./rtp.ts";
export { testPicture } from "./test-picture.ts";
