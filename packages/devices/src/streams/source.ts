import type { Network } from "../sources/link.ts";
import type { Ffmpeg } from "./ffmpeg.ts";
import type { Media } from "./media.ts";
import type { Picture } from "./picture.ts";

/** What a stream can be shown as, in words. */
export type CodecWords = { name: string; profile?: string };

/** What happens in an open stream. Nothing comes after `ended` or `refused`. */
export type StreamEvents = {
  codec(codec: CodecWords): void;
  picture(picture: Picture): void;
  /** It is opened again. */
  ended(reason: string): void;
  /** Its pictures are of a codec that browsers do not play. */
  refused(codec: string): void;
};

export type StreamTools = { network: Network; ffmpeg: Ffmpeg; media: Pick<Media, "receive"> };

/** A way to get pictures. `settings` have been checked; `secrets` never leave the server. */
export type OpenStream = (
  settings: Record<string, unknown>,
  secrets: Readonly<Record<string, string>>,
  tools: StreamTools,
  events: StreamEvents,
) => { close(): void };
