import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { type FrameBounds, GUARD_NAME, PANELS_LIMITS } from "@backplane/contract/panels";
import { createRunner } from "./create-runner.ts";
import { createThreadGuard } from "./guard-thread.ts";
import { createErrorText, createInspect, createListings, createSpecialText } from "./inspect-value.ts";
import { createNatives } from "./natives.ts";
import { startOuter } from "./outer-frame.ts";
import { createConsole } from "./patch-console.ts";
import { createPlot, drawPlot, plotScales, plotShape, plotStep, readPlotSeries, thinPlotPoints } from "./plot.ts";
import { createRasterise } from "./rasterise.ts";
import { createDeclare, createRunCode } from "./run-code.ts";
import { startFrame } from "./start-frame.ts";
import { createValueToJson } from "./value-to-json.ts";

export const FRAME_BOUNDS: FrameBounds = {
  maxLogs: PANELS_LIMITS.maxLogs,
  maxLogsPerSecond: 100,
  maxLogLength: 4_000,
  // Leaves room for the logs and the fields around them.
  maxResultBytes: (PANELS_LIMITS.maxResultBytes * 3) / 4,
  maxErrorLength: 8_000,
  waitingAfterMs: 20,
};

/**
 * The functions that run in the frame. They are sent as text, so each uses nothing but its parameters and the others of
 * this list. Node replaces types by blanks: the text of a function is JavaScript.
 */
export const RUNNER_FUNCTIONS: readonly { name: string }[] = [
  ...[createNatives, createErrorText, createListings, createSpecialText, createInspect, createValueToJson],
  ...[createDeclare, createThreadGuard, createRunCode, createConsole, createRunner],
];
const FRAME_FUNCTIONS = [
  ...[...RUNNER_FUNCTIONS, createRasterise],
  ...[readPlotSeries, plotStep, thinPlotPoints, plotScales, plotShape, drawPlot, createPlot, startFrame],
];

export const declarations = (functions: readonly { name: string }[]): string =>
  functions.map((each) => `const ${each.name}=${each};`).join("\n");

export const page = (body: string): string =>
  `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="color-scheme" content="light dark">${body}`;

/**
 * Contains no `</script`, whatever the code is. Strict mode, as in the modules the functions come from: code that they
 * call cannot inspect its callers.
 */
export const script = (code: string): string => `<script>"use strict";${code.replaceAll("</", "<\\/")}</script>`;

/** Empty except for our own script, which removes itself: the rest belongs to the code that runs in it. */
export const runDocument = (): string =>
  page(
    `<title>Sandbox</title>${script(
      `{${declarations(FRAME_FUNCTIONS)}` +
        `startFrame(window,${JSON.stringify(FRAME_BOUNDS)},"${GUARD_NAME}",new URL("/snapdom.mjs",location.href).href);` +
        "document.currentScript.remove()}",
    )}</head><body></body></html>`,
  );

/** `title`: what the frame is for, to people who hear it read. */
export const outerDocument = (title = "Sandbox", run = "/run"): string =>
  page(
    `<title>${title}</title><style>html,body{margin:0;height:100%;overflow:hidden}iframe{display:block;width:100%;height:100%;border:0}</style></head>` +
      `<body><iframe sandbox="allow-scripts" referrerpolicy="no-referrer" title="${title}"></iframe>` +
      `${script(`(${startOuter})(window,document.querySelector("iframe"),${JSON.stringify(run)})`)}</body></html>`,
  );

/** It warns about how it draws, which is nothing that the code in the frame did: its own console is silent. */
const SILENT_CONSOLE = "const console={error(){},warn(){}};\n";

export const snapdomModule = async (): Promise<Buffer> =>
  Buffer.concat([Buffer.from(SILENT_CONSOLE), await readFile(fileURLToPath(import.meta.resolve("@zumer/snapdom")))]);
