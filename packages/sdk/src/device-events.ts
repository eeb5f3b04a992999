import type { Batch, Device, DeviceLine, Devices, Recording, Source, Stopped } from "@backplane/contract/devices";
import type { CallOptions } from "./call.ts";
import { PanelsError } from "./errors.ts";
import { unexpectedAnswer } from "./request.ts";
import { createEventParser } from "./sign-in/event-parser.ts";
import { streamBytes } from "./streams.ts";
import { isObject, parseJson } from "./text.ts";

/**
 * What happens with devices: all of them first, then what changed; columns of values; lines that they said; a stop; a
 * recording that is made; the state of sources. A replay ends with `ended`.
 */
export type DeviceEvent =
  | ({ type: "devices" } & (Devices | { changed: Device[]; removed: string[] }))
  | ({ type: "values"; device: string; capability: string } & Batch)
  | { type: "lines"; lines: DeviceLine[] }
  | { type: "stopped"; stopped: Stopped | null }
  | ({ type: "recording" } & ({ recording: Recording } | { removed: string }))
  | { type: "sources"; sources: Pick<Source, "name" | "state" | "reason" | "devices">[] }
  | { type: "ended" };

const TYPES: ReadonlySet<string> = new Set(["devices", "values", "lines", "stopped", "recording", "sources", "ended"]);
const LIMITS = { maxLineLength: 16_777_216, maxEventLength: 16_777_216 };

/** Ends with the connection, the session, or `break`. Whoever wants more begins again. */
export async function* readDeviceEvents(
  options: CallOptions,
  path: string,
): AsyncGenerator<DeviceEvent, void, undefined> {
  const parse = createEventParser(LIMITS);
  const decoder = new TextDecoder();
  let hasBegun = false;
  try {
    for await (const bytes of streamBytes(PanelsError, options, { path, accept: "text/event-stream" })) {
      hasBegun = true;
      const parsed = parse(decoder.decode(bytes, { stream: true }));
      if (!parsed) throw unexpectedAnswer(PanelsError, "An event is too large");
      for (const { name, data } of parsed.events) {
        const event = parseJson(data);
        if (TYPES.has(name) && isObject(event)) yield { type: name, ...event } as DeviceEvent;
      }
    }
  } catch (error) {
    if (!hasBegun || options.signal?.aborted !== true) throw error;
  }
}
