import { type LogEntry, PANELS_LIMITS } from "@backplane/contract/panels";
import { call } from "../../../../calls/call.ts";
import { clock } from "../../../../parts/times.ts";
import type { WorkspaceName } from "../../../calls.ts";
import { logPath } from "../../system-log/log-store.ts";

/** Lines of the log that are asked for: the newest with the name of the file in them. */
const MAX_LINES = 50;

const UNKNOWN = "Who changed it is not in the log. It may have been changed outside Backplane.";

/** Who changed a file last and when, from the workspace's log. */
export async function lastChange(workspace: WorkspaceName, path: string, signal: AbortSignal): Promise<string> {
  const query = new URLSearchParams({
    ...{ source: "files", q: path.slice(0, PANELS_LIMITS.maxLogSearchLength), limit: String(MAX_LINES) },
  });
  const answer = await call<{ entries: LogEntry[] }>({ method: "GET", path: `${logPath(workspace)}?${query}`, signal });
  return changeWords(answer.ok ? answer.value.entries : [], path, new Date());
}

/** "main.kicad_sch saved by ada, 1200 bytes, at 14:02." */
export function changeWords(entries: readonly LogEntry[], path: string, now: Date): string {
  const last = entries.findLast(({ message }) => message.startsWith(`${path} `));
  return last ? `${last.message}, at ${clock(new Date(last.at), now)}.` : UNKNOWN;
}
