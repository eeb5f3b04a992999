import { DEVICES_LIMITS, type DevicesHubMessage } from "@backplane/contract/devices";
import type { SourceStatuses } from "../services.ts";
import type { Line } from "../sources/line.ts";

const { maxSerialPorts, maxSerialBytes, maxSourceUnsentBytes } = DEVICES_LIMITS;

type Attach = NonNullable<SourceStatuses["attach"]>;
type Port = { take(bytes: Buffer): void; ended(reason: string): void };

const REFUSED = {
  replaying: ["replaying", "A recording is shown. Go live first."],
  elsewhere: [
    "not-ready",
    "Another instance holds the devices of this workspace. Reload the page to reach it, then connect the port again.",
  ],
} as const;

/**
 * The serial ports that one page holds. Only this page sends their bytes, and they end with its connection. The page stops
 * the device by itself then: it has the bytes for that.
 */
export function createSerialPorts({
  attach,
  mayControl,
  tell,
  unsentBytes,
}: {
  /** Why not, while ports cannot be opened. */
  attach(): Attach | keyof typeof REFUSED;
  mayControl: boolean;
  tell(message: DevicesHubMessage): void;
  /** What the page has not read yet. */
  unsentBytes(): number;
}) {
  const ports = new Map<number, Port>();

  type Refusal = readonly [code: string, detail: string];
  function tryOpen(id: number, kind: string): Refusal | undefined {
    if (!mayControl) return ["scope-missing", "You may look at these devices and stop them, but not add any."];
    if (ports.has(id)) return ["malformed-request", "This port is open."];
    if (ports.size >= maxSerialPorts)
      return ["too-many-of-these", `A page has at most ${maxSerialPorts} serial ports. Disconnect one first.`];
    const to = attach();
    if (typeof to === "string") return REFUSED[to];
    const attached = to(kind, lineOf(id));
    if (!attached) return ["unsupported", `${kind} is not spoken over serial ports of pages.`];
    const stop = Buffer.from(attached.stopBytes).toString("base64");
    tell({ type: "serial-opened", id, name: attached.name, stop });
    return undefined;
  }

  const lineOf = (id: number): Line => ({
    connect({ bytes, ended }) {
      ports.set(id, { take: bytes, ended });
      return {
        send(all) {
          if (unsentBytes() + all.length > maxSourceUnsentBytes) end(id, "The page does not read what it is sent.");
          for (let from = 0; ports.has(id) && from < all.length; from += maxSerialBytes) {
            const data = Buffer.from(all.subarray(from, from + maxSerialBytes)).toString("base64");
            tell({ type: "serial", port: id, data });
          }
        },
        close: () => void ports.delete(id),
      };
    },
    onEnd(reason) {
      ports.delete(id);
      tell({ type: "serial-ended", port: id, reason });
    },
  });

  function end(id: number, reason: string): void {
    ports.get(id)?.ended(reason);
  }

  return {
    open(id: number, kind: string): void {
      const refusal = tryOpen(id, kind);
      if (refusal) tell({ type: "refused", id, code: refusal[0], detail: refusal[1] });
    },
    end,
    take: (id: number, data: string): void => ports.get(id)?.take(Buffer.from(data, "base64")),
    close(): void {
      for (const id of [...ports.keys()]) end(id, "The page is gone.");
    },
  };
}
