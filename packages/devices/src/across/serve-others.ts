import { DEVICES_LIMITS } from "@backplane/contract/devices";
import type { Bus, JsonValue } from "@backplane/kit/bus";
import type { OpenHub } from "../hub/hub.ts";
import type { Ring } from "../model/ring.ts";
import { recorderAnswers } from "./forwarded-recorder.ts";
import { type Call, type ChannelName, callChannel, type News, newsChannel, type Opened, type Piece } from "./wire.ts";

const { frameMs } = DEVICES_LIMITS;
/** Well below what the bus takes. */
const MAX_PIECE_LENGTH = 400_000;
const MAX_PIECE_SAMPLES = 2_000;
/** A channel is told for this long after it was last asked for. */
const WATCH_MS = 10_000;

type Watched = ChannelName & { ring: Ring | undefined; next: number; untilMs: number };

/** Answers other instances for the devices that this one holds, and tells them what happens. */
export async function serveOthers(
  workspaceId: string,
  { bus, hub, onFault }: { bus: Bus; hub: OpenHub; onFault: (error: unknown) => void },
): Promise<() => Promise<void>> {
  const watched = new Map<string, Watched>();
  const rings = new Map<Ring, number>();
  let ringCount = 0;
  let timer: NodeJS.Timeout | undefined;
  const tell = (news: News) => {
    // The bus itself reports that it is down; others ask again when it is up.
    bus.publish(newsChannel(workspaceId), news as unknown as JsonValue).catch(() => undefined);
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
      if (max <= 1 || JSON.stringify(piece).length <= MAX_PIECE_LENGTH) return piece;
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
    watched.set(key, { device, capability, ring, next, untilMs: performance.now() + WATCH_MS });
    return ring ? pieceOf({ device, capability }, ring, known === numberOf(ring) ? from : 0) : null;
  }

  const { control } = hub;
  const answerRecorder = recorderAnswers(hub.recorder);
  function answer(call: Call): unknown {
    switch (call.op) {
      case "open": {
        const opened: Opened = {
          ...{ devices: [...hub.view.devices()], lines: hub.view.lines().slice(-200), stopped: control.stopped() },
          recording: hub.recorder.current(),
          sources: hub.sources.all(),
        };
        return opened;
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
      default:
        return control[call.op](call.device, call.actor);
    }
  }

  const stops = [
    hub.onSample(tellSoon),
    hub.recorder.onChange((news) => tell({ kind: "recording", news })),
    hub.sources.onChange((all) => tell({ kind: "sources", all })),
    control.onStopped((stopped) => tell({ kind: "stopped", stopped })),
    await hub.onDevices((changed, removed) => tell({ kind: "devices", changed, removed })),
    await hub.onLines((lines) => tell({ kind: "lines", lines: lines.slice(0, 200) })),
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
