import type { Refusal } from "../connect/refusal.ts";
import { badInput, CONNECT_EXIT, isRefusal } from "../connect/refusal.ts";
import { plain, plainLines } from "../pkg/words.ts";
import { SHAPES } from "../terminal.ts";
import { findTab, inFront } from "./find-tab.ts";
import type { PanelFlags } from "./options.ts";
import { readCode } from "./read-code.ts";
import { type Ground, withWorkspace } from "./with-workspace.ts";

type Host = NodeJS.Process;

/** Does something to one panel of a kind, then says what was done. */
const drive = (
  host: Host,
  named: string,
  kind: "webview" | "sandbox",
  options: PanelFlags,
  work: (ground: Ground, panelId: string) => Promise<string>,
): Promise<number> =>
  withWorkspace(host, options, async (ground) => {
    const tab = await findTab(ground.workspace, named, kind);
    if (isRefusal(tab)) return tab;
    const panelId = await inFront(ground.workspace, tab);
    const done = await work(ground, panelId);
    ground.answer({ panelId, tabId: tab.tabId }, () => ground.out.line(`${ground.out.paint("ok", SHAPES.ok)} ${done}`));
    return undefined;
  });

export const navigate = (host: Host, named: string, url: string, options: PanelFlags): Promise<number> =>
  drive(host, named, "webview", options, async ({ workspace }, panelId) => {
    const address = /^[a-z][a-z0-9+.-]*:/i.test(url) ? url : `https://${url}`;
    await workspace.navigate(panelId, address);
    return `Loads ${plain(address)}`;
  });

export const refresh = (host: Host, named: string, options: PanelFlags): Promise<number> =>
  drive(host, named, "webview", options, async ({ workspace }, panelId) => {
    await workspace.refresh(panelId);
    return "Reloaded.";
  });

export const setProxy = (host: Host, named: string, state: "on" | "off", options: PanelFlags): Promise<number> =>
  drive(host, named, "webview", options, async ({ workspace }, panelId) => {
    await workspace.setProxyEnabled(panelId, state === "on");
    return state === "on" ? "Loads through the proxy." : "Loads directly.";
  });

export const reset = (host: Host, named: string, options: PanelFlags): Promise<number> =>
  drive(host, named, "sandbox", options, async ({ workspace }, panelId) => {
    await workspace.reset(panelId);
    return "A new, empty sandbox.";
  });

export const setHeader = (host: Host, named: string, state: "show" | "hide", options: PanelFlags): Promise<number> =>
  withWorkspace(host, options, async ({ workspace, answer, out }) => {
    const tab = await findTab(workspace, named);
    if (isRefusal(tab)) return tab;
    if (tab.kind !== "webview" && tab.kind !== "sandbox") {
      return badInput("wrong-panel-type", `${plain(tab.name)} has no header.\nWeb views and sandboxes have one.`);
    }
    await workspace.setHeaderHidden(tab.kind, await inFront(workspace, tab), state === "hide");
    answer({ panelId: tab.panelId, hidden: state === "hide" }, () =>
      out.line(`${out.paint("ok", SHAPES.ok)} The header is ${state === "hide" ? "hidden" : "shown"}.`),
    );
    return undefined;
  });

/** What a web view shows now. */
export const show = (host: Host, named: string, options: PanelFlags): Promise<number> =>
  withWorkspace(host, options, async ({ workspace, answer, out }) => {
    const tab = await findTab(workspace, named, "webview");
    if (isRefusal(tab)) return tab;
    const report = await workspace.webview(await inFront(workspace, tab));
    answer(report, () => {
      out.line(`${plain(report.title ?? "No title")}  ${plain(report.url ?? "no address yet")}`);
      if (report.scroll) out.line(`  scrolled to ${report.scroll.y} of ${report.scroll.height} px`);
      if (report.fault) out.line(`  ${out.paint("danger", SHAPES.danger)} ${plain(report.fault)}`);
      if (!report.live) out.line(`  ${out.paint("off", SHAPES.off)} No browser shows it now.`);
    });
    return undefined;
  });

/** Prints the result alone, so that it can be piped on. What the code throws is exit code 1. */
export const evaluate = (
  host: Host,
  named: string,
  code: string | undefined,
  options: PanelFlags & { timeout?: number },
): Promise<number> =>
  withWorkspace(host, options, async ({ workspace, answer, out }): Promise<Refusal | number | undefined> => {
    const tab = await findTab(workspace, named, "sandbox");
    if (isRefusal(tab)) return tab;
    const text = await readCode(host, code);
    if (typeof text !== "string") return text;
    const panelId = await inFront(workspace, tab);
    const result = await workspace.eval(panelId, text, { timeoutMs: options.timeout });
    answer(result, () => {
      if (result.status === "queued") {
        out.line(`${out.paint("off", SHAPES.off)} Queued as ${result.id}: it runs when a browser opens the workspace.`);
        out.line(`  ${workspace.page}`);
        return;
      }
      for (const { level, text: line } of result.logs ?? []) {
        for (const part of plainLines(line)) host.stderr.write(`${level === "log" ? "" : `${level}: `}${part}\n`);
      }
      if (result.status === "error") {
        for (const line of plainLines(result.error)) host.stderr.write(`${line}\n`);
      } else if (result.result !== undefined) {
        out.line(typeof result.result === "string" ? result.result : JSON.stringify(result.result, undefined, 2));
      }
    });
    return result.status === "error" ? CONNECT_EXIT.failed : undefined;
  });
