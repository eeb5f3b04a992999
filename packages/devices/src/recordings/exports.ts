import { DEVICES_LIMITS, type Sample } from "@backplane/contract/devices";
import type { JsonData } from "@backplane/contract/panels";
import { Problem } from "@backplane/kit/problems";
import type { ChannelName, FileSource, RecordedChannelFields } from "./source.ts";

/** What an export has: all of a recording, or one channel of it, for as long as was asked. */
export type Export = {
  source: FileSource;
  channels: RecordedChannelFields[];
  /** One channel, with a column per field; otherwise a row per value. */
  isWide: boolean;
  fromMs: number;
  toMs: number;
};

export function chooseExport(
  source: FileSource,
  { device, capability }: Partial<ChannelName>,
  { fromMs = source.startMs, toMs = source.endMs }: { fromMs: number | undefined; toMs: number | undefined },
): Export {
  const fits = (wanted: string | undefined, id: string) => wanted === undefined || wanted === id;
  const channels = source.channels().filter((one) => fits(device, one.device) && fits(capability, one.capability));
  if (channels.length === 0 && (device !== undefined || capability !== undefined)) {
    const name = [device, capability].filter((part) => part !== undefined).join("/");
    throw new Problem("device-unknown", { detail: `Nothing of ${name} is in this recording.` });
  }
  const isWide = device !== undefined && capability !== undefined;
  // Both ends are in it.
  return { source, channels, isWide, fromMs: fromMs - MOMENT_MS, toMs };
}

const MOMENT_MS = 0.0005;

/** The samples of an export, one after the other. */
export async function* samplesOf({ source, channels, fromMs, toMs }: Export): AsyncGenerator<Sample> {
  for await (const event of source.read({ channels, lines: false }, fromMs, toMs)) {
    if ("sample" in event) yield event.sample;
  }
}

export const columnsOf = ({ channels }: Export): string[] =>
  [...new Set(channels.flatMap(({ fields }) => Object.keys(fields)))].slice(0, 4 * DEVICES_LIMITS.maxFields);

/** A value as text; undefined: a number, or nothing. */
export const textOf = (value: JsonData | undefined): string | undefined => {
  if (value === undefined || value === null || typeof value === "number") return undefined;
  return typeof value === "string" ? value : JSON.stringify(value);
};
