import type { Widget } from "@backplane/viewer";
import { findViewer } from "@backplane/viewer";
import { openBrowser } from "../connect/open-browser.ts";
import { CONNECT_EXIT, isRefusal, tell } from "../connect/refusal.ts";
import { toldToStop } from "../connect/told-to-stop.ts";
import { openTerminal, SHAPES, type Terminal } from "../terminal.ts";
import { serveOwnViewer } from "./own-viewer.ts";
import { type ViewerFlags, viewerSettings } from "./settings.ts";
import { telling } from "./with-viewer.ts";

type OpenFlags = ViewerFlags & { title?: string };

/** Shows the page. Where no viewer runs for the project this command is one, until Ctrl-C. */
export async function open(host: NodeJS.Process, options: OpenFlags): Promise<number> {
  const json = options.json === true;
  const settings = viewerSettings(host, options);
  if (isRefusal(settings)) return tell(host, json, settings);
  const out = openTerminal(host.stdout);
  using told = toldToStop(host);
  const result = await telling(async () => {
    const running = await findViewer(settings.viewerProject, fetch);
    await using mine = running ? undefined : await serveOwnViewer(host, settings);
    const access = running?.access ?? mine?.access;
    if (access === undefined) throw new Error("Neither found nor made a viewer.");
    const widget = await access.openWidget(options.title);
    if (json) out.line(JSON.stringify(widget));
    else await say(host, out, widget);
    if (!mine) return CONNECT_EXIT.ok;
    if (!json) out.line(out.paint("off", "  No viewer was running for this project, so this is one. Ctrl-C stops it."));
    await Promise.race([mine.ended, aborted(told.signal)]);
    if (told.signal.aborted) return told.exitCode();
    if (!json) out.line("  Another viewer has taken the project over. The page goes on with that one.");
    return CONNECT_EXIT.ok;
  });
  return typeof result === "number" ? result : tell(host, json, result);
}

async function say(host: NodeJS.Process, out: Terminal, widget: Widget): Promise<void> {
  const where = widget.workspace === null ? undefined : `in the workspace ${widget.workspace}`;
  const opening = where === undefined ? await openBrowser(host, widget.url) : "opened";
  const mark = out.paint("ok", SHAPES.ok);
  out.line(opening === "opened" ? `${mark} Opened ${where ?? "in the browser"}` : `${mark} Open this in a browser:`);
  out.line(`  ${out.paint("accent", widget.url)}`);
  out.line(`  Paste a screenshot there; its two files go to ${widget.folder}`);
}

const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });
