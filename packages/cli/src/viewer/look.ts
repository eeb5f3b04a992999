import type { Paste } from "@backplane/viewer";
import { badInput } from "../connect/refusal.ts";
import { plain, sizeOf } from "../pkg/words.ts";
import { SHAPES, type Terminal, table } from "../terminal.ts";
import type { ViewerFlags } from "./settings.ts";
import { withViewer } from "./with-viewer.ts";

type LookFlags = ViewerFlags & { limit?: number };

const USUAL_LIMIT = 20;

export const list = (host: NodeJS.Process, options: LookFlags): Promise<number> =>
  withViewer(host, options, async ({ access, out, answer }) => {
    const found = await access.list(options.limit ?? USUAL_LIMIT);
    answer(found, () => {
      if (found.pastes.length === 0) {
        out.line("No screenshot was pasted here yet. Open the page with: backplane viewer open");
      }
      for (const line of table(found.pastes.map((paste) => rowOf(paste, out)))) out.line(line);
      if (found.more)
        out.line(out.paint("off", `  There are more: --limit ${2 * (options.limit ?? USUAL_LIMIT)} shows them.`));
    });
    return undefined;
  });

export const search = (host: NodeJS.Process, query: string, options: LookFlags): Promise<number> =>
  withViewer(host, options, async ({ access, out, answer }) => {
    if (query.trim() === "") return badInput("bad-query", "There is nothing to search for.\nGive one word or more.");
    const hits = await access.search(query, options.limit ?? USUAL_LIMIT);
    answer({ hits }, () => {
      if (hits.length === 0) {
        out.line(`No screenshot has "${plain(query)}" in its name or its text. Try fewer words, or another spelling.`);
      }
      for (const { paste, excerpt } of hits) {
        out.line(`${out.paint("strong", paste.optimized.path)}  ${when(paste)}`);
        if (excerpt !== null) out.line(`  ${plain(excerpt)}`);
      }
    });
    return hits.length === 0 ? 1 : undefined;
  });

const rowOf = (paste: Paste, out: Terminal): string[] => [
  paste.status === "named" ? SHAPES.ok : SHAPES.off,
  paste.optimized.path,
  sizeOf(paste.optimized.bytes),
  when(paste),
  out.paint("off", paste.id),
];

/** In the time of whoever reads it. */
function when({ pastedAt }: Paste): string {
  const at = new Date(pastedAt);
  const two = (value: number) => String(value).padStart(2, "0");
  const day = `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;
  return `${day} ${two(at.getHours())}:${two(at.getMinutes())}`;
}
