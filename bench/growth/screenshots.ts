import { linkSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createHttpAccess } from "../../packages/viewer/src/client/http-access.ts";
import { nameOfFile, newId } from "../../packages/viewer/src/pastes/storage/file-names.ts";
import { makePastesFolder } from "../../packages/viewer/src/pastes/storage/folder.ts";
import type { PasteRecord } from "../../packages/viewer/src/pastes/storage/record.ts";
import { readServerFile } from "../../packages/viewer/src/pastes/storage/server-file.ts";
import { cpuSeconds } from "../harness/cpu-seconds.ts";
import { BenchFault } from "../harness/fault.ts";
import { memoryBytes } from "../harness/memory.ts";
import { startServer } from "../harness/server.ts";
import { callTool } from "../viewer/mcp-calls.ts";
import { drawScreenshot, viewerOf } from "../viewer/mcp-case.ts";
import { cpuPerCall } from "./cpu-per-call.ts";
import { growthCase } from "./growth.ts";

const SIZES = [10, 100, 1_000, 5_000, 20_000];
const SIZE = { width: 600, height: 200 } as const;
const SUBJECTS = ["motor", "driver", "board", "login", "settings", "plot", "error", "schematic"];
const READY_WITHIN_MS = 120_000;

const COSTS = {
  "until it is ready": { unit: "s of CPU", bar: "linear" },
  "list the newest 20": { unit: "ms of CPU", bar: "flat" },
  "search by name": { unit: "ms of CPU", bar: "flat" },
  "search by text": { unit: "ms of CPU", bar: "linear" },
  "paste, until it is saved": { unit: "ms of CPU", bar: "flat" },
  "newest one over MCP": { unit: "ms of CPU", bar: "flat" },
  memory: { unit: "MB", bar: "linear" },
} as const;

export const screenshots = growthCase({
  ...{ name: "screenshots", title: "Screenshots of a project", things: "screenshots", sizes: SIZES, costs: COSTS },
  measure,
  filled:
    "Records and files as the viewer writes them; all files are links to one picture. A search looks at the newest 10,000.",
});

async function measure(size: number) {
  await using stack = new AsyncDisposableStack();
  const project = mkdtempSync(join(tmpdir(), "backplane-growth-"));
  stack.defer(() => rmSync(project, { recursive: true, force: true }));
  const picture = await drawScreenshot();
  await fill(project, size, picture);
  const server = stack.use(await startServer({ ...viewerOf(project), readyWithinMs: READY_WITHIN_MS }));
  const readyS = cpuSeconds(server.pids());
  const found = await readServerFile(project);
  if (found === undefined) throw new BenchFault("The viewer did not say where it is.");
  const access = createHttpAccess({ ...found, project, fetch });
  const mcp = stack.use(callTool(server.url, "av_screenshot_latest", {}));
  const [listed] = (await access.list(1)).pastes;
  if (listed === undefined) throw new BenchFault("The viewer lists no screenshots.");
  return {
    "until it is ready": [readyS],
    "list the newest 20": await cpuPerCall(server, () => access.list(20)),
    "search by name": await cpuPerCall(server, () => access.search("motor", 1)),
    "search by text": await cpuPerCall(server, () => access.search("unheard", 20), { calls: 3, warmUp: 5 }),
    "newest one over MCP": await cpuPerCall(server, () => mcp.call()),
    memory: [memoryBytes(server.pids()) / 1e6],
    // Last: the names of these are read from the pictures for a while afterwards.
    "paste, until it is saved": await cpuPerCall(server, () => access.paste(picture, undefined), {
      calls: 2,
      warmUp: 2,
    }),
  };
}

async function fill(project: string, count: number, picture: Buffer): Promise<void> {
  const folder = await makePastesFolder(project);
  const source = join(project, "picture.png");
  writeFileSync(source, picture);
  const { ino, size: bytes } = statSync(source, { bigint: true });
  const facts = { ...SIZE, bytes: Number(bytes), inode: String(ino) };
  const [firstMs, random] = [Date.now() - count * 1_000, (length: number) => new Uint8Array(length)];
  for (let at = 0; at < count; at += 1) {
    const receivedAtMs = firstMs + at * 1_000;
    const subject = SUBJECTS[at % SUBJECTS.length] ?? "";
    const record: PasteRecord = {
      ...{ version: 1, id: newId(receivedAtMs, random), name: `${subject}-${at}`, base: `${subject}-${at}` },
      ...{ namedBy: "text", status: "named", suggestions: [], text: `Text of the picture ${at} with a ${subject}` },
      ...{ optimized: facts, original: facts, pasted: { type: "image/png", bytes: Number(bytes) } },
      ...{ receivedAtMs, namedAfterMs: 500, title: null, instance: null, isSqueezed: true },
    };
    writeFileSync(join(folder.records, `${record.id}.json`), JSON.stringify(record));
    for (const file of ["optimized", "original"] as const)
      linkSync(source, join(folder.pairs, nameOfFile(record, file)));
  }
}
