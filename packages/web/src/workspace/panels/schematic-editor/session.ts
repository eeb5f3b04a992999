import { createSheet, type SheetBox } from "@backplane/kicad/design-edits";
import { type Drawn, type DrawnSheet, drawSheet } from "@backplane/kicad/drawing";
import { annotate, EditFault } from "@backplane/kicad/edits";
import { type Net, type NetClass, type NetClasses, type Nets, readNetClasses, readNets } from "@backplane/kicad/nets";
import {
  type Design,
  type Item,
  itemsOf,
  readOnlyReason,
  resolveSheetFile,
  type Schematic,
  type SheetInstance,
} from "@backplane/kicad/schematic";
import { applySplices, invertSplices, type Splice } from "@backplane/kicad/sexpr";
import { createStore } from "../../store.ts";
import type { DesignFiles } from "./design-files.ts";
import { rebaseSteps, type Step } from "./steps.ts";

export type SessionState = {
  phase: "loading" | "open" | "refused";
  /** Why the design is not shown. */
  fault: string | undefined;
  design: Design | undefined;
  /** The sheet that is shown. */
  sheet: SheetInstance | undefined;
  drawn: DrawnSheet | undefined;
  selection: ReadonlySet<string>;
  /** The name of the net that is highlighted. */
  net: string | undefined;
  /** Why the last edit was refused, or what it did. */
  message: string | undefined;
  canUndo: boolean;
  canRedo: boolean;
};

const INITIAL: SessionState = {
  ...{ phase: "loading", fault: undefined, design: undefined, sheet: undefined, drawn: undefined, net: undefined },
  ...{ selection: new Set(), message: undefined, canUndo: false, canRedo: false },
};

/** One design in one panel: which sheet is shown, what is selected, what was changed. */
export class Session {
  readonly files: DesignFiles;
  readonly #store = createStore(INITIAL);
  readonly state = this.#store.state;
  readonly subscribe = this.#store.subscribe;
  #undo: Step[] = [];
  #redo: Step[] = [];
  #nets: { design: Design; nets: Nets } | undefined;
  #classes: NetClasses = readNetClasses(undefined);

  constructor(files: DesignFiles) {
    this.files = files;
    files.onOutside((path, before) => this.#changedOutside(path, before));
    // What is saved, in conflict or faulty is shown with the rest.
    files.onChange(() => this.#store.update({}));
  }

  async load(sheetPath: string | undefined): Promise<void> {
    this.#store.update({ phase: "loading", fault: undefined });
    await this.files.check();
    const read = await this.files.load();
    if ("fault" in read) this.#store.update({ phase: "refused", fault: read.fault });
    else this.#show(read.design, sheetPath);
  }

  /** The settings of the KiCad project that the design belongs to. */
  setProject(text: string | undefined): void {
    this.#classes = readNetClasses(text);
    this.#store.update({});
  }

  /** Unsaved texts of the files come back, also those of sheets that were new; `take` gives that of a file once. */
  async restoreDrafts(take: (path: string) => { text: string; etag: string | undefined } | undefined): Promise<void> {
    const asked = new Set<string>();
    for (;;) {
      const { design } = this.state();
      const paths = [...(design?.sheets.map(({ file }) => file) ?? []), ...namedFiles(design)];
      const next = new Set(paths.filter((path) => !asked.has(path)));
      if (next.size === 0) break;
      for (const path of next) {
        const draft = take(path);
        if (draft) this.files.restore(path, draft.text, draft.etag);
        asked.add(path);
      }
      // A draft may name sheets that were not part of the design until now.
      await this.files.load();
      this.#refresh(undefined);
    }
    if (this.files.unsaved().length > 0) this.say("Unsaved changes of this tab are back.");
  }

  /** By the path of the sheet in the design; unknown ones show the root. */
  goTo(path: string): void {
    const { design, sheet } = this.state();
    if (!design || sheet?.path === path) return;
    this.#store.update({ selection: new Set() });
    this.#show(design, path);
  }

  /** The sheet that an item of the shown sheet stands for. */
  sheetBehind(id: string): SheetInstance | undefined {
    const { design, sheet, drawn } = this.state();
    const item = drawn?.itemOf.get(id);
    if (item?.kind !== "sheet") return undefined;
    return design?.sheets.find((each) => each.parent?.path === sheet?.path && each.sheet?.uuid === item.uuid);
  }

  select(ids: Iterable<string>): void {
    this.#store.update({ selection: new Set(ids), message: undefined });
  }

  selectedItems(): Item[] {
    const { selection, drawn } = this.state();
    return [...selection].flatMap((id) => drawn?.itemOf.get(id) ?? []);
  }

  selectedDrawn(): Drawn[] {
    const { selection, drawn } = this.state();
    return drawn?.items.filter(({ id }) => selection.has(id)) ?? [];
  }

  /** Read when somebody first asks, after every change. */
  nets(): Nets | undefined {
    const { design } = this.state();
    if (!design) return undefined;
    if (this.#nets?.design !== design) this.#nets = { design, nets: readNets(design) };
    return this.#nets.nets;
  }

  /** The class of a net: that of a flag on a sheet, or that of the project's settings. */
  classOf(net: Net): NetClass {
    return this.#classes(net);
  }

  highlight(net: string | undefined): void {
    this.#store.update({ net });
  }

  say(message: string | undefined): void {
    this.#store.update({ message });
  }

  /** Why the sheet that is shown cannot be changed. */
  readOnly(): string | undefined {
    const { sheet } = this.state();
    return sheet && readOnlyReason(sheet.schematic.version);
  }

  /** Changes the sheet that is shown. False when that was refused; the message says why. What is new is selected. */
  edit(make: (schematic: Schematic) => readonly Splice[], options: { selectsNew?: boolean } = {}): boolean {
    return this.editFiles((_, { file, schematic }) => new Map([[file, make(schematic)]]), options);
  }

  /** Changes several files in one step. */
  editFiles(
    make: (design: Design, sheet: SheetInstance) => Step,
    { selectsNew = false }: { selectsNew?: boolean } = {},
  ): boolean {
    const { design, sheet, drawn } = this.state();
    if (!design || !sheet || !drawn) return false;
    const isDone = this.#change(() => make(design, sheet));
    const after = this.state().drawn;
    if (isDone && selectsNew && after) this.select([...after.itemOf.keys()].filter((id) => !drawn.itemOf.has(id)));
    return isDone;
  }

  /** Draws a sheet. Its file is created when the design is saved; one that is there already is used as it is. */
  async addSheet(box: SheetBox, newUuid: () => string): Promise<void> {
    const { design, sheet } = this.state();
    if (!design || !sheet) return;
    const make = (here: Design, parent: SheetInstance) =>
      createSheet(here, parent, box, { newUuid, exists: () => false });
    try {
      const { file, text = "" } = make(design, sheet);
      const fault = await this.files.create(file, text);
      if (fault !== undefined) this.say(`The sheet is not drawn. ${fault}`);
      else this.editFiles((here, parent) => make(here, parent).changes, { selectsNew: true });
    } catch (error) {
      this.#refuse(error);
    }
  }

  /** Gives numbers to all symbols that have none. */
  annotate(): void {
    this.say(undefined);
    const isDone = this.editFiles((design) => annotate(design));
    if (isDone) this.say("Every symbol has a number now.");
    else if (this.state().message === undefined) this.say("Every symbol already has a number.");
  }

  undo(): void {
    this.#step(this.#undo, this.#redo);
  }

  redo(): void {
    this.#step(this.#redo, this.#undo);
  }

  /** True when everything is saved. */
  save(): Promise<boolean> {
    return this.files.save();
  }

  #change(make: () => Step): boolean {
    try {
      const step = make();
      if ([...step.values()].every((splices) => splices.length === 0)) return false;
      this.#undo.push(this.#apply(step));
      this.#redo.length = 0;
      this.#refresh(undefined);
      return true;
    } catch (error) {
      this.#refuse(error);
      return false;
    }
  }

  #refuse(error: unknown): void {
    if (!(error instanceof EditFault)) throw error;
    this.say(error.message);
  }

  #step(from: Step[], to: Step[]): void {
    const step = from.pop();
    if (!step) return;
    const before = namedFiles(this.state().design);
    to.push(this.#apply(step));
    this.#refresh(undefined);
    this.#followMade(before);
  }

  /** A file that a new sheet made goes when that is undone, and comes back when it is done again. */
  #followMade(before: ReadonlySet<string>): void {
    const now = namedFiles(this.state().design);
    for (const path of this.files.made()) {
      if (before.has(path) && !now.has(path)) void this.files.discard(path);
      if (before.has(path) || !now.has(path)) continue;
      this.files.bringBack(path);
      this.#refresh(undefined);
    }
  }

  /** Returns what takes it back. */
  #apply(step: Step): Step {
    const back = new Map<string, Splice[]>();
    for (const [path, splices] of step) {
      const text = this.files.text(path);
      if (text === undefined || splices.length === 0) continue;
      back.set(path, invertSplices(text, splices));
      this.files.setText(path, applySplices(text, splices));
    }
    return back;
  }

  /** What was done here can still be undone, where somebody else did not change the same. */
  #changedOutside(path: string, before: string): void {
    const after = this.files.text(path) ?? "";
    this.#undo = rebaseSteps(this.#undo, path, before, after);
    this.#redo = rebaseSteps(this.#redo, path, before, after);
    this.#refresh("Somebody else has saved this design. It is shown with their changes.");
  }

  /** Reads the texts again, after one of them changed. */
  #refresh(message: string | undefined): void {
    const { phase, sheet } = this.state();
    if (phase === "loading") return;
    const read = this.files.read();
    if ("fault" in read) this.#store.update({ phase: "refused", fault: read.fault });
    else this.#show(read.design, sheet?.path, message);
  }

  #show(design: Design, path: string | undefined, message?: string): void {
    const sheet = design.sheets.find((each) => each.path === path) ?? design.sheets[0];
    if (!sheet) return;
    this.files.setNamed(namedFiles(design));
    const drawn = drawSheet(sheet, design.sheets.length, this.state().drawn);
    const selection = new Set([...this.state().selection].filter((id) => drawn.itemOf.has(id)));
    const history = { canUndo: this.#undo.length > 0, canRedo: this.#redo.length > 0 };
    this.#store.update({ phase: "open", fault: undefined, design, sheet, drawn, selection, message, ...history });
  }
}

/** The files that sheets of a design name. */
function namedFiles(design: Design | undefined): Set<string> {
  const sheets = design?.sheets ?? [];
  return new Set(
    sheets.flatMap(({ file, schematic }) =>
      itemsOf(schematic, "sheet").flatMap((sheet) => resolveSheetFile(file, sheet.file) ?? []),
    ),
  );
}
