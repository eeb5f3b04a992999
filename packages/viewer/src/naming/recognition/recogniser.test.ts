import assert from "node:assert/strict";
import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import sharp from "sharp";
import { suggestNames } from "../names/suggest-names.ts";
import { type Engine, startEngine } from "./engine.ts";
import { openRecogniser } from "./recogniser.ts";

let folder: string;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), "recogniser-"));
});
after(async () => {
  await recogniser.close();
  await rm(folder, { recursive: true, force: true });
});

const started: Engine[] = [];
/** Shared, because starting an engine takes longer than reading a picture. On a busy machine too, both keep running. */
const recogniser = openRecogniser({
  start: async (timeoutMs) => {
    const engine = await startEngine(timeoutMs);
    started.push(engine);
    return engine;
  },
  engines: 2,
  limits: { idleMs: 3_600_000 },
});

type Written = { text: string; y: number; size?: number; colour?: string };
type Picture = { width: number; height: number; background: string; under?: string; written: Written[] };

async function draw(name: string, { width, height, background, under = "", written }: Picture): Promise<string> {
  const texts = written.map(
    ({ text, y, size = 18, colour = "#111" }) =>
      `<text x="40" y="${y}" font-family="DejaVu Sans, sans-serif" font-size="${size}" fill="${colour}">${text}</text>`,
  );
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}"><rect width="100%" height="100%" fill="${background}"/>${under}${texts.join("")}</svg>`;
  const path = join(folder, name);
  await sharp(Buffer.from(svg)).png().toFile(path);
  return path;
}

const MESSAGE = [
  { text: "Firmware update failed", y: 50, size: 26 },
  { text: "The motor controller did not answer", y: 100 },
];

test("Two engines read a large picture completely and in order, and nothing is written to the working folder", async () => {
  const before = await readdir(process.cwd());
  const names = [
    "north",
    "south",
    "east",
    "west",
    "centre",
    "harbour",
    "airport",
    "station",
    "market",
    "quarry",
    "bridge",
    "castle",
  ];
  // Large letters: a picture counts by its edges, and takes time by its characters.
  const written = names.map((name, at) => ({ text: `The ${name} depot`, y: 60 + at * 60, size: 48 }));
  const path = await draw("large.png", { width: 1000, height: 800, background: "#fff", written });
  const { text, lines } = await recogniser.recognise(path);
  for (const name of names) assert.match(text, new RegExp(name));
  assert.deepEqual(
    lines.map(({ y }) => y),
    lines.map(({ y }) => y).sort((one, other) => one - other),
  );
  assert.equal(started.length, 2);
  assert.deepEqual(await readdir(process.cwd()), before);
});

test("A title that is most of the text is read whole, even if two engines are ready", async () => {
  assert.equal(started.length, 2, "the test before has started both");
  const written = [
    { text: "Reflow Oven Controller - Thermal Run Rev C", y: 120, size: 48 },
    { text: "Log file: oven_2026.csv   Operator: Kim", y: 1160, size: 16 },
  ];
  const path = await draw("title.png", { width: 2000, height: 1200, background: "#fff", written });
  const recognised = await recogniser.recognise(path);
  assert.match(recognised.text, /Reflow Oven Controller/);
  assert.equal(suggestNames(recognised)[0], "reflow-oven-controller-thermal-run-rev-c");
});

test("Text is read from light and dark pictures, and from a dark dialog on a light page", async () => {
  const size = { width: 560, height: 160 };
  const light = await draw("light.png", { ...size, background: "#fff", written: MESSAGE });
  const white = MESSAGE.map((one) => ({ ...one, colour: "#eee" }));
  const dark = await draw("dark.png", { ...size, background: "#1e1e1e", written: white });
  const page = { width: 1000, height: 500, background: "#fafafa" };
  const under = '<rect x="20" y="10" width="560" height="140" fill="#202124"/>';
  const below = [...white, { text: "Customer accounts of this month", y: 400 }];
  const mixed = await draw("mixed.png", { ...page, under, written: below });
  const headings = [];
  for (const path of [light, dark, mixed]) {
    const recognised = await recogniser.recognise(path);
    assert.match(recognised.text, /Firmware update failed/);
    assert.match(recognised.text, /motor controller/);
    assert.match(suggestNames(recognised)[0] ?? "", /firmware-update-failed/);
    headings.push(recognised.lines[0]);
  }
  const [heading] = headings;
  assert.ok(heading !== undefined && heading.x > 25 && heading.x < 55 && heading.y > 15 && heading.y < 50);
});

test("A secret next to its label in a form is not in the text", async () => {
  const under =
    '<g font-family="DejaVu Sans, sans-serif" font-size="18"><text x="420" y="100">workshop</text><text x="420" y="140">copper kettle</text></g>';
  const written = [
    { text: "Wireless network setup", y: 40, size: 24 },
    { text: "Network", y: 100 },
    { text: "Password", y: 140 },
  ];
  const path = await draw("form.png", { width: 700, height: 200, background: "#fff", under, written });
  const recognised = await recogniser.recognise(path);
  assert.match(recognised.text, /workshop/);
  assert.doesNotMatch(recognised.text, /kettle/);
  for (const name of suggestNames(recognised)) assert.doesNotMatch(name, /kettle|copper/);
});

test("A file that is not a picture, or has no text, gives no text, and the next one is read", async () => {
  const broken = join(folder, "broken.png");
  await writeFile(broken, "not a picture");
  const blank = await draw("blank.png", { width: 300, height: 200, background: "#336", written: [] });
  const tiny = await draw("tiny.png", { width: 1, height: 1, background: "#fff", written: [] });
  for (const path of [broken, blank, tiny, join(folder, "absent.png")]) {
    assert.deepEqual(await recogniser.recognise(path), { lines: [], text: "" });
  }
});

test("An engine that hangs or fails is replaced, and the next picture is read", async () => {
  const faults: unknown[] = [];
  const ended: number[] = [];
  let starts = 0;
  const start = async (): Promise<Engine> => {
    const mine = ++starts;
    return {
      recognise: async () => {
        if (mine === 1) throw new Error("crashed");
        const bbox = { x0: 0, y0: 0, x1: 40, y1: 12 };
        return [
          {
            paragraphs: [{ lines: [{ words: [{ text: "Ready", confidence: 90, bbox }], bbox }] }],
          },
        ];
      },
      hasEnded: false,
      end: async () => void ended.push(mine),
    };
  };
  const recogniser = openRecogniser({
    start,
    engines: 1,
    limits: { imagesPerEngine: 2 },
    log: (fault) => faults.push(fault),
  });
  const path = await draw("any.png", {
    width: 200,
    height: 80,
    background: "#fff",
    written: [{ text: "Ready", y: 50 }],
  });
  assert.equal((await recogniser.recognise(path)).text, "");
  assert.deepEqual([faults.length, ended], [1, [1]]);
  assert.equal((await recogniser.recognise(path)).text, "Ready");
  assert.equal((await recogniser.recognise(path)).text, "Ready");
  assert.deepEqual(ended, [1, 2], "its memory only grows: it is replaced after so many pictures");
  await recogniser.close();
  await assert.rejects(recogniser.recognise(path), /closed/);
});

test("A real engine rejects a file that it cannot read and keeps working; one that takes too long is ended, and the error says so", async () => {
  // The last test: it ends an engine that the tests before have used.
  const engine = started.pop() ?? (await startEngine(30_000));
  await assert.rejects(engine.recognise(new TextEncoder().encode("P5\nnonsense"), 10_000), /could not recognize/);
  assert.equal(engine.hasEnded, false);
  const file = new TextEncoder().encode(`P5\n900 900\n255\n${"a".repeat(810_000)}`);
  await assert.rejects(engine.recognise(file, 0), /took more than 0 ms/);
  assert.equal(engine.hasEnded, true);
  await assert.rejects(engine.recognise(new Uint8Array(4), 5_000), /ended/);
  await engine.end();
});
