import { writeFile } from "node:fs/promises";
import { showProgress } from "../progress.ts";
import { isRefusal, refuse } from "../refusal.ts";
import { SHAPES } from "../terminal.ts";
import { plain, sizeOf } from "../text.ts";
import { findTab, inFront } from "./find-tab.ts";
import { type ShotFlags, withWorkspace } from "./with-workspace.ts";

/** Takes a screenshot of a panel, the workspace or the screen. */
export const screenshot = (host: NodeJS.Process, named: string | undefined, options: ShotFlags): Promise<number> =>
  withWorkspace(host, options, async ({ workspace, answer, out }) => {
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
      inline: options.out !== undefined,
    });
    shown[Symbol.dispose]();
    if (options.out !== undefined) {
      const bytes = Buffer.from(dataUrl?.split(",", 2)[1] ?? "", "base64");
      try {
        await writeFile(options.out, bytes);
      } catch {
        return refuse(
          "file-unwritable",
          `${options.out} cannot be written.`,
          `The screenshot is stored as ${plain(shot.path)}`,
        );
      }
    }
    answer({ ...shot, ...(options.out === undefined ? {} : { file: options.out }) }, () => {
      const size = `${shot.width}×${shot.height}`;
      const from = shot.scale === 1 ? "" : `, from ${shot.originalWidth}×${shot.originalHeight}`;
      out.line(
        `${out.paint("ok", SHAPES.ok)} ${plain(options.out ?? shot.path)}  ${size}${from}, ${sizeOf(shot.size)}`,
      );
      out.line(`  ${plain(shot.url)}`);
    });
    return undefined;
  });
