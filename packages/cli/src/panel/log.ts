import { setTimeout as sleep } from "node:timers/promises";
import type { Workspace } from "@backplane/sdk";
import { SHAPES } from "../terminal.ts";
import { plain } from "../text.ts";
import { type PanelFlags, withWorkspace } from "./with-workspace.ts";

type LogEntry = Awaited<ReturnType<Workspace["readLog"]>>[number];
type Level = "debug" | "info" | "warn" | "error";

const FOLLOW_EVERY_MS = 1_000;
/** The longest of Backplane's own sources: messages are aligned. */
const SOURCE_WIDTH = 11;

type LogFlags = PanelFlags & { follow?: boolean; level?: Level; source?: string };

/** Writes a line; without one, prints the log. */
export const log = (host: NodeJS.Process, message: string | undefined, options: LogFlags): Promise<number> =>
  message === undefined ? readLog(host, options) : writeLog(host, message, options);

const writeLog = (host: NodeJS.Process, message: string, options: LogFlags): Promise<number> =>
  withWorkspace(host, options, async ({ workspace, answer, out }) => {
    const { level = "info", source = "cli" } = options;
    await workspace.log({ level, source, message });
    answer({ level, source, message }, () => out.line(`${out.paint("ok", SHAPES.ok)} Written.`));
    return undefined;
  });

/** Prints the log; with `follow`, until Ctrl-C. */
const readLog = (host: NodeJS.Process, options: LogFlags): Promise<number> =>
  withWorkspace(host, options, async ({ workspace, session, out }) => {
    const { level, source } = options;
    let after: number | undefined;
    do {
      for (const entry of await workspace.readLog({ after, level, source })) {
        after = entry.id;
        out.line(options.json === true ? JSON.stringify(entry) : lineOf(entry));
      }
      if (options.follow !== true) return undefined;
      await sleep(FOLLOW_EVERY_MS, undefined, { signal: session.signal }).catch(() => {});
    } while (session.signal?.aborted !== true);
    return undefined;
  });

const lineOf = ({ at, level, source, message }: LogEntry): string =>
  [at.slice(11, 23), level.padEnd(5), plain(source).padEnd(SOURCE_WIDTH), plain(message)].join("  ");
