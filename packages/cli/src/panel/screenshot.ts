import { existsSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { getUser } from "@backplane/sdk";
import { showProgress } from "../progress.ts";
import { isRefusal, refuse } from "../refusal.ts";
import { commandSettings } from "../running.ts";
import { SHAPES } from "../terminal.ts";
import { plain, sizeOf } from "../text.ts";
import { findTab, inFront } from "./find-tab.ts";
import { addToViewer } from "./to-viewer.ts";
import { type ShotFlags, type WorkspaceContext, withWorkspace } from "./with-workspace.ts";

/** Takes a screenshot of a panel, the workspace or the screen. */
export const screenshot = (host: NodeJS.Process, named: string | undefined, options: ShotFlags): Promise<number> =>
  withWorkspace(host, options, async (context) => {
    const { workspace, name, answer, out } = context;
    const copy = options.out === undefined ? undefined : resolve(host.cwd(), options.out);
    const tab = named === undefined ? undefined : await findTab(workspace, named);
    if (tab && isRefusal(tab)) return tab;
    if (tab) await inFront(workspace, tab);
    using shown = showProgress(host.stderr, { isDumb: host.env.TERM === "dumb", isQuiet: options.json === true });
    const { sharing } = await workspace.screenshotStatus();
    if (!sharing.active && options.method !== "html2canvas" && options.wait !== 0) {
      shown.says(`Waiting for somebody to press Share at ${workspace.page}`);
    }
    const { dataUrl, ...shot } = await workspace.screenshot({
      scope: options.scope,
      panelId: tab?.panelId,
      tabId: tab?.tabId,
      method: options.method,
      name: options.name,
      reason: options.reason,
      waitForSharing: options.wait,
      maxDimension: options.max,
      inline: copy !== undefined || options.to === "viewer",
    });
    shown[Symbol.dispose]();
    const stored = await findStored(host, context, shot.path);
    const bytes = Buffer.from(dataUrl?.split(",", 2)[1] ?? "", "base64");
    if (copy !== undefined) {
      try {
        await writeFile(copy, bytes);
      } catch {
        return refuse(
          "file-unwritable",
          `${plain(copy)} cannot be written.`,
          `The screenshot is stored as ${plain(stored ?? `${shot.path} of ${name}`)}`,
        );
      }
    }
    const file = copy ?? stored;
    const added =
      options.to === "viewer"
        ? await addToViewer(host, bytes, { workspace: name, tab, name: options.name })
        : undefined;
    answer({ ...shot, ...(file === undefined ? {} : { file }), ...(added && { viewer: added }) }, () => {
      const size = `${shot.width}×${shot.height}`;
      const from = shot.scale === 1 ? "" : `, from ${shot.originalWidth}×${shot.originalHeight}`;
      const where = plain(file ?? `${shot.path} of ${name}`);
      out.line(`${out.paint("ok", SHAPES.ok)} ${where}  ${size}${from}, ${sizeOf(shot.size)}`);
      out.line(`  ${plain(shot.url)}`);
      if (added) out.line(`${out.paint("ok", SHAPES.ok)} ${plain(added.file)}  in the viewer`);
      if (file === undefined && added === undefined)
        out.line("  It is on the machine of Backplane. Save it on this one with: --out <file>");
    });
    return undefined;
  });

/** Where a Backplane on this machine keeps it: `@<owner's id>/<name>` in PROJECTS_FOLDER. Undefined: it is on another machine. */
async function findStored(
  host: NodeJS.Process,
  { session, name }: Pick<WorkspaceContext, "session" | "name">,
  path: string,
): Promise<string | undefined> {
  const [owner, repo = ""] = name.toLowerCase().split("/");
  const user = await getUser(session).catch(() => undefined);
  if (user === undefined || user.name.toLowerCase() !== owner) return undefined;
  const file = join(commandSettings(host).projectsFolder, `@${user.id}`, repo, path);
  return existsSync(file) ? file : undefined;
}
