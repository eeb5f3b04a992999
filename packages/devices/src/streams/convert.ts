import type { Encoding } from "./ffmpeg.ts";
import { type Picture, START_CODE } from "./picture.ts";
import { openRtsp, type RtspPlace } from "./rtsp/client.ts";
import type { StreamEvents, StreamTools } from "./source.ts";

const FORMATS: Readonly<Record<string, string>> = { "H.264": "h264", "H.265": "hevc" };

/** A camera whose pictures ffmpeg makes anew. It gets only the pictures: address and password stay in this process. */
export function openConverter(
  tools: Pick<StreamTools, "network" | "ffmpeg">,
  place: RtspPlace,
  events: StreamEvents,
): { close(): void } {
  let encoding: Encoding | undefined;
  let isOver = false;
  let waitsForKey = true;

  function end(reason: string): void {
    if (isOver) return;
    close();
    events.ended(reason);
  }
  function close(): void {
    isOver = true;
    encoding?.close();
    camera.close();
  }
  function feed({ isKey, units }: Picture): void {
    if (isOver || !encoding || (waitsForKey && !isKey)) return;
    // What is left out breaks everything up to the next key picture.
    waitsForKey = !encoding.write(Buffer.concat(units.flatMap((unit) => [START_CODE, unit])));
  }

  const camera = openRtsp(tools.network, place, {
    codec({ name }) {
      encoding = tools.ffmpeg.encode(inputOf(name), {
        picture: (picture) => !isOver && events.picture(picture),
        ended: end,
      });
      events.codec({ name: "H.264", profile: `baseline, converted from ${name}` });
    },
    picture: feed,
    ended: end,
    refused(codec) {
      isOver = true;
      events.refused(codec);
    },
  });
  return { close };
}

/** 8K. A picture of the largest size that codecs know would take gigabytes. */
const MAX_PIXELS = 35_651_584;

const inputOf = (codec: string): string[] => [
  ...["-max_pixels", String(MAX_PIXELS)],
  ...["-fflags", "nobuffer", "-flags", "low_delay", "-use_wallclock_as_timestamps", "1"],
  ...["-probesize", "65536", "-analyzeduration", "0", "-f", FORMATS[codec] ?? "h264", "-i", "pipe:0"],
];
