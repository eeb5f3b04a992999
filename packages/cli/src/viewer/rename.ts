import { basename } from "node:path";
import type { Paste, ViewerAccess } from "@backplane/viewer";
import { CONNECT_EXIT } from "../connect/refusal.ts";
import { plain } from "../pkg/words.ts";
import { SHAPES } from "../terminal.ts";
import type { ViewerFlags } from "./settings.ts";
import { withViewer } from "./with-viewer.ts";

export const rename = (host: NodeJS.Process, wanted: string, name: string, options: ViewerFlags): Promise<number> =>
  withViewer(host, options, async ({ access, out, answer }) => {
    const found = await find(access, wanted);
    if (found === undefined) {
      const message = `There is no screenshot "${plain(wanted)}".\nbackplane viewer list shows those there are.`;
      return { code: "paste-unknown", message, exit: CONNECT_EXIT.failed };
    }
    const renamed = await access.rename(found.id, name, "you");
    answer(renamed, () => {
      out.line(`${out.paint("ok", SHAPES.ok)} ${renamed.optimized.path}`);
      out.line(`  ${renamed.original.path}`);
    });
    return undefined;
  });

/** As many as a list gives: whoever means an older one has its id. */
const NEWEST = 200;

/** By its id, by its name, or by one of its files. */
async function find(access: ViewerAccess, wanted: string): Promise<Paste | undefined> {
  const { pastes } = await access.list(NEWEST);
  const file = basename(wanted);
  const isMeant = ({ id, name, optimized, original }: Paste) =>
    id === wanted || name === wanted || basename(optimized.path) === file || basename(original.path) === file;
  return pastes.find(isMeant) ?? (await access.get(wanted));
}
