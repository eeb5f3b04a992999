import { randomUUID } from "node:crypto";
import { DEVICES_LIMITS } from "@backplane/contract/devices";
import type { Bus } from "@backplane/kit/bus";
import type { Leave } from "../audience.ts";
import type { Pulled } from "../puller.ts";
import type { HlsFile, NoFile } from "./files.ts";

const { hlsSilentMs } = DEVICES_LIMITS;
const CHANNEL = "devices:streams:hls";
const ASK_MS = 15_000;
/** Of a file, in one message between instances. */
const PIECE_BYTES = 600_000;

type Asked = { key: string; viewer: string; file: string; from: number };
type Answered = { reason: string } | { type: string; size: number; piece: string } | null;
type HlsViewer = { key: string; pulled: Pick<Pulled, "file" | "longestMs">; end: Leave };

/** Those who look by HLS. A request may reach any instance, and is answered by the one that has the stream. */
export type HlsViewers = {
  newViewer(): string;
  add(viewer: string, one: HlsViewer): void;
  remove(viewer: string): void;
  /** `key`: of the stream that the viewer looks at. */
  file(key: string, viewer: string, file: string): Promise<HlsFile | NoFile | undefined>;
  close(): Promise<void>;
};

export async function openHlsViewers({
  bus,
  instance,
}: {
  bus: Pick<Bus, "request" | "respond">;
  instance: string;
}): Promise<HlsViewers> {
  const viewers = new Map<string, HlsViewer & { timer: NodeJS.Timeout }>();
  const isHere = (viewer: string) => viewer.startsWith(`${instance}_`);

  const silence = ({ end, pulled }: HlsViewer): NodeJS.Timeout =>
    setTimeout(() => end(true), hlsSilentMs + 2 * pulled.longestMs()).unref();

  async function fileHere(key: string, viewer: string, file: string): Promise<HlsFile | NoFile | undefined> {
    const found = viewers.get(viewer);
    if (found?.key !== key) return undefined;
    clearTimeout(found.timer);
    found.timer = silence(found);
    return found.pulled.file(file);
  }

  const stop = await bus.respond(`${CHANNEL}:${instance}`, async (message): Promise<Answered> => {
    const { key, viewer, file, from } = message as Asked;
    const found = await fileHere(key, viewer, file);
    if (!found || "reason" in found) return found ?? null;
    const { type, bytes } = found;
    return { type, size: bytes.length, piece: bytes.toString("base64", from, from + PIECE_BYTES) };
  });

  async function fileThere(key: string, viewer: string, file: string): Promise<HlsFile | NoFile | undefined> {
    const [there] = viewer.split("_");
    const pieces: Buffer[] = [];
    for (let from = 0; ; ) {
      const asked: Asked = { key, viewer, file, from };
      const reply = await bus.request(`${CHANNEL}:${there}`, asked, { timeoutMs: ASK_MS });
      const answered = reply.ok ? (reply.value as Answered) : null;
      if (!answered || "reason" in answered) return answered ?? undefined;
      const piece = Buffer.from(answered.piece, "base64");
      pieces.push(piece);
      from += piece.length;
      if (from >= answered.size || piece.length === 0) return { type: answered.type, bytes: Buffer.concat(pieces) };
    }
  }

  return {
    newViewer: () => `${instance}_${randomUUID()}`,
    add: (viewer, one) => void viewers.set(viewer, { ...one, timer: silence(one) }),
    remove(viewer) {
      clearTimeout(viewers.get(viewer)?.timer);
      viewers.delete(viewer);
    },
    file: (key, viewer, file) => (isHere(viewer) ? fileHere : fileThere)(key, viewer, file),
    close: stop,
  };
}
