import { EXIT } from "@backplane/contract/problems";
import { findViewer, type Widget } from "@backplane/viewer/client";
import { openBrowser } from "../open-browser.ts";
import { runCommand } from "../run.ts";
import { SHAPES, type Terminal } from "../terminal.ts";
import { folderOf, type ViewerFlags, viewerSettingsAnywhere } from "./with-viewer.ts";

type OpenFlags = ViewerFlags & { title?: string };

/** Opens the page. If no viewer runs for the project, this command runs one until Ctrl-C. */
export const open = (host: NodeJS.Process, options: OpenFlags): Promise<number> =>
  runCommand(host, options, async ({ json, out, signal }) => {
    const settings = viewerSettingsAnywhere(host, options);
    const running = await findViewer(settings.viewerProject, fetch);
    await using mine = running ? undefined : await (await import("./own-viewer.ts")).serveOwnViewer(host, settings);
    const access = running?.access ?? mine?.access;
    if (access === undefined) throw new Error("There is no viewer.");
    const widget = await access.openWidget(options.title);
    if (json) out.line(JSON.stringify(widget));
    else await say(host, out, widget, folderOf(settings.viewerProject));
    if (!mine) return undefined;
    if (!json)
      out.line(
        out.paint("off", "  No viewer was running for this project, so this command runs one. Ctrl-C stops it."),
      );
    await Promise.race([mine.ended, aborted(signal)]);
    if (signal.aborted) return EXIT.interrupted;
    if (!json) out.line("  Another viewer has taken over the project. The page continues with that one.");
    return undefined;
  });

async function say(host: NodeJS.Process, out: Terminal, widget: Widget, folder: string): Promise<void> {
  const where = widget.workspace === null ? undefined : `in the workspace ${widget.workspace}`;
  const opening = where === undefined ? await openBrowser(host, widget.url) : "opened";
  const mark = out.paint("ok", SHAPES.ok);
  out.line(opening === "opened" ? `${mark} Opened ${where ?? "in the browser"}` : `${mark} Open this in a browser:`);
  out.line(`  ${out.paint("accent", widget.url)}`);
  out.line(`  Paste a screenshot there; its two files go to ${folder}`);
}

const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });
