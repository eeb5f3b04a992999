import assert from "node:assert/strict";
import { test } from "node:test";
import { NAME_PATTERN, VIEWER_LIMITS } from "@backplane/contract/viewer";
import fc from "fast-check";
import type { Line } from "../recognition/recognised-lines.ts";
import { suggestNames } from "./suggest-names.ts";

const PATTERN = new RegExp(NAME_PATTERN);
type Written = string | [text: string, height: number];

function page(...written: Written[]) {
  const lines = written.map((one, at): Line => {
    const [text, height] = typeof one === "string" ? [one, 14] : one;
    return { text, height, x: 20, y: 20 + at * 30, width: text.length * 8, confidence: 92 };
  });
  return { lines, text: lines.map(({ text }) => text).join("\n") };
}

/** The text, and words that the first name must or must not have. */
const FIRST_NAMES: { read: Written[]; has: string[]; hasNot?: string[] }[] = [
  {
    read: [["Delete branch", 16], "Do you want to delete the branch login-form?", "OK Cancel"],
    has: ["delete", "branch"],
    hasNot: ["cancel", "ok"],
  },
  {
    read: ["File Edit View Help", ["Quarterly sales overview", 28], "Region Orders Revenue"],
    has: ["quarterly", "sales"],
    hasNot: ["file", "help"],
  },
  {
    read: ["$ docker build -t api .", "sending context", "ERROR: failed to solve: process did not complete"],
    has: ["failed"],
  },
  { read: ["ModuleNotFoundError: No module named pandas"], has: ["module", "pandas"] },
  { read: [["Upload failed", 20], "The board on COM7 did not answer"], has: ["upload", "failed"] },
  { read: [["404", 80], ["Page not found", 30], "It was moved"], has: ["page", "found"], hasNot: ["404"] },
  {
    read: ["Title: Buck regulator 3.3V", "Rev: B Date: 2026-03-14", "R7 C4 100nF"],
    has: ["buck", "regulator", "3v3"],
    hasNot: ["2026", "100nf", "r7"],
  },
  { read: [["STM32F4 bootloader", 22], "USB device ready"], has: ["stm32f4", "bootloader"] },
  {
    read: ["cart-discount.ts - shop - Some Editor", "export function applyDiscount(cart: Cart)"],
    has: ["cart", "discount"],
    hasNot: ["editor"],
  },
  {
    read: ["2026-03-14T09:52:40Z ERROR indexer checkpoint corrupted", "took 14ms id=9f86d081"],
    has: ["checkpoint", "corrupted"],
    hasNot: ["14ms", "9f86d081", "2026"],
  },
  { read: [["Motor drivers and motor driver boards", 18]], has: ["motor", "boards"], hasNot: ["driver-boards-driver"] },
  { read: ["Café menü prüfen"], has: ["cafe", "prufen"] },
];

test("The first suggestion uses words of headings, titles and errors", () => {
  for (const { read, has, hasNot = [] } of FIRST_NAMES) {
    const [name = ""] = suggestNames(page(...read));
    const words = name.split("-");
    for (const word of has) assert.ok(words.includes(word), `${word} in ${name}`);
    for (const word of hasNot) assert.ok(!words.includes(word), `${word} not in ${name}`);
  }
});

/** What the engine read in the curves of real plots, with its confidence. */
const CURVES: [text: string, confidence: number][] = [
  ["AMY", 47],
  ["rare", 41],
  ["VV", 43],
  ["NTN", 48],
  ["NTN", 90],
];

test("Curves of a plot that look like letters are not a name", () => {
  for (const [text, confidence] of CURVES) {
    const { lines } = page("0.5", text);
    const read = { lines: lines.map((line) => ({ ...line, confidence })), text };
    assert.deepEqual(suggestNames(read), [], `${text} ${confidence}`);
  }
});

test("Unclear text is a name if it has several words", () => {
  const { lines, text } = page("Reflow oven profile");
  const unclear = lines.map((line) => ({ ...line, confidence: 55 }));
  assert.equal(suggestNames({ lines: unclear, text })[0], "reflow-oven-profile");
});

test("No word is in a name twice, not even as a plural", () => {
  const [name = ""] = suggestNames(page(["Sensor and sensors", 20], "Sensors report", "Calibration of a sensor"));
  assert.equal(name.split("-").filter((word) => word.startsWith("sensor")).length, 1);
});

test("At most three names are suggested, and each is different", () => {
  const names = suggestNames(
    page(
      ["Battery pack temperature", 26],
      "Charging current exceeds the configured limit",
      "Firmware update available for controller",
      "Network gateway disconnected since morning",
      "Battery pack temperature rising",
    ),
  );
  assert.equal(names.length, 3);
  assert.equal(new Set(names).size, 3);
  assert.deepEqual(suggestNames(page("Firmware update available"), { max: 1 }).length, 1);
});

/** A title, a footer far below it, and the first suggestion. */
const TITLED: [title: string, name: string][] = [
  ["Reflow Oven Controller - Thermal Run Rev C", "reflow-oven-controller-thermal-run-rev-c"],
  ["Gearbox Endurance — Noise Survey", "gearbox-endurance-noise-survey"],
  ["Harbour crane | hoist brake inspection", "harbour-crane-hoist-brake-inspection"],
  ["Quarterly report: pump maintenance", "quarterly-report-pump-maintenance"],
  ["Tidal turbine blade fatigue", "tidal-turbine-blade-fatigue"],
];

test("The whole title is the first suggestion, and small print in the footer is in none", () => {
  for (const [title, expected] of TITLED) {
    const at = (text: string, y: number, height: number): Line => ({
      text,
      height,
      x: 80,
      y,
      width: 600,
      confidence: 92,
    });
    const foot = [at("Log file: oven_2026.csv", 1_120, 16), at("Operator: Kim Larsen", 1_148, 16)];
    const names = suggestNames({ lines: [at(title, 80, 48), ...foot], text: "" });
    assert.equal(names[0], expected);
    assert.equal(names.length, 3, names.join(" "));
    assert.equal(new Set(names).size, 3);
    for (const name of names) assert.doesNotMatch(name, /kim|larsen|operator|log/);
  }
});

test("Text right below a title is not small print", () => {
  const names = suggestNames(page(["Winch cable inspection", 40], "Strands broken near the drum"));
  assert.deepEqual(names.slice(0, 2), ["winch-cable-inspection", "strands-broken-drum"]);
  assert.equal(names.length, 3);
});

test("A few lines give three names, a few words only one", () => {
  const few = suggestNames(page(["Unsaved changes", 16], "Save changes to gripper firmware", "Cancel Discard"));
  assert.equal(few.length, 3, few.join(" "));
  assert.equal(new Set(few).size, 3);
  assert.deepEqual(suggestNames(page("Firmware update available")), ["firmware-update-available"]);
});

test("Text that the engine only guessed is not used", () => {
  const { lines, text } = page(["Bus transceiver", 30], "zomi smuae joere", "Termination resistor");
  const guessed = lines.map((line, at) => (at === 1 ? { ...line, confidence: 45 } : line));
  for (const name of suggestNames({ lines: guessed, text })) assert.doesNotMatch(name, /zomi|smuae|joere/);
});

test("A picture without words has no name", () => {
  for (const read of ["", "12:45", "2026-03-14", "100 200 300", "— | ~", "0x1f 9f86d081884c7d65", "日本語"]) {
    assert.deepEqual(suggestNames(page(read)), [], read);
  }
  assert.deepEqual(suggestNames({ lines: [], text: "" }), []);
});

test("Whatever is read, a name is kebab-case, has at most 60 characters and does not look like a first name", () => {
  const text = fc.oneof(fc.string({ unit: "binary", maxLength: 200 }), fc.lorem(), fc.string({ maxLength: 90 }));
  const height = fc.double({ min: 0, max: 400, noNaN: true });
  fc.assert(
    fc.property(fc.array(fc.tuple(text, height), { maxLength: 12 }), (written) => {
      const names = suggestNames(page(...written));
      assert.ok(names.length <= VIEWER_LIMITS.suggestions);
      for (const name of names) {
        assert.match(name, PATTERN);
        assert.ok(name.length <= VIEWER_LIMITS.maxNameCharacters);
        assert.doesNotMatch(name, /^sp-\d/);
      }
    }),
  );
});

test("A page with the maximum number of lines is named quickly", () => {
  const lines = Array.from({ length: 2_000 }, (_, at) => `worker ${at} ${"a1-b2=c3:".repeat(100)}`);
  const began = process.cpuUsage();
  suggestNames(page(...lines));
  // CPU time, so that other load does not matter.
  assert.ok(process.cpuUsage(began).user < 5_000_000);
});
