import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pictureWithoutText } from "./viewer.ts";

/** Writes screenshots into a project, as if a viewer had saved and named them long ago. */
export async function writeOldScreenshots(project: string, count: number): Promise<void> {
  const folder = join(project, "screenshots", "sp");
  const records = join(folder, ".pastes");
  mkdirSync(records, { recursive: true });
  const [width, height] = [64, 40];
  const png = await pictureWithoutText("#27c", width, height);
  const file = { width, height, bytes: png.length, inode: "1" };
  for (let number = 1; number <= count; number += 1) {
    const name = `old-${String(number).padStart(2, "0")}`;
    const receivedAtMs = Date.UTC(2020, 0, 1, 0, number);
    const id = `20200101-${String(number).padStart(4, "0")}00-000-aaaaaa`;
    const pair = [".png", "-original.png"].map((ending) => `${name}-${width}x${height}${ending}`);
    for (const path of pair) writeFileSync(join(folder, path), png);
    const record = {
      ...{ version: 1, id, name, base: name, namedBy: "text", status: "named", suggestions: [name], text: name },
      ...{ optimized: file, original: file, pasted: { type: "image/png", bytes: png.length }, receivedAtMs },
      ...{ namedAfterMs: 0, title: null, instance: null, isSqueezed: true },
    };
    writeFileSync(join(records, `${id}.json`), JSON.stringify(record));
  }
}
