import type { Batch, Device, DeviceLine, Devices, Stopped } from "@backplane/contract/devices";
import { rootOf } from "./addresses.ts";
import { type CallOptions, refusal, unreachable } from "./call.ts";
import { PanelsError } from "./errors.ts";
import { programHeader, REQUEST_OPTIONS, unexpectedAnswer } from "./request.ts";
import { createEventParser } from "./sign-in/event-parser.ts";
import { isObject, parseJson } from "./text.ts";

/** What happens with devices: all of them first, then what changed; columns of values; lines that they said; a stop. */
export type DeviceEvent =
  | ({ type: "devices" } & (Devices | { changed: Device[]; removed: string[] }))
  | ({ type: "values"; device: string; capability: string } & Batch)
  | { type: "lines"; lines: DeviceLine[] }
  | { type: "stopped"; stopped: Stopped | null };

const TYPES: ReadonlySet<string> = new Set(["devices", "values", "lines", "stopped"]);
const LIMITS = { maxLineLength: 16_777_216, maxEventLength: 16_777_216 };

/** Ends with the connection, the session, or `break`. Whoever wants more begins again. */
export async function* readDeviceEvents(
  { sessionToken = "", signal, fetch = globalThis.fetch, ...server }: CallOptions,
  path: string,
): AsyncGenerator<DeviceEvent, void, undefined> {
  const root = rootOf(server, PanelsError);
  const headers = { ...programHeader(), accept: "text/event-stream", authorization: `Bearer ${sessionToken}` };
  const stop = new AbortController();
  const onAbort = () => stop.abort();
  signal?.addEventListener("abort", onAbort);
  if (signal?.aborted) stop.abort();
  try {
    const response = await fetch(`${root}${path}`, { ...REQUEST_OPTIONS, headers, signal: stop.signal }).catch(() => {
      if (signal?.aborted) throw new PanelsError("aborted", "Stopped before it was done.", { cause: signal.reason });
      throw unreachable(PanelsError, root, "no connection");
    });
    const { status, ok: isOk } = response;
    if (!isOk) {
      const body = parseJson(await response.text());
      throw refusal(PanelsError, { status, isOk, headers: response.headers, body, bytes: undefined }, [sessionToken]);
    }
    if (response.body === null) throw unexpectedAnswer(PanelsError, "The answer is empty", status);
    yield* eventsIn(response.body, status);
  } catch (error) {
    if (!stop.signal.aborted || error instanceof PanelsError) throw error;
  } finally {
    signal?.removeEventListener("abort", onAbort);
    stop.abort();
  }
}

async function* eventsIn(body: ReadableStream<Uint8Array>, status: number): AsyncGenerator<DeviceEvent> {
  const parse = createEventParser(LIMITS);
  const decoder = new TextDecoder();
  for await (const bytes of body) {
    const parsed = parse(decoder.decode(bytes, { stream: true }));
    if (!parsed) throw unexpectedAnswer(PanelsError, "An event is too large", status);
    for (const { name, data } of parsed.events) {
      const event = parseJson(data);
      if (TYPES.has(name) && isObject(event)) yield { type: name, ...event } as DeviceEvent;
    }
  }
}
