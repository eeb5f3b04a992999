import type { Duplex } from "node:stream";
import { DEVICES_LIMITS } from "@backplane/contract/devices";
import mqttPacket, { type IConnectPacket } from "mqtt-packet";
import { CONNECT_BYTE, readHeader } from "./packets.ts";

/** Return codes of CONNACK (MQTT 3.1.1, section 3.2.2.3). */
export const CONNACK = {
  wrongVersion: 1,
  wrongClientId: 2,
  unavailable: 3,
  wrongKey: 4,
  notAllowed: 5,
} as const;
type ReturnCode = (typeof CONNACK)[keyof typeof CONNACK];

/** The first bytes of a connection, all of them: what follows CONNECT belongs to the broker. */
export type Admitted = { connect: IConnectPacket; bytes: Buffer };

type Reading =
  | { is: "incomplete" }
  | { is: "connect"; connect: IConnectPacket }
  | { is: "refused"; answer: Buffer | undefined };

const refusal = (returnCode: ReturnCode): Buffer => Buffer.from([0x20, 2, 0, returnCode]);

/** MQTT 5, section 3.2: "Unsupported Protocol Version", in the form that its clients read. */
const REFUSAL_OF_5 = Buffer.from([0x20, 3, 0, 0x84, 0]);

const HTTP_METHODS = /^(GET|PUT|HEAD|POST|PATCH|DELETE|OPTIONS|CONNECT|TRACE) /;
const HTTP_TEXT = "This port speaks MQTT, not HTTP.\n";
const HTTP_ANSWER = Buffer.from(
  `HTTP/1.1 400 Bad Request\r\ncontent-type: text/plain\r\ncontent-length: ${HTTP_TEXT.length}\r\nconnection: close\r\n\r\n${HTTP_TEXT}`,
);

/** Reads what a connection begins with. Pure; never throws. */
export function readConnect(bytes: Buffer): Reading {
  if (bytes.length === 0) return { is: "incomplete" };
  if (bytes[0] !== CONNECT_BYTE) {
    const isHttp = HTTP_METHODS.test(bytes.toString("latin1", 0, 8));
    return { is: "refused", answer: isHttp ? HTTP_ANSWER : undefined };
  }
  const header = readHeader(bytes);
  if (header === "malformed") return { is: "refused", answer: undefined };
  if (header === undefined) return { is: "incomplete" };
  const size = header.headerBytes + header.bodyBytes;
  if (size > DEVICES_LIMITS.maxConnectBytes) return { is: "refused", answer: undefined };
  if (bytes.length < size) return { is: "incomplete" };
  return parseConnect(bytes.subarray(0, size));
}

function parseConnect(packetBytes: Buffer): Reading {
  let connect: IConnectPacket | undefined;
  let fault: Error | undefined;
  const parser = mqttPacket.parser();
  parser.on("packet", (packet) => {
    if (packet.cmd === "connect") connect = packet;
  });
  parser.on("error", (error: Error) => {
    fault = error;
  });
  try {
    parser.parse(packetBytes);
  } catch (error) {
    fault = error as Error;
  }
  if (fault?.message === "Invalid protocol version") return { is: "refused", answer: refusal(CONNACK.wrongVersion) };
  if (fault || !connect) return { is: "refused", answer: undefined };
  if (connect.protocolVersion === 5) return { is: "refused", answer: REFUSAL_OF_5 };
  if (connect.clientId.length > DEVICES_LIMITS.maxClientIdLength)
    return { is: "refused", answer: refusal(CONNACK.wrongClientId) };
  return { is: "connect", connect };
}

/** Answers CONNECT with the reason and closes. */
export function refuseConnect(stream: Duplex, returnCode: ReturnCode): void {
  endWith(stream, refusal(returnCode));
}

function endWith(stream: Duplex, answer: Buffer | undefined): void {
  stream.on("error", () => {});
  if (answer === undefined) {
    stream.destroy();
    return;
  }
  stream.end(answer);
  // A peer that never closes its side would keep the connection.
  setTimeout(() => stream.destroy(), 1_000).unref();
}

/**
 * Waits for CONNECT, at most `connectMs` and `maxConnectBytes`. Undefined: the connection was refused and is closing. The
 * bytes are given back to the stream, so that a broker reads them as if nobody had before.
 */
export function admit(
  stream: Duplex,
  { connectMs = DEVICES_LIMITS.connectMs }: { connectMs?: number } = {},
): Promise<Admitted | undefined> {
  const { promise, resolve } = Promise.withResolvers<Admitted | undefined>();
  let bytes: Buffer = Buffer.alloc(0);
  const timer = setTimeout(() => finish(undefined, undefined), connectMs);
  const onGone = () => finish(undefined, undefined);

  function finish(admitted: Admitted | undefined, answer: Buffer | undefined): void {
    clearTimeout(timer);
    stream.off("data", onData).off("close", onGone).off("end", onGone).off("error", onGone);
    if (admitted) {
      stream.pause();
      stream.on("error", () => {});
      stream.unshift(bytes);
    } else endWith(stream, answer);
    resolve(admitted);
  }
  function onData(chunk: Buffer): void {
    bytes = bytes.length === 0 ? chunk : Buffer.concat([bytes, chunk]);
    const reading = readConnect(bytes);
    if (reading.is === "connect") finish({ connect: reading.connect, bytes }, undefined);
    else if (reading.is === "refused") finish(undefined, reading.answer);
  }
  stream.on("data", onData).on("close", onGone).on("end", onGone).on("error", onGone);
  return promise;
}
