import {
  DEVICES_LIMITS,
  type DevicesHubMessage,
  type DevicesPageMessage,
  SERIAL_KINDS,
} from "@backplane/contract/devices";
import type { SetTimer } from "../live/environment.ts";
import { createStore } from "../store.ts";
import type { Serial, SerialState } from "./devices.ts";

const { serialEveryMs, serialSilentMs, maxSerialBytes } = DEVICES_LIMITS;
const ANSWER_WITHIN_MS = 5_000;
/** What waits to be sent to the hub; a device that says more than this at once is not what it was taken for. */
const MAX_UNSENT_BYTES = 4 * maxSerialBytes;

/** A part of Web Serial. */
export type SerialPortOfPage = {
  open(options: { baudRate: number }): Promise<void>;
  readonly readable: ReadableStream<Uint8Array> | null;
  readonly writable: WritableStream<Uint8Array> | null;
  close(): Promise<void>;
};
export type SerialPorts = { requestPort(): Promise<SerialPortOfPage> };

type Environment = {
  setTimer: SetTimer;
  onFault(error: unknown): void;
  isHidden(): boolean;
  onHidden(listener: () => void): () => void;
  onLeave(listener: () => void): () => void;
  serialPorts: SerialPorts | undefined;
};

type Opened = Extract<DevicesHubMessage, { type: "serial-opened" }>;
type Held = { id: number; receive(bytes: Uint8Array): void; end(reason: string): void };

/**
 * The serial port that this page holds. The hub speaks the protocol, the page only passes bytes on; but the bytes that stop the
 * device are here, and are written when the hub cannot: the connection is lost, the hub is silent, the tab is hidden or closed.
 */
export function createSerial(
  environment: Environment,
  { newId, send }: { newId: () => number; send(message: DevicesPageMessage): boolean },
) {
  const { serialPorts, setTimer, onFault } = environment;
  const store = createStore<SerialState>({ device: undefined, ended: undefined });
  let held: Held | undefined;
  let asked: { id: number; answer(opened: Opened | string): void } | undefined;
  const end = (reason: string) => held?.end(reason);
  const stops = [
    environment.onHidden(() => environment.isHidden() && end("the tab was hidden.")),
    environment.onLeave(() => end("the page was left.")),
  ];

  async function ask(kind: string): Promise<Opened | string> {
    const id = newId();
    const { promise, resolve } = Promise.withResolvers<Opened | string>();
    asked = { id, answer: resolve };
    const cancel = setTimer(() => resolve("The server did not answer in time."), ANSWER_WITHIN_MS);
    if (!send({ type: "serial-open", id, kind })) resolve("There is no connection to the devices now.");
    try {
      return await promise;
    } finally {
      cancel();
      asked = undefined;
    }
  }

  async function connect(kind: string): Promise<string | undefined> {
    if (!serialPorts) return "This browser does not let pages use serial ports. Use Chromium or Edge.";
    if (held || asked) return "A serial port is connected already.";
    let port: SerialPortOfPage;
    try {
      port = await serialPorts.requestPort();
    } catch {
      // The person chose none.
      return undefined;
    }
    const baudRate = SERIAL_KINDS.find((known) => known.kind === kind)?.baudRate ?? 115_200;
    try {
      await port.open({ baudRate });
    } catch {
      return "The port cannot be opened. Close the program that uses it, then try again.";
    }
    const opened = await ask(kind);
    const isSeen = !environment.isHidden();
    if (typeof opened === "string" || !isSeen || !port.readable || !port.writable) {
      if (typeof opened !== "string") send({ type: "serial-close", port: opened.id });
      await port.close().catch(onFault);
      return typeof opened === "string" ? opened : "The tab was hidden meanwhile. Try again.";
    }
    held = hold(port, opened);
    store.update({ device: opened.name, ended: undefined });
    return undefined;
  }

  function hold(port: SerialPortOfPage, { id, stop }: Opened): Held {
    const stopBytes = bytesOf(stop);
    const reader = (port.readable as ReadableStream<Uint8Array>).getReader();
    const writer = (port.writable as WritableStream<Uint8Array>).getWriter();
    const unsent: Uint8Array[] = [];
    let unsentBytes = 0;
    let cancelFlush: (() => void) | undefined;
    let cancelSilence = () => {};
    let isOver = false;

    const write = (bytes: Uint8Array) => void writer.write(bytes).catch(() => endHere("the port cannot be written."));
    /** Again whenever the hub was silent: it feeds what moves, so nobody does now. */
    function awaitHub(): void {
      cancelSilence();
      cancelSilence = setTimer(() => write(stopBytes), serialSilentMs);
    }
    function flush(): void {
      cancelFlush = undefined;
      for (const piece of unsent.splice(0)) send({ type: "serial", port: id, data: textOf(piece) });
      unsentBytes = 0;
    }
    function take(bytes: Uint8Array): void {
      for (let from = 0; from < bytes.length; from += maxSerialBytes) {
        const piece = bytes.subarray(from, from + maxSerialBytes);
        const last = unsent.at(-1);
        if (last && last.length + piece.length <= maxSerialBytes) unsent[unsent.length - 1] = joined(last, piece);
        else unsent.push(piece);
      }
      unsentBytes += bytes.length;
      if (unsentBytes > MAX_UNSENT_BYTES) endHere("the device sends more than the connection carries.");
      else cancelFlush ??= setTimer(flush, serialEveryMs);
    }
    async function pump(): Promise<void> {
      try {
        for (;;) {
          const { value, done } = await reader.read();
          if (done || isOver) break;
          take(value);
        }
      } catch {
        // The cable was pulled.
      }
      endHere("the port was closed.");
    }
    function endHere(reason: string): void {
      if (isOver) return;
      isOver = true;
      cancelFlush?.();
      cancelSilence();
      // First of all, and in this turn: a page that is closed may have no other.
      const stopped = writer.write(stopBytes).catch(() => undefined);
      send({ type: "serial-close", port: id });
      held = undefined;
      store.update({ device: undefined, ended: reason });
      void letGo(stopped).catch(onFault);
    }
    async function letGo(stopped: Promise<unknown>): Promise<void> {
      await stopped;
      await reader.cancel().catch(() => undefined);
      reader.releaseLock();
      writer.releaseLock();
      await port.close().catch(() => undefined);
    }

    awaitHub();
    void pump();
    return {
      id,
      receive(bytes) {
        awaitHub();
        write(bytes);
      },
      end: endHere,
    };
  }

  const forPanels: Serial = {
    isOffered: serialPorts !== undefined,
    connect,
    disconnect: () => end("you disconnected it."),
    state: store.state,
    onState: store.subscribe,
  };

  return {
    forPanels,
    opened: (message: Opened) => void (message.id === asked?.id && asked.answer(message)),
    /** False: it was not about a port. */
    refused(id: number, detail: string): boolean {
      if (id !== asked?.id) return false;
      asked.answer(detail);
      return true;
    },
    receive: (port: number, data: string) => void (port === held?.id && held.receive(bytesOf(data))),
    ended: (port: number, reason: string) => void (port === held?.id && end(reason)),
    lost: () => end("the connection to the server was lost."),
    close() {
      end("the page was left.");
      for (const stop of stops) stop();
    },
  };
}

const bytesOf = (base64: string): Uint8Array => Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
const textOf = (bytes: Uint8Array): string => btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));

function joined(a: Uint8Array, b: Uint8Array): Uint8Array {
  const both = new Uint8Array(a.length + b.length);
  both.set(a);
  both.set(b, a.length);
  return both;
}
