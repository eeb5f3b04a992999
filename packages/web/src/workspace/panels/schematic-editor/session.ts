import { type Drawn, type DrawnSheet, drawSheet } from "@backplane/kicad/drawing";
import type { Design, Item, SheetInstance } from "@backplane/kicad/schematic";
import { createStore } from "../../store.ts";
import type { DesignFiles } from "./design-files.ts";

export type SessionState = {
  phase: "loading" | "open" | "refused";
  /** Why the design is not shown. */
  fault: string | undefined;
  design: Design | undefined;
  /** The sheet that is shown. */
  sheet: SheetInstance | undefined;
  drawn: DrawnSheet | undefined;
  selection: ReadonlySet<string>;
};

const INITIAL: SessionState = {
  ...{ phase: "loading", fault: undefined, design: undefined, sheet: undefined, drawn: undefined },
  selection: new Set(),
};

/** One design in one panel: which sheet is shown, what is selected, what was changed. */
export class Session {
  readonly files: DesignFiles;
  readonly #store = createStore(INITIAL);
  readonly state = this.#store.state;
  readonly subscribe = this.#store.subscribe;

  constructor(files: DesignFiles) {
    this.files = files;
    files.onOutside(() => this.refresh());
  }

  async load(sheetPath: string | undefined): Promise<void> {
    this.#store.update({ phase: "loading", fault: undefined });
    const read = await this.files.load();
    if ("fault" in read) this.#store.update({ phase: "refused", fault: read.fault });
    else this.#show(read.design, sheetPath);
  }

  /** Reads the texts again, after one of them changed. */
  refresh(): void {
    const { phase, sheet } = this.state();
    if (phase !== "open") return;
    const read = this.files.read();
    if ("fault" in read) this.#store.update({ phase: "refused", fault: read.fault });
    else this.#show(read.design, sheet?.path);
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
    this.#store.update({ selection: new Set(ids) });
  }

  selectedItems(): Item[] {
    const { selection, drawn } = this.state();
    return [...selection].flatMap((id) => drawn?.itemOf.get(id) ?? []);
  }

  selectedDrawn(): Drawn[] {
    const { selection, drawn } = this.state();
    return drawn?.items.filter(({ id }) => selection.has(id)) ?? [];
  }

  #show(design: Design, path: string | undefined): void {
    const sheet = design.sheets.find((each) => each.path === path) ?? design.sheets[0];
    if (!sheet) return;
    const drawn = drawSheet(sheet, design.sheets.length, this.state().drawn);
    const selection = new Set([...this.state().selection].filter((id) => drawn.itemOf.has(id)));
    this.#store.update({ phase: "open", fault: undefined, design, sheet, drawn, selection });
  }
}
