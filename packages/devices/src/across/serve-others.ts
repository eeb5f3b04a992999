import { DEVICES_LIMITS } from "@backplane/contract/devices";
import type { Bus, JsonValue } from "@backplane/kit/bus";
import type { OpenHub } from "../hub/hub.ts";
import type { Ring } from "../model/ring.ts";
import { recorderAnswers } from "./forwarded-recorder.ts";
import {
  type Call,
  type ChannelName,
  callChannel,
  fits,
  inPieces,
  type News,
  type NumberedNews,
  newsChannel,
  type Opened,
  type Piece,
} from "./wire.ts";

const { frameMs } = DEVICES_LIMITS;
const MAX_PIECE_SAMPLES = 2_000;
/** Of those that were said before. */
const MAX_LINES = 200;
/** A channel is told for this long after it was last asked for. */
const WATCH_MS = 10_000;

type Watched = ChannelName & { ring: Ring | undefined; next: number; untilMs: number };

/** Answers other instances for the devices that this one holds, and tells them what happens. */
export async function serveOthers(
  workspaceId: string,
  { bus, hub, onFault }: { bus: Bus; hub: OpenHub; onFault: (error: unknown) => void },
): Promise<() => Promise<void>> {
  const watched = new Map<string, Watched>();
  /** Does not keep those that the model has dropped. */
  const rings = new WeakMap<Ring, number>();
  let ringCount = 0;
  let timer: NodeJS.Timeout | undefined;
  let told = 0;
  const tell = (news: News) => {
    told += 1;
    const numbered: NumberedNews = { ...news, number: told };
    // The bus itself reports that it is down; others ask again when it is up.
    bus.publish(newsChannel(workspaceId), numbered as unknown as JsonValue).catch(() => undefined);
  };

  const numberOf = (ring: Ring): number => {
    const known = rings.get(ring);
    if (known !== undefined) return known;
    ringCount += 1;
    rings.set(ring, ringCount);
    return ringCount;
  };

  function pieceOf({ device, capability }: ChannelName, ring: Ring, from: number): Piece {
    const declared = hub.view.device(device)?.capabilities.find(({ id }) => id === capability)?.fields ?? {};
    const fields = Object.keys(declared);
    for (let max = MAX_PIECE_SAMPLES; ; max = Math.ceil(max / 4)) {
      const first = Math.max(from, ring.first);
      const { next, tMs, values } = ring.columns(first, max, fields);
      const piece = { device, capability, ring: numberOf(ring), first, next, fields, tMs, values };
      if (max <= 1 || fits(piece)) return piece;
    }
  }

  function tellSamples(): void {
    timer = undefined;
    for (const [key, channel] of watched) {
      if (performance.now() > channel.untilMs) watched.delete(key);
      const ring = hub.view.ring(channel.device, channel.capability);
      if (!ring || !watched.has(key)) continue;
      if (ring !== channel.ring) Object.assign(channel, { ring, next: ring.first });
      if (channel.next >= ring.next) continue;
      const piece = pieceOf(channel, ring, channel.next);
      channel.next = piece.next;
      tell({ kind: "samples", pieces: [piece] });
      if (channel.next < ring.next) tellSoon();
    }
  }
  const tellSoon = () => {
    if (watched.size > 0) timer ??= setTimeout(tellSamples, frameMs);
  };

  function watch({ device, capability, ring: known, from }: Extract<Call, { op: "watch" }>): Piece | null {
    const ring = hub.view.ring(device, capability);
    const key = `${device}/${capability}`;
    const before = watched.get(key);
    const next = before && before.ring === ring ? before.next : (ring?.next ?? 0);
    const isThere = hub.view.device(device)?.capabilities.some(({ id }) => id === capability);
    if (isThere) watched.set(key, { device, capability, ring, next, untilMs: performance.now() + WATCH_MS });
    return ring ? pieceOf({ device, capability }, ring, known === numberOf(ring) ? from : 0) : null;
  }

  const { control } = hub;
  function open(after = ""): Opened {
    const left = hub.view
      .devices()
      .filter(({ id }) => id > after)
      .sort((a, b) => (a.id < b.id ? -1 : 1));
    const [devices = []] = inPieces(left);
    const last = devices.length < left.length ? devices.at(-1) : undefined;
    // The newest lines that fit.
    const [lines = []] = after === "" ? inPieces(hub.lines().slice(-MAX_LINES).reverse()) : [];
    return {
      ...{ told, devices, lines: lines.reverse(), stopped: control.stopped(), recording: hub.recorder.current() },
      sources: hub.sources.all(),
      ...(last ? { next: last.id } : {}),
    };
  }

  const answerRecorder = recorderAnswers(hub.recorder);
  function answer(call: Call): unknown {
    switch (call.op) {
      case "open": {
        return open(call.after);
      }
      case "alive":
        return true;
      case "watch":
        return watch(call);
      case "take":
        return control.take(call.device, call.actor, { takeOver: call.takeOver });
      case "leave":
        return control.leave(call.actor, call.device);
      case "command": {
        const onAccepted = () => tell({ kind: "accepted", call: call.call });
        return control.command(call, { name: call.name, params: call.params }, call.actor, onAccepted);
      }
      case "stop":
      case "clear":
        return control[call.op](call.actor);
      case "settle-recordings":
      case "record":
      case "stop-recording":
      case "remove-recording":
      case "rename-recording":
        return answerRecorder(call);
      case "renew":
      case "arm":
      case "disarm":
      case "press":
      case "release":
        return control[call.op](call.device, call.actor);
      default:
        throw new Error("Another instance asks for something unknown.");
    }
  }

  const stops = [
    hub.onSample(tellSoon),
    hub.recorder.onChange((news) => tell({ kind: "recording", news })),
    hub.sources.onChange((all) => tell({ kind: "sources", all })),
    control.onStopped((stopped) => tell({ kind: "stopped", stopped })),
    await hub.onDevices((changed, removed) => {
      if (removed.length > 0) tell({ kind: "devices", changed: [], removed });
      for (const piece of inPieces(changed)) tell({ kind: "devices", changed: piece, removed: [] });
    }),
    await hub.onLines((lines) => {
      for (const piece of inPieces(lines)) tell({ kind: "lines", lines: piece });
    }),
  ];
  const unsubscribe = await bus.respond(callChannel(workspaceId), (message) => answer(message as unknown as Call));
  return async () => {
    for (const stop of stops) stop();
    clearTimeout(timer);
    watched.clear();
    tell({ kind: "ended" });
    await unsubscribe().catch(onFault);
  };
}
