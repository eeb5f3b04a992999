import { type EvalResult, PANELS_LIMITS, type WebviewReport } from "@backplane/contract/panels";
import { EXIT } from "@backplane/contract/problems";
import { readText } from "@backplane/kit/bounded-body";
import { isRefusal, type Refusal, refuse } from "../refusal.ts";
import type { Outcome } from "../run.ts";
import { SHAPES } from "../terminal.ts";
import { plain, plainLines } from "../text.ts";
import { findTab, inFront } from "./find-tab.ts";
import { type PanelFlags, type WorkspaceContext, withWorkspace } from "./with-workspace.ts";

type Host = NodeJS.Process;

/** Does something to one panel of this kind, and prints what was done. */
const drive = (
  host: Host,
  named: string,
  kind: "webview" | "sandbox",
  options: PanelFlags,
  work: (context: WorkspaceContext, panelId: string) => Promise<string>,
): Promise<number> =>
  withWorkspace(host, options, async (context) => {
    const { workspace, answer, out } = context;
    const tab = await findTab(workspace, named, kind);
    if (isRefusal(tab)) return tab;
    const panelId = await inFront(workspace, tab);
    const done = await work(context, panelId);
    answer({ panelId, tabId: tab.tabId }, () => out.line(`${out.paint("ok", SHAPES.ok)} ${done}`));
    return undefined;
  });

export const navigate = (host: Host, named: string, url: string, options: PanelFlags): Promise<number> =>
  drive(host, named, "webview", options, async ({ workspace }, panelId) => {
    const address = /^[a-z][a-z0-9+.-]*:/i.test(url) ? url : `https://${url}`;
    await workspace.navigate(panelId, address);
    return `Loading ${plain(address)}`;
  });

export const refresh = (host: Host, named: string, options: PanelFlags): Promise<number> =>
  drive(host, named, "webview", options, async ({ workspace }, panelId) => {
    await workspace.refresh(panelId);
    return "Reloaded.";
  });

export const setProxy = (host: Host, named: string, state: "on" | "off", options: PanelFlags): Promise<number> =>
  drive(host, named, "webview", options, async ({ workspace }, panelId) => {
    await workspace.setProxyEnabled(panelId, state === "on");
    return state === "on" ? "Pages load through the proxy." : "Pages load directly.";
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
      return refuse("wrong-panel-type", `${plain(tab.name)} has no header.`, "Web views and sandboxes have one.");
    }
    await workspace.setHeaderHidden(tab.kind, await inFront(workspace, tab), state === "hide");
    answer({ panelId: tab.panelId, hidden: state === "hide" }, () =>
      out.line(`${out.paint("ok", SHAPES.ok)} The header is ${state === "hide" ? "hidden" : "shown"}.`),
    );
    return undefined;
  });

/** What a web view shows now. */
export const show = (host: Host, named: string, options: PanelFlags): Promise<number> =>
  withWorkspace(host, options, async ({ workspace, answer, out, name }) => {
    const tab = await findTab(workspace, named, "webview");
    if (isRefusal(tab)) return tab;
    const report = await workspace.webview(await inFront(workspace, tab));
    answer(report, () => {
      out.line(shownLine(report));
      if (report.scroll) out.line(`  scrolled to ${report.scroll.y} of ${report.scroll.height} px`);
      if (report.fault) out.line(`  ${out.paint("danger", SHAPES.danger)} ${plain(report.fault)}`);
      if (!report.live) out.line(`  ${out.paint("off", SHAPES.off)} No browser shows it now.`);
      else if (report.url && !report.title && !report.proxyEnabled) {
        const where = options.workspace === undefined ? "" : ` --workspace ${plain(name)}`;
        out.line("  Browsers tell its title only through the proxy, which you turn on with:");
        out.hint(`  backplane panel proxy ${plain(tab.tabId)} on${where}`);
      }
    });
    return undefined;
  });

const shownLine = ({ title, url }: Pick<WebviewReport, "title" | "url">): string =>
  url
    ? [title, url]
        .filter((part) => part !== null)
        .map(plain)
        .join("  ")
    : "No address yet.";

/** Prints only the result, so that it can be piped. An error in the code is exit code 1. */
export const evaluate = (
  host: Host,
  named: string,
  code: string | undefined,
  options: PanelFlags & { timeout?: number },
): Promise<number> =>
  withWorkspace(host, options, async (context) => {
    const { workspace } = context;
    const tab = await findTab(workspace, named, "sandbox");
    if (isRefusal(tab)) return tab;
    const text = await readCode(host, code);
    if (typeof text !== "string") return text;
    const panelId = await inFront(workspace, tab);
    return printResult(host, context, options, await workspace.eval(panelId, text, { timeoutMs: options.timeout }));
  });

/** The result of code that was queued because no browser had the workspace open. */
export const evalResult = (host: Host, id: string, options: PanelFlags): Promise<number> =>
  withWorkspace(host, options, async (context) =>
    printResult(host, context, options, await context.workspace.evalResult(id)),
  );

function printResult(
  host: Host,
  { workspace, answer, out, name }: WorkspaceContext,
  options: PanelFlags,
  result: EvalResult,
): Outcome {
  answer(result, () => {
    if (result.status === "queued") {
      const id = plain(result.id);
      out.line(`${out.paint("off", SHAPES.off)} Queued as ${id}: it runs when a browser opens the workspace.`);
      out.line(`  ${workspace.page}`);
      const where = options.workspace === undefined ? "" : ` --workspace ${plain(name)}`;
      out.hint(`  Then print its result with: backplane panel eval-result ${id}${where}`);
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
  return result.status === "error" ? EXIT.failed : undefined;
}

/** The code, or with `-` or without any, the input. */
async function readCode(host: Pick<NodeJS.Process, "stdin">, given: string | undefined): Promise<string | Refusal> {
  if (given !== undefined && given !== "-") return given;
  if (host.stdin.isTTY) {
    return refuse("no-code", "There is no code.", "Give it as an argument, or pipe it in: … eval sandbox < code.js");
  }
  const { maxCodeBytes } = PANELS_LIMITS;
  const text = await readText(host.stdin, maxCodeBytes);
  return text ?? refuse("code-too-long", `The code is longer than ${maxCodeBytes} bytes.`);
}
