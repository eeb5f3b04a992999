import { once } from "node:events";
import { createWriteStream } from "node:fs";
import { rm } from "node:fs/promises";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { openWorkspace, type Workspace } from "@backplane/sdk";
import { type PanelFlags, type WorkspaceContext, withWorkspace } from "../panel/with-workspace.ts";
import { refuse } from "../refusal.ts";
import { SHAPES, table } from "../terminal.ts";
import { countOf, plain, sizeOf } from "../text.ts";

type Recording = Awaited<ReturnType<Workspace["devices"]["recordings"]["start"]>>;
type RecordFlags = PanelFlags & { last?: number; device?: string[] };

const MINUTE_MS = 60_000;
/** How often a recording is looked at while it goes on. */
const LOOK_MS = 3_000;

const wantedOf = (name: string | undefined, { last, device }: RecordFlags) => ({
  ...(name === undefined ? {} : { name }),
  ...(last === undefined ? {} : { lastMs: Math.round(last * MINUTE_MS) }),
  ...(device === undefined ? {} : { devices: device }),
});

function say({ answer, out }: Pick<WorkspaceContext, "answer" | "out">, recording: Recording, hint?: string): void {
  answer(recording, () => {
    const { id, name, bytes, messages, reason } = recording;
    out.line(
      `${out.paint("ok", SHAPES.ok)} ${id}  ${plain(name)}: ${countOf(messages, "message")}, ${sizeOf(bytes)}${reason === undefined ? "" : `. ${plain(reason)}`}`,
    );
    if (hint !== undefined) out.hint(hint);
  });
}

/** Whoever ends the command ends the recording; it may also end by itself, or by somebody else. */
export const record = (host: NodeJS.Process, name: string | undefined, options: RecordFlags): Promise<number> =>
  withWorkspace(host, options, async (context) => {
    const { session, signal, out } = context;
    const [owner = "", repo = ""] = context.name.split("/");
    // Ctrl-C ends the wait, and not the calls.
    const { recordings } = openWorkspace({ ...session, signal: undefined, owner, repo }).devices;
    const { id } = await recordings.start(wantedOf(name, options));
    if (options.json !== true) out.hint("Recording. Ctrl-C ends it.");
    let isGoingOn = true;
    while (isGoingOn && !signal.aborted) {
      await sleep(LOOK_MS, undefined, { signal }).catch(() => {});
      isGoingOn = (await recordings.get(id)).state === "recording";
    }
    say(context, await recordings.stop(id), `Save it as a file: backplane device export ${id}`);
    return undefined;
  });

export const keep = (host: NodeJS.Process, name: string | undefined, options: RecordFlags): Promise<number> =>
  withWorkspace(host, options, async (context) => {
    const kept = await context.workspace.devices.recordings.keep(wantedOf(name, options));
    say(context, kept, `Save it as a file: backplane device export ${kept.id}`);
    return undefined;
  });

export const recordings = (host: NodeJS.Process, options: PanelFlags): Promise<number> =>
  withWorkspace(host, options, async ({ workspace, answer, out }) => {
    const found = await workspace.devices.recordings.list();
    answer(found, () => {
      const rows = found.recordings.map(({ id, name, state, start, end, bytes }) => [
        ...[id, plain(name), state, start.slice(0, 19).replace("T", " "), lengthOf(start, end), sizeOf(bytes)],
      ]);
      for (const line of table(rows)) out.line(line);
      if (rows.length === 0) out.hint("There are no recordings yet. Save what just happened: backplane device keep");
      else out.hint(`${sizeOf(found.bytes)} of ${sizeOf(found.maxBytes)}`);
    });
    return undefined;
  });

function lengthOf(start: string, end: string): string {
  const seconds = Math.round((Date.parse(end) - Date.parse(start)) / 1_000);
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}

type ExportFlags = PanelFlags & {
  format?: "mcap" | "csv" | "parquet";
  device?: string;
  capability?: string;
  from?: string;
  to?: string;
  out?: string;
  force?: boolean;
};

export const exportRecording = (host: NodeJS.Process, id: string, options: ExportFlags): Promise<number> =>
  withWorkspace(host, options, async ({ workspace, answer, out }) => {
    const { device, capability, from, to, format = "mcap" } = options;
    const part = {
      ...(device === undefined ? {} : { device }),
      ...(capability === undefined ? {} : { capability }),
      ...(from === undefined ? {} : { from }),
      ...(to === undefined ? {} : { to }),
    };
    const bytes = Readable.from(workspace.devices.recordings.download(id, format, part), { objectMode: false });
    if (options.out === "-") {
      for await (const piece of bytes) if (!host.stdout.write(piece)) await once(host.stdout, "drain");
      return undefined;
    }
    const file = options.out ?? `${fileNameOf((await workspace.devices.recordings.get(id)).name)}.${format}`;
    const target = createWriteStream(file, { flags: options.force === true ? "w" : "wx" });
    try {
      await once(target, "open");
    } catch (error) {
      const exists = (error as NodeJS.ErrnoException).code === "EEXIST";
      const what = exists ? "exists already" : "cannot be written";
      return refuse("file-unwritable", `${plain(file)} ${what}.`, "Choose another name with --out, or add --force");
    }
    try {
      await pipeline(bytes, target);
    } catch (error) {
      // Half a file would be taken for the whole.
      await rm(file, { force: true });
      throw error;
    }
    answer({ file, size: target.bytesWritten }, () =>
      out.line(`${out.paint("ok", SHAPES.ok)} ${plain(file)}, ${sizeOf(target.bytesWritten)}`),
    );
    return undefined;
  });

const fileNameOf = (name: string): string =>
  name
    .replaceAll(/[^\p{L}\p{N} ._-]/gu, "_")
    .replace(/^[. ]+/, "")
    .trim() || "recording";

type ReplayFlags = PanelFlags & { speed?: number; at?: string; device?: string; capability?: string };

export const replay = (host: NodeJS.Process, recording: string, options: ReplayFlags): Promise<number> =>
  withWorkspace(host, options, async ({ workspace, out }) => {
    const { speed, at, device, capability } = options;
    const events = workspace.devices.events({
      recording,
      ...(speed === undefined ? {} : { speed }),
      ...(at === undefined ? {} : { at }),
      ...(device === undefined ? {} : { device }),
      ...(capability === undefined ? {} : { capability }),
    });
    for await (const event of events) {
      if (event.type === "values" || event.type === "lines") out.line(JSON.stringify(event));
    }
    return undefined;
  });

export const forget = (host: NodeJS.Process, recording: string, options: PanelFlags): Promise<number> =>
  withWorkspace(host, options, async ({ workspace, answer, out }) => {
    await workspace.devices.recordings.remove(recording);
    answer({ removed: recording }, () => out.line(`${out.paint("ok", SHAPES.ok)} Removed.`));
    return undefined;
  });
