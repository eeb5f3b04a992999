import { randomBytes } from "node:crypto";
import type { Socket } from "node:net";
import type { Network } from "../../sources/link.ts";
import { reasonOf } from "../../sources/link.ts";
import { COST, createRate, TOO_MUCH } from "../rate.ts";
import { createAssembler, type RtpPacket, readRtp } from "../rtp.ts";
import type { StreamEvents } from "../source.ts";
import { authorizationOf, type Credentials, challengeOf } from "./authorization.ts";
import { createRtspReader, type RtspAnswer } from "./reader.ts";
import { readSdp } from "./sdp.ts";

const CONNECT_MS = 5_000;
const ANSWER_MS = 5_000;
const USUAL_PORT = 554;
const USUAL_SECURE_PORT = 322;
/** How often a camera is told that we are still there, unless it wants to hear it more often. */
const ALIVE_MS = 25_000;
const MIN_ALIVE_MS = 1_000;

/** What is in the way, for people; `codec`: the pictures cannot be shown as they are. */
class Refusal extends Error {
  override name = "Refusal";
}

export type RtspPlace = { address: string; credentials: Credentials | undefined };

const portOfRtsp = ({ port, protocol }: URL): number =>
  port === "" ? (protocol === "rtsps:" ? USUAL_SECURE_PORT : USUAL_PORT) : Number(port);

/** Plays a camera: media comes on the connection itself, so that no other port has to be open. */
export function openRtsp(
  { connect }: Network,
  { address, credentials }: RtspPlace,
  events: StreamEvents,
): { close(): void } {
  const url = new URL(address);
  const place = { host: url.hostname, port: portOfRtsp(url) };
  const noRtsp = `What is at ${place.host}:${place.port} does not speak RTSP as it should. Check the address.`;
  let socket: Socket | undefined;
  let isClosed = false;
  let alive: NodeJS.Timeout | undefined;
  let takeMedia: ((packet: RtpPacket) => void) | undefined;
  let waiting: { resolve(answer: RtspAnswer): void; reject(error: Error): void } | undefined;

  function end(reason: string): void {
    if (isClosed) return;
    close();
    events.ended(reason);
  }
  function close(): void {
    isClosed = true;
    clearInterval(alive);
    waiting?.reject(new Error("closed"));
    socket?.destroy();
  }

  const rate = createRate();
  function spend(bytes: number): void {
    if (!rate.take(bytes)) throw new Refusal(TOO_MUCH);
  }
  const read = createRtspReader({
    answer(answer) {
      spend(COST.text);
      const asked = waiting;
      waiting = undefined;
      asked?.resolve(answer);
    },
    asked: () => spend(COST.text),
    media(channel, bytes) {
      spend(COST.packet);
      const packet = channel === 0 ? readRtp(bytes) : undefined;
      if (packet) takeMedia?.(packet);
    },
  });

  const ask = createAsker(credentials, async (text) => {
    if (isClosed || !socket) throw new Error("closed");
    const { promise, resolve, reject } = Promise.withResolvers<RtspAnswer>();
    const timer = setTimeout(() => reject(new Refusal("The camera does not answer. Check its address.")), ANSWER_MS);
    waiting = { resolve, reject };
    socket.write(text);
    return promise.finally(() => clearTimeout(timer));
  });

  async function play(): Promise<void> {
    socket = await connect({
      isSecure: url.protocol === "rtsps:",
      hostname: place.host,
      port: place.port,
      timeoutMs: CONNECT_MS,
    });
    if (isClosed) return void socket.destroy();
    socket.on("data", (bytes: Buffer) => {
      try {
        if (isClosed) return;
        spend(bytes.length);
        read(bytes);
      } catch (error) {
        end(error instanceof Refusal ? error.message : noRtsp);
      }
    });
    socket.on("error", (error) => end(reasonOf(error, place, "STREAM_ALLOW")));
    socket.on("close", () => end("The camera closed the connection."));

    const described = await ask("DESCRIBE", address, { accept: "application/sdp" });
    const { video, control } = readSdp(described.body);
    if (!video) throw new Refusal("The camera sends no video at this address. Check the part after the host.");
    if (!video.codec) {
      close();
      return events.refused(video.encoding);
    }
    const base = baseOf(described, address, control);
    const setUp = await ask("SETUP", join(base, video.control), { transport: "RTP/AVP/TCP;unicast;interleaved=0-1" });
    const [session = "", ...more] = (setUp.headers.get("session")?.[0] ?? "").split(";");
    const kept = session === "" ? {} : { session };
    takeMedia = createAssembler(video.codec, video, (picture) => {
      spend(COST.picture);
      events.picture(picture);
    });
    events.codec({ name: video.codec });
    await ask("PLAY", base, { ...kept, range: "npt=0.000-" });
    const everyMs = aliveEvery(more);
    alive = setInterval(() => {
      if (!waiting) ask("OPTIONS", base, kept).catch((error: unknown) => end(wordsOf(error)));
    }, everyMs);
  }

  const wordsOf = (error: unknown): string =>
    error instanceof Refusal ? error.message : reasonOf(error, place, "STREAM_ALLOW");
  play().catch((error: unknown) => end(wordsOf(error)));
  return { close };
}

/** One request at a time, with the answer to what the camera asks of us. */
function createAsker(credentials: Credentials | undefined, send: (text: string) => Promise<RtspAnswer>) {
  let number = 0;
  let challenge: ReturnType<typeof challengeOf>;
  let count = 0;
  function write(method: string, uri: string, headers: Record<string, string>): string {
    number += 1;
    const lines = [`${method} ${uri} RTSP/1.0`, `CSeq: ${number}`, "User-Agent: Backplane"];
    for (const [name, value] of Object.entries(headers)) lines.push(`${name}: ${value}`);
    if (challenge && credentials) {
      count += 1;
      const nonce = randomBytes(8).toString("hex");
      lines.push(`Authorization: ${authorizationOf(challenge, credentials, { method, uri, count, nonce })}`);
    }
    return `${lines.join("\r\n")}\r\n\r\n`;
  }
  return async (method: string, uri: string, headers: Record<string, string>): Promise<RtspAnswer> => {
    let answer = await send(write(method, uri, headers));
    if (answer.status === 401) {
      if (!credentials) throw new Refusal("The camera wants a user name and a password. Add them to its settings.");
      const isNew = challenge === undefined || isStale(answer);
      challenge = challengeOf(answer.headers.get("www-authenticate") ?? []);
      if (!challenge) throw new Refusal("The camera wants a way to sign in that Backplane does not know.");
      count = 0;
      if (isNew) answer = await send(write(method, uri, headers));
    }
    if (answer.status >= 200 && answer.status < 300) return answer;
    throw new Refusal(statusWords(answer));
  };
}

const isStale = ({ headers }: RtspAnswer): boolean =>
  (headers.get("www-authenticate") ?? []).some((value) => /stale="?true/i.test(value));

function statusWords({ status }: RtspAnswer): string {
  if (status === 401) return "The camera does not accept this user name and password. Correct them in its settings.";
  if (status === 403) return "The camera refuses this address for this user. Check the rights of the user there.";
  if (status === 404) return "The camera has nothing at this address. Check the part after the host.";
  if (status >= 300 && status < 400) return "The camera leads to another address. Use that one.";
  if (status === 453) return "The camera has no bandwidth left for another viewer.";
  if (status === 461) return "The camera does not send its pictures over TCP. Allow that in its settings.";
  if (status >= 500) return `The camera answers with an error (${status}). Try again, or restart it.`;
  return `The camera refuses (${status}).`;
}

/** Where the parts of a description are: as the camera says, or where it was asked for. Never at another host. */
function baseOf({ headers }: RtspAnswer, address: string, control: string | undefined): string {
  const said = headers.get("content-base")?.[0] ?? headers.get("content-location")?.[0] ?? address;
  const base = control !== undefined && control !== "*" ? join(said, control) : said;
  return /^rtsps?:\/\//.test(base) ? base : address;
}

/** By RFC 2326: a control that is no address is put behind the base. What is asked goes to the same connection anyway. */
function join(base: string, control: string | undefined): string {
  if (control === undefined || control === "*" || control === "") return base;
  if (/^rtsps?:\/\//i.test(control)) return oneLine(control);
  return oneLine(`${base}${base.endsWith("/") ? "" : "/"}${control}`);
}

const oneLine = (text: string): string => text.replaceAll(/[\s]/g, "").slice(0, 2_048);

/** `timeout`: in seconds, after which a camera forgets who is silent. */
function aliveEvery(parameters: readonly string[]): number {
  const found = parameters.map((one) => /^\s*timeout=(\d{1,6})\s*$/.exec(one)?.[1]).find((one) => one !== undefined);
  return found === undefined ? ALIVE_MS : Math.min(ALIVE_MS, Math.max(MIN_ALIVE_MS, (Number(found) * 1_000) / 2));
}
