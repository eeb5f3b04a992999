import { parentPort } from "node:worker_threads";
import { SCHEMATIC_LIMITS } from "@backplane/contract/panels";
import { pictureOf } from "@backplane/kicad/drawing";
import { checkDesign } from "@backplane/kicad/erc";
import { Problem } from "@backplane/kit/problems";
import type { Drawn, Edited, FromThread, OpenText, Task, ToThread } from "./desk.ts";
import { editSheet, needsDesign } from "./edit.ts";
import { openDesign } from "./open-design.ts";
import { refused, TOO_MUCH } from "./refused.ts";
import { viewOf } from "./view.ts";

const { maxSheetBytes, maxViewCharacters } = SCHEMATIC_LIMITS;

let opened: PromiseWithResolvers<string | undefined> | undefined;
const tell = (message: FromThread): void => parentPort?.postMessage(message);

parentPort?.on("message", (message: ToThread) => {
  if ("task" in message) void answer(message.task);
  else if ("isBroken" in message) opened?.reject(new Error("A file could not be opened."));
  else opened?.resolve(message.opened);
});

tell({ isReady: true });

const open: OpenText = (wanted) => {
  opened = Promise.withResolvers();
  tell({ open: wanted });
  return opened.promise;
};

async function answer(task: Task): Promise<void> {
  try {
    tell({ done: await doneOf(task) });
  } catch (error) {
    if (error instanceof Problem) tell({ refused: error.detail ?? error.message });
    // A text or a list that is longer than there can be.
    else if (error instanceof RangeError) tell({ refused: TOO_MUCH });
    else tell({ fault: String(error) });
  }
}

function doneOf(task: Task): Promise<string> {
  if (task.do === "view") return view(task);
  return task.do === "draw" ? draw(task) : edit(task);
}

async function view({ path, etag, text }: Extract<Task, { do: "view" }>): Promise<string> {
  const shown = JSON.stringify(viewOf(path, etag, (await openDesign(path, text, open)).design));
  return expectShort(shown);
}

async function draw({ path, text, sheet: name }: Extract<Task, { do: "draw" }>): Promise<string> {
  const { sheets } = (await openDesign(path, text, open)).design;
  const sheet = sheets.find((each) => each.name === name);
  if (sheet === undefined) throw refused(`The design has no sheet ${name}.`);
  return expectShort(JSON.stringify(pictureOf(sheet, sheets.length) satisfies Drawn));
}

function expectShort(shown: string): string {
  if (shown.length > maxViewCharacters) throw refused("The schematic has more than can be shown at once.");
  return shown;
}

async function edit({ path, root, text, edits }: Extract<Task, { do: "edit" }>): Promise<string> {
  const isWhole = root !== path || needsDesign(edits);
  const { texts } = isWhole ? await openDesign(root, await rootText(), open) : { texts: new Map<string, string>() };
  const edited = await editSheet({ root, path, texts: texts.set(path, text) }, edits, open);
  for (const [name, changed] of edited.texts) {
    if (changed.includes("\0")) throw refused("A text has a NUL character: the file could not be read any more.");
    if (Buffer.byteLength(changed) > maxSheetBytes)
      throw refused(`${name} would have more than ${maxSheetBytes / 1_048_576} MB.`);
  }
  const findings = checkDesign(edited.design);
  const errors = findings.filter(({ severity, rule }) => severity === "error" && rule !== "missing_sheet").length;
  return JSON.stringify({ texts: [...edited.texts], added: edited.added, errors } satisfies Edited);

  async function rootText(): Promise<string> {
    const found = root === path ? text : await open(root);
    if (found === undefined) throw refused(`The project has no file ${root}.`);
    return found;
  }
}
