import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { productFiles } from "../size/product-files.ts";
import { isLongRun, someOf } from "../testing/long.ts";
import { type Expression, findExpressions } from "./find.ts";
import { findSlowText } from "./measure.ts";
import { isMeasured, writeMeasured } from "./measured.ts";

const root = join(import.meta.dirname, "../..");

/** Files whose expressions see only files of this repository. */
const READS_OUR_OWN_FILES: ReadonlySet<string> = new Set([
  "packages/cli/src/help.ts",
  "packages/cli/src/parts/part-help.ts",
  "packages/gateway/src/watchdog/page/page.ts",
  "packages/kit/src/http/api-docs.ts",
  "packages/kit/src/page/page.ts",
  "packages/kit/src/page/style-choice.ts",
  "packages/panels/src/webview/proxy/tracker.ts",
  "packages/viewer/src/page/assets.ts",
]);

/**
 * Files that make expressions inside functions, with what those look like. Empty: from a pattern of the contract, for a
 * file of ours, or from what an author wrote, which runs with a time limit or not at all.
 */
const MADE_AT_RUN_TIME: Readonly<Record<string, readonly Omit<Expression, "path">[]>> = {
  "packages/kicad/src/design-edits/find.ts": [
    { source: "SDA\\[1\\]", flags: "giu" },
    { source: "(?<![\\p{L}\\p{N}_])SDA(?![\\p{L}\\p{N}_])", flags: "gu" },
  ],
  "packages/panels/src/sandbox/frame/policies.ts": [],
  "packages/registry/src/manager/installing/keep-patterns.ts": [],
  "packages/registry/src/metadata/lint/keep-patterns.ts": [],
  "packages/registry/src/server/blobs/s3-calls.ts": [{ source: "<Key>([^<]*)</Key>", flags: "" }],
  "packages/sdk/src/sign-in/intent.ts": [{ source: "^[\\w.~-]{1,512}$", flags: "" }],
  "packages/viewer/src/client/events.ts": [{ source: "^data: (.*)$", flags: "m" }],
  "packages/viewer/src/mcp/resources.ts": [],
  "packages/viewer/src/page/browser/matches.js": [
    { source: "((?:dead|time)(?:[\\s-]+(?:dead|time))*)", flags: "iu" },
    { source: "((?:--a|-a|a-|a|-)(?:[\\s-]+(?:--a|-a|a-|a|-))*)", flags: "iu" },
  ],
  "packages/web/src/packages/highlight.ts": [{ source: "(usb|usb c)", flags: "iu" }],
};

test("every regular expression that sees input from outside takes linear time", async () => {
  const made = recordMadeExpressions();
  const files = productFiles(root).filter((path) => /\.(tsx?|m?js)$/.test(path));
  const expressions: Expression[] = [];
  for (const path of files) {
    const text = readFileSync(join(root, path), "utf8");
    if (READS_OUR_OWN_FILES.has(path)) continue;
    const found = findExpressions({ path, text });
    expressions.push(...found.expressions);
    if (!found.madeAtRunTime) continue;
    const known = MADE_AT_RUN_TIME[path];
    expressions.push(...(known ?? (await made.in(path))).map((expression) => ({ path, ...expression })));
  }
  expressions.push(...(await patternsOfSchemas()));
  made.stop();
  const bySource = Map.groupBy(expressions, ({ source, flags }) => `/${source}/${flags}`);
  const fresh = [...bySource].filter(([text]) => isLongRun || !isMeasured(text));
  const slow = fresh.flatMap(([text, [first, ...others]]) => {
    const found = first && findSlowText(first.source, first.flags);
    return found ? [{ text, paths: [first, ...others].map(({ path }) => path), ...found }] : [];
  });
  assert.ok(bySource.size > 300, `only ${bySource.size} expressions were found`);
  assert.deepEqual(slow, []);
  if (process.env.MEASURED === "write") writeMeasured([...bySource.keys()]);
});

/** Imports a file and returns the expressions that it makes while it loads. */
function recordMadeExpressions() {
  const Plain = globalThis.RegExp;
  let made: Omit<Expression, "path">[] = [];
  const Recording = new Proxy(Plain, {
    construct(target, [source, flags = ""]: [string, string?]) {
      made.push({ source: String(source), flags });
      return new target(source, flags);
    },
  });
  return {
    async in(path: string) {
      made = [];
      globalThis.RegExp = Recording;
      try {
        // The query makes it load again if another file has loaded it.
        await import(`${join(root, path)}?recorded`);
      } finally {
        globalThis.RegExp = Plain;
      }
      assert.notEqual(made.length, 0, `${path} makes an expression inside a function: add it to MADE_AT_RUN_TIME`);
      return made;
    },
    stop: () => {
      globalThis.RegExp = Plain;
    },
  };
}

/** The `pattern` of every schema of the contract. */
async function patternsOfSchemas(): Promise<Expression[]> {
  const found: Expression[] = [];
  const seen = new Set<unknown>();
  const look = (path: string, value: unknown): void => {
    if (typeof value === "string" && value.startsWith("^")) found.push({ path, source: value, flags: "u" });
    if (typeof value !== "object" || value === null || seen.has(value)) return;
    seen.add(value);
    for (const inner of Object.values(value)) look(path, inner);
  };
  for (const path of globSync("packages/contract/src/**/*.ts", { cwd: root })) {
    if (!path.endsWith(".test.ts")) look(path, await import(join(root, path)));
  }
  return found;
}

test("expressions that take quadratic, cubic or exponential time are found, with a text that shows it", () => {
  const slow = [
    ["-+$"],
    ["(a+)+$"],
    ["(a|aa)+$"],
    ["<meta[^>]+charset", "i"],
    ["^(\\s*[\\d.]*\\s*[;,]?\\s*(?:url\\s*=\\s*)?)(['\"]?)(.*?)\\2\\s*$", "is"],
    ["^import [^;]*;$", "gm"],
    ["<Contents>([\\s\\S]*?)</Contents>", "g"],
    ["\\b[a-z][a-z0-9+.-]*:\\/\\/", "i"],
    ["^(https?:\\/\\/[^\\s/?#]+|file:\\/\\/([A-Za-z]:|\\/))[^\\s?#]*$"],
  ] as const;
  for (const [source, flags = ""] of someOf(slow, 3, 1)) assert.ok(findSlowText(source, flags), source);
});

test("expressions that take linear time pass, also those with limited repetitions that can start anywhere", () => {
  for (const [source, flags = ""] of [
    ["(?<!-)-+$"],
    ["^[a-z]+(-[a-z]+)*$"],
    ["^\\s*\\d+\\s*$"],
    ['\\b(a|b)=(?:"[^"\\n]*"|[^\\s&]+)', "gi"],
    ["(\\b[a-z][a-z0-9+.-]{0,31}:\\/\\/[^\\s/:@\"']{0,256}):[^\\s/\"']{0,512}@", "gi"],
    ["\\p{Script=Han}|[[\\p{L}\\p{N}]--\\p{Script=Han}]+", "gv"],
  ] as const) {
    assert.equal(findSlowText(source, flags), undefined, source);
  }
});
