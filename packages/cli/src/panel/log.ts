import { setTimeout as sleep } from "node:timers/promises";
import { plain } from "../pkg/words.ts";
import { SHAPES } from "../terminal.ts";
import type { PanelFlags } from "./options.ts";
import { withWorkspace } from "./with-workspace.ts";

type Level = "debug" | "info" | "warn" | "error";

const FOLLOW_EVERY_MS = 1_000;

export const writeLog = (
  host: NodeJS.Process,
  message: string,
  options: PanelFlags & { level?: Level; source?: string },
): Promise<number> =>
  withWorkspace(host, options, async ({ workspace, answer, out }) => {
    const { level = "info", source = "cli" } = options;
    await workspace.log({ level, source, message });
    answer({ level, source, message }, () => out.line(`${out.paint("ok", SHAPES.ok)} Written.`));
    return undefined;
  });

/** Prints what is in the log; with `follow` goes on until Ctrl-C. */
export const readLog = (host: NodeJS.Process, options: PanelFlags & { follow?: boolean }): Promise<number> =>
  withWorkspace(host, options, async ({ workspace, session, out }) => {
    let after: number | undefined;
    do {
      for (const entry of await workspace.readLog({ after })) {
        after = entry.id;
        if (options.json === true) out.line(JSON.stringify(entry));
        else
          out.line(
            `${entry.at.slice(11, 23)}  ${entry.level.padEnd(5)}  ${plain(entry.source)}  ${plain(entry.message)}`,
          );
      }
      if (options.follow !== true) return undefined;
      await sleep(FOLLOW_EVERY_MS, undefined, { signal: session.signal }).catch(() => {});
    } while (session.signal?.aborted !== true);
    return undefined;
  });
