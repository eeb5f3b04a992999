import { applySplices, invertSplices, type Splice } from "../sexpr/index.ts";

/** A text with all its changes, which can be undone to the first and done again. */
export class EditHistory {
  #text: string;
  /** What undoes the last change, the one before it, and so on. */
  readonly #undo: Splice[][] = [];
  readonly #redo: Splice[][] = [];

  constructor(text: string) {
    this.#text = text;
  }

  get text(): string {
    return this.#text;
  }

  get canUndo(): boolean {
    return this.#undo.length > 0;
  }

  get canRedo(): boolean {
    return this.#redo.length > 0;
  }

  /** One step for undo, however many splices it has. */
  apply(splices: readonly Splice[]): string {
    if (splices.length === 0) return this.#text;
    this.#undo.push(this.#change(splices));
    this.#redo.length = 0;
    return this.#text;
  }

  undo(): string {
    const back = this.#undo.pop();
    if (back !== undefined) this.#redo.push(this.#change(back));
    return this.#text;
  }

  redo(): string {
    const again = this.#redo.pop();
    if (again !== undefined) this.#undo.push(this.#change(again));
    return this.#text;
  }

  #change(splices: readonly Splice[]): Splice[] {
    const inverse = invertSplices(this.#text, splices);
    this.#text = applySplices(this.#text, splices);
    return inverse;
  }
}
