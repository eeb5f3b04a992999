import { type ChildProcess, spawn } from "node:child_process";
import { createFlvReader } from "./flv.ts";
import type { Picture } from "./picture.ts";

/** ffmpeg is found on the PATH. It makes the test picture, and converts what browsers do not play. */
export type Ffmpeg = {
  /** Undefined: it is not installed. */
  version(): Promise<string | undefined>;
  /** H.264 as browsers play it. `input`: its arguments. `codec`: others, for what browsers do not play. */
  encode(input: readonly string[], events: EncodingEvents, codec?: readonly string[]): Encoding;
};

type EncodingEvents = { picture(picture: Picture): void; ended(reason: string): void };

export type Encoding = {
  /** False: it is behind, and the piece was left out. */
  write(piece: Buffer): boolean;
  close(): void;
};

export const FFMPEG_MISSING =
  "ffmpeg is not installed on the server. Install it there (Debian: apt install ffmpeg) and try again.";

const ASK_AGAIN_MS = 10_000;
const MAX_UNREAD_BYTES = 16_777_216;
const MAX_SAID = 300;
const KILL_MS = 2_000;

/** Little delay, no B-frames, and a key picture each second, so that whoever comes sees something soon. */
const PLAYABLE = [
  ...["-c:v", "libx264", "-preset", "ultrafast", "-tune", "zerolatency", "-profile:v", "baseline"],
  ...["-pix_fmt", "yuv420p", "-threads", "1", "-b:v", "1500k", "-maxrate", "2500k", "-bufsize", "1500k"],
  ...["-g", "30", "-keyint_min", "30", "-sc_threshold", "0"],
];
const OUTPUT = ["-f", "flv", "-flvflags", "no_duration_filesize", "-flush_packets", "1", "pipe:1"];

export function createFfmpeg(now: () => number, program = "ffmpeg"): Ffmpeg {
  let asked: { atMs: number; version: Promise<string | undefined> } | undefined;
  return {
    version() {
      if (!asked || now() - asked.atMs > ASK_AGAIN_MS) asked = { atMs: now(), version: askVersion(program) };
      return asked.version;
    },
    encode: (input, events, codec = PLAYABLE) => encode(program, [...input, "-an", ...codec, ...OUTPUT], events),
  };
}

function askVersion(program: string): Promise<string | undefined> {
  return new Promise((resolve) => {
    let said = "";
    const child = spawn(program, ["-version"], { stdio: ["ignore", "pipe", "ignore"] });
    const timer = setTimeout(() => child.kill("SIGKILL"), ASK_AGAIN_MS);
    child.stdout.on("data", (bytes: Buffer) => {
      if (said.length < MAX_SAID) said += bytes.toString("latin1");
    });
    child.once("error", () => resolve(undefined));
    child.once("close", () => {
      clearTimeout(timer);
      resolve(/^ffmpeg version (\S{1,60})/.exec(said)?.[1]);
    });
  });
}

function encode(program: string, args: readonly string[], events: EncodingEvents): Encoding {
  let said = "";
  let isOver = false;
  const child = spawn(program, ["-hide_banner", "-nostdin", "-loglevel", "error", ...args], {
    stdio: ["pipe", "pipe", "pipe"],
  });
  const end = (reason: string): void => {
    if (isOver) return;
    isOver = true;
    stop(child);
    events.ended(reason);
  };
  const read = createFlvReader((picture) => {
    if (!isOver) events.picture(picture);
  });
  child.stdout.on("data", (bytes: Buffer) => {
    try {
      read(bytes);
    } catch (error) {
      end(`What ffmpeg made cannot be read: ${(error as Error).message}`);
    }
  });
  child.stderr.on("data", (bytes: Buffer) => {
    said = (said + bytes.toString("utf8")).slice(-MAX_SAID);
  });
  child.stdin.on("error", () => {});
  child.once("error", (error: NodeJS.ErrnoException) =>
    end(error.code === "ENOENT" ? FFMPEG_MISSING : `ffmpeg cannot be started (${error.code}).`),
  );
  child.once("close", (code, signal) => end(endWords(said, code, signal)));
  return {
    write(piece) {
      if (isOver || child.stdin.writableLength > MAX_UNREAD_BYTES) return false;
      child.stdin.write(piece);
      return true;
    },
    close() {
      isOver = true;
      stop(child);
    },
  };
}

const endWords = (said: string, code: number | null, signal: string | null): string => {
  const last = said.trim().split("\n").at(-1) ?? "";
  return `ffmpeg has ended (${signal ?? `code ${code}`}).${last === "" ? "" : ` It said: ${last}`}`;
};

function stop(child: ChildProcess): void {
  child.stdin?.destroy();
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill("SIGTERM");
  const timer = setTimeout(() => child.kill("SIGKILL"), KILL_MS);
  child.once("close", () => clearTimeout(timer));
}
