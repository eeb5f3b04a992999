import type { Codec } from "../picture.ts";

const MAX_LINES = 512;
const MAX_PARAMETERS = 8;
const CODECS: Readonly<Record<string, Codec>> = { H264: "H.264", H265: "H.265", HEVC: "H.265" };
const ENCODING = /^[A-Za-z0-9_.+-]{1,32}$/;
const USUAL_CLOCK = 90_000;
const MAX_CLOCK = 1_000_000;

/** The video of a description (RFC 8866). `codec` undefined: one that is not read here, and `encoding` names it. */
export type SdpVideo = {
  codec: Codec | undefined;
  encoding: string;
  payloadType: number;
  clockRate: number;
  /** As it is written: an address, or its end. */
  control: string | undefined;
  parameters: Buffer[];
};

/** The first video; undefined: there is none. `base`: the address of the whole, if it is named. */
export function readSdp(text: string): { control: string | undefined; video: SdpVideo | undefined } {
  const lines = text.split(/\r?\n/, MAX_LINES);
  const starts = lines.flatMap((line, i) => (line.startsWith("m=") ? [i] : []));
  const first = starts.find((i) => lines[i]?.startsWith("m=video "));
  const control = attribute(lines.slice(0, starts[0] ?? lines.length), "control");
  if (first === undefined) return { control, video: undefined };
  const end = starts.find((i) => i > first) ?? lines.length;
  return { control, video: videoOf(lines.slice(first, end)) };
}

function videoOf(lines: readonly string[]): SdpVideo | undefined {
  const payloadType = Number(lines[0]?.split(" ")[3]);
  if (!Number.isInteger(payloadType)) return undefined;
  const map = attribute(lines, "rtpmap", payloadType) ?? "";
  const [encoding = "", clock = ""] = map.split("/");
  const format = attribute(lines, "fmtp", payloadType) ?? "";
  return {
    codec: CODECS[encoding.toUpperCase()],
    // People read it, and terminals print it.
    encoding: ENCODING.test(encoding) ? encoding : `payload type ${payloadType}`,
    payloadType,
    clockRate: Number(clock) >= 1 && Number(clock) <= MAX_CLOCK ? Number(clock) : USUAL_CLOCK,
    control: attribute(lines, "control"),
    parameters: parametersOf(format),
  };
}

function attribute(lines: readonly string[], name: string, payloadType?: number): string | undefined {
  const start = payloadType === undefined ? `a=${name}:` : `a=${name}:${payloadType} `;
  return lines
    .find((line) => line.startsWith(start))
    ?.slice(start.length)
    .trim();
}

/** `sprop-parameter-sets` of H.264; `sprop-vps`, `-sps`, `-pps` of H.265: base64, separated by commas. */
function parametersOf(format: string): Buffer[] {
  const sets: Buffer[] = [];
  for (const part of format.split(";")) {
    const equals = part.indexOf("=");
    if (!/^sprop-(parameter-sets|vps|sps|pps)$/.test(part.slice(0, equals).trim())) continue;
    for (const text of part.slice(equals + 1).split(",")) {
      const set = Buffer.from(text.trim(), "base64");
      if (set.length > 0 && sets.length < MAX_PARAMETERS) sets.push(set);
    }
  }
  return sets;
}
