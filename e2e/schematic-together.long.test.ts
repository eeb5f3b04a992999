// Two browsers and a program change one sheet at random, for a minute. Every value that somebody types is one of a kind and
// remembers which value it replaced, so that the end shows whether anything was overwritten unseen.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { drawSheet, toSvg } from "@backplane/kicad/drawing";
import { itemsOf, readDesign, referenceOf } from "@backplane/kicad/schematic";
import type { Browser } from "playwright-core";
import { slotOf } from "./panels/bench.ts";
import { openBrowser, type Visit } from "./support/browser.ts";
import { until } from "./support/processes.ts";
import { SchematicPage } from "./support/schematic-page.ts";
import { driverOf, openPage, startWorkspaces, type Workspaces } from "./support/workspaces.ts";

const REPO = "together";
const FILE = "example.kicad_sch";
const LASTS_MS = 60_000;
const PARTS = ["R1", "D1", "SW1", "J1"];
const ARROWS = ["ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown"];

let browser: Browser;
let workspaces: Workspaces;
const visits: Visit[] = [];

before(async () => {
  browser = await openBrowser();
  workspaces = await startWorkspaces("one instance, embedded");
});
after(async () => {
  for (const seen of visits) await seen[Symbol.asyncDispose]();
  await browser?.close();
  await workspaces?.[Symbol.asyncDispose]();
});

const driver = () => driverOf(workspaces, workspaces.pages, REPO);
const pick = <Thing>(things: readonly Thing[]): Thing =>
  things[Math.floor(Math.random() * things.length)] ?? assert.fail("nothing to pick from");

/** What everybody did. */
class Record {
  /** Which values somebody had seen when a value was written over them. */
  readonly saw = new Map<string, Set<string>>();
  /** Values that were on the server at some time. */
  readonly stored = new Set<string>();
  /** Values that somebody gave up when the page showed both. */
  readonly givenUp = new Set<string>();
  readonly labels = new Map<string, "there" | "removed">();
  conflicts = 0;
  done = 0;
  refused = 0;
  #count = 0;

  token(who: string): string {
    this.#count += 1;
    return `${who}${String(this.#count).padStart(5, "0")}`;
  }

  replaced(value: string, seen: string): void {
    this.saw.set(value, (this.saw.get(value) ?? new Set()).add(seen));
  }

  /** A value and all that were seen before it. */
  historyOf(values: Iterable<string>): Set<string> {
    const history = new Set<string>();
    const waiting = [...values];
    for (let value = waiting.pop(); value !== undefined; value = waiting.pop()) {
      if (history.has(value)) continue;
      history.add(value);
      waiting.push(...(this.saw.get(value) ?? []));
    }
    return history;
  }
}

const isToken = (value: string): boolean => /^[abp]\d{5}$/.test(value);

/** One person in a browser. */
class Person {
  readonly name: string;
  readonly editor: SchematicPage;
  readonly #record: Record;

  constructor(name: string, editor: SchematicPage, record: Record) {
    this.name = name;
    this.editor = editor;
    this.#record = record;
  }

  async act(): Promise<void> {
    await this.decide();
    const own = [...this.#record.labels].filter(([label, state]) => state === "there" && label[0] === this.name);
    const acts = [
      () => this.#setValue(pick(PARTS)),
      () => this.#setValue(pick(PARTS)),
      () => this.#addLabel(),
      () => this.#move(pick(PARTS)),
      () => this.save(),
      ...(own.length > 2 ? [() => this.#removeLabel(pick(own)[0])] : []),
    ];
    await pick(acts)();
    this.#record.done += 1;
  }

  async #setValue(part: string): Promise<void> {
    if (!(await this.editor.choose(part))) return;
    const token = this.#record.token(this.name);
    const field = this.editor.slot.getByRole("textbox", { name: "Value" });
    // Read and typed in one step, so that nobody can come between.
    const seen = await field.evaluate((input: HTMLInputElement, text) => {
      const before = input.value;
      input.focus();
      Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value")?.set?.call(input, text);
      input.dispatchEvent(new Event("input", { bubbles: true }));
      return before;
    }, token);
    this.#record.replaced(token, seen);
    const note = this.editor.slot.locator(".schematic-meanwhile");
    await field.press("Enter");
    if ((await note.count()) === 0) return;
    this.#record.conflicts += 1;
    this.#record.givenUp.add(token);
    await field.press("Escape");
  }

  async #addLabel(): Promise<void> {
    const label = this.#record.token(this.name);
    await this.editor.press("Escape", "l");
    await this.editor.page.keyboard.type(label);
    await this.editor.page.keyboard.press("Enter");
    for (let step = 0; step < 3; step += 1) await this.editor.press(pick(ARROWS), `Shift+${pick(ARROWS)}`);
    await this.editor.press("Enter", "Escape");
    this.#record.labels.set(label, "there");
  }

  async #removeLabel(label: string): Promise<void> {
    if (!(await this.editor.choose(label))) return;
    await this.editor.slot.getByRole("heading", { name: label }).waitFor();
    await this.editor.press("Delete");
    this.#record.labels.set(label, "removed");
  }

  async #move(part: string): Promise<void> {
    if (!(await this.editor.choose(part))) return;
    await this.editor.press(pick(["g", "m"]));
    const arrow = pick(ARROWS);
    await this.editor.press(arrow, arrow, "Enter");
  }

  async save(): Promise<void> {
    await this.editor.press("Control+s");
  }

  /** Looks at both versions, and takes one or the other of each. */
  async decide(): Promise<void> {
    const { slot, page } = this.editor;
    const both = slot.getByRole("button", { name: "Show both" });
    if ((await both.count()) === 0) return;
    await both.click();
    const dialog = page.locator(".schematic-conflict");
    await dialog.waitFor();
    for (const row of await dialog.locator("tr[data-conflict]").all()) {
      this.#record.conflicts += 1;
      const [, mine = "", theirs = ""] = await row.locator("code").allInnerTexts();
      const side = pick(["yours", "theirs"] as const);
      await row.getByRole("radio", { name: new RegExp(`: ${side}, `) }).check();
      if (!isToken(mine)) continue;
      if (side === "yours") this.#record.replaced(mine, theirs);
      else this.#record.givenUp.add(mine);
      if (isToken(theirs)) this.#record.stored.add(theirs);
    }
    await dialog.getByRole("button", { name: "Save merged file" }).click();
    await dialog.waitFor({ state: "detached" });
  }

  async isSettled(): Promise<boolean> {
    const { slot } = this.editor;
    if ((await slot.getByRole("button", { name: "Show both" }).count()) > 0) return false;
    return slot.getByRole("button", { name: "Save", exact: true }).isDisabled();
  }
}

type View = { etag: string; symbols: { uuid: string; reference: string; value: string }[] };

/** One program: it reads the sheet, then makes one change to what it has read. */
async function program(record: Record): Promise<void> {
  const { current, call } = driver();
  const address = `${current}/schematics/${FILE}`;
  const { etag, symbols } = (await call("GET", address)).body as unknown as View;
  const parts = symbols.filter(({ reference }) => PARTS.includes(reference));
  for (const { value } of parts) if (isToken(value)) record.stored.add(value);
  const part = pick(parts);
  const token = record.token("p");
  const { uuid } = part;
  const edit = pick([
    { do: "set_property", uuid, name: "Value", value: token },
    { do: "set_property", uuid, name: "Value", value: token },
    { do: "move", uuid, dxMm: pick([-2.54, 2.54]), dyMm: 0 },
    {
      do: "add_label",
      text: token,
      scope: "local",
      xMm: 127 + 2.54 * (record.done % 9),
      yMm: 25.4 + (record.done % 40),
    },
  ]);
  const answer = await call("POST", address, { etag, edits: [edit] });
  // Parts that random moves have brought close to each other may leave no free way for a wire.
  const isInTheWay = edit.do === "move" && answer.status === 422;
  if (isInTheWay) assert.match(JSON.stringify(answer.body), /There is no free way for a wire/);
  if (answer.status === 412 || isInTheWay) record.refused += 1;
  else {
    assert.equal(answer.status, 200, JSON.stringify(answer.body));
    record.done += 1;
    if (edit.do === "add_label") record.labels.set(token, "there");
    if (edit.do !== "set_property") return;
    record.replaced(token, part.value);
    record.stored.add(token);
  }
}

const saved = async (): Promise<string> =>
  (await driver().call("GET", `${driver().current}/files/${FILE}`)).bytes.toString();

test("two browsers and a program change one sheet for a minute: one file, nothing lost, every conflict shown", async (t) => {
  const record = new Record();
  const people: Person[] = [];
  for (const name of ["a", "b"]) {
    const seen = await openPage(browser, workspaces, REPO, { viewport: { width: 1100, height: 800 } });
    visits.push(seen);
    if (name === "a") {
      const { tabId } = await driver().open("schematic-editor");
      await slotOf(seen.page, tabId).getByRole("button", { name: "Open the example" }).press("Enter");
    }
    const slot = seen.page.locator(".schematic");
    await slot.locator(".schematic-stage").waitFor();
    people.push(new Person(name, new SchematicPage(seen.page, slot), record));
  }

  const endsAtMs = Date.now() + LASTS_MS;
  const goOn = async (act: () => Promise<void>) => {
    while (Date.now() < endsAtMs) await act();
  };
  await Promise.all([
    ...people.map((person) => goOn(() => person.act())),
    goOn(async () => {
      await program(record);
      await new Promise((resolve) => setTimeout(resolve, 100 + Math.random() * 900));
    }),
  ]);

  for (let round = 0; ; round += 1) {
    assert.ok(round < 50, "it comes to an end");
    for (const person of people) {
      await person.decide();
      await person.editor.press("Escape", "Escape", "Escape");
      await person.save();
    }
    const settled = await Promise.all(people.map((person) => person.isSettled()));
    if (settled.every(Boolean)) break;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }

  const text = await saved();
  const design = readDesign(FILE, (name) => (name === FILE ? text : undefined));
  const [sheet = assert.fail()] = design.sheets;
  const drawn = drawSheet(sheet, 1);
  const picture = toSvg(
    drawn.items.flatMap(({ primitives }) => primitives),
    drawn.box,
    sheet.schematic.titleBlock.title,
  );
  for (const { name, editor } of people)
    await until(async () => (await editor.download("Save this sheet as SVG")) === picture, `${name} shows the file`);

  const labels = itemsOf(sheet.schematic, "label").map((label) => label.text);
  for (const [label, state] of record.labels)
    assert.equal(labels.filter((each) => each === label).length, state === "there" ? 1 : 0, `${label}, ${state}`);

  const values = new Map(
    itemsOf(sheet.schematic, "symbol").map((symbol) => [
      referenceOf(symbol, sheet),
      symbol.fields.find(({ name }) => name === "Value")?.text ?? "",
    ]),
  );
  const kept = record.historyOf(PARTS.map((part) => values.get(part) ?? ""));
  const dropped = record.historyOf(record.givenUp);
  for (const value of record.stored)
    assert.ok(kept.has(value), `${value} was stored, and replaced by somebody who had not seen it`);
  for (const value of record.saw.keys()) assert.ok(kept.has(value) || dropped.has(value), `${value} is lost`);
  const uuids = sheet.schematic.items.map(({ uuid }) => uuid);
  assert.equal(new Set(uuids).size, uuids.length, "no item is there twice");
  const rest = visits.flatMap(({ complaints }) => complaints).filter((complaint) => !/412/.test(complaint));
  assert.deepEqual(rest, []);
  assert.ok(record.conflicts > 0, "there were conflicts");
  t.diagnostic(`${record.done} changes, ${record.conflicts} conflicts, ${record.refused} refused calls of the program`);
});
