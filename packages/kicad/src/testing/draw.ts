import {
  newBusEntry,
  newJunction,
  newLabel,
  newLine,
  newNoConnect,
  newSheet,
  newSymbol,
  newText,
  type Writer,
} from "../edits/new-items.ts";
import type { Dialect, Mirror, Point } from "../schematic/index.ts";
import { type Layout, type NewNode, writeNode } from "../sexpr/index.ts";
import { definitions, GRID } from "./parts.ts";

const VERSIONS: Readonly<Record<Dialect, number>> = { 6: 20211123, 7: 20230121, 8: 20231120, 9: 20250114 };

/** A place in steps of the grid. */
type Place = readonly [number, number];
const at = ([x, y]: Place): Point => ({ x: round(x * GRID), y: round(y * GRID) });
const round = (value: number): number => Math.round(value * 1e4) / 1e4;

interface SymbolOptions {
  angle?: number;
  mirror?: Mirror;
  unit?: number;
  value?: string;
  footprint?: string;
  onBoard?: boolean;
  inBom?: boolean;
}

interface SheetBox {
  at: Place;
  size: Place;
  pins?: readonly { name: string; at: Place; shape?: string; angle?: number }[];
}

/** Draws a schematic of our own for a test, in the words and layout of one KiCad. Places are steps of the grid. */
export class Drawing {
  readonly #nodes: NewNode[] = [];
  readonly #used = new Set<string>();
  readonly #references: string[] = [];
  readonly #writer: Writer;
  readonly uuid: string;
  readonly #aliases: string[] = [];
  readonly #extra: string[] = [];
  /** Where this sheet is used: `/uuid` of the root unless told. */
  readonly paths: readonly string[];

  constructor(dialect: Dialect = 9, name = "1", paths?: readonly string[]) {
    let count = 0;
    const uuid = () => `${name.padStart(8, "0")}-0000-4000-8000-${String(++count).padStart(12, "0")}`;
    this.uuid = uuid();
    this.paths = paths ?? [`/${this.uuid}`];
    this.#writer = { dialect, newUuid: uuid };
  }

  symbol(part: string, reference: string, place: Place, options: SymbolOptions = {}): this {
    this.#used.add(part);
    const { angle, mirror, unit = 1, value = part, footprint = "", ...more } = options;
    const pointAt = at(place);
    const node = newSymbol(this.#writer, {
      libId: `Own:${part}`,
      at: pointAt,
      ...(angle === undefined ? {} : { angle }),
      ...(mirror === undefined ? {} : { mirror }),
      unit,
      fields: [
        { name: "Reference", text: reference, at: pointAt },
        { name: "Value", text: value, at: pointAt },
        { name: "Footprint", text: footprint, at: pointAt, hidden: true },
        { name: "Datasheet", text: "", at: pointAt, hidden: true },
      ],
      pinNumbers: [],
      instances: this.paths.map((path) => ({ project: "test", path, reference })),
      ...more,
    });
    this.#nodes.push(node);
    const uuid = (node as readonly NewNode[]).find(
      (item) => Array.isArray(item) && item[0] === "uuid",
    ) as readonly NewNode[];
    this.#references.push(
      `(path "/${String(uuid[1])}" (reference "${reference}") (unit ${unit}) (value "${value}") (footprint "${footprint}"))`,
    );
    return this;
  }

  power(name: "GND" | "VCC" | "+5V" | "PWR_FLAG", ...places: readonly Place[]): this {
    for (const place of places) this.symbol(name, `#PWR0${this.#nodes.length}`, place);
    return this;
  }

  wire(...places: readonly Place[]): this {
    return this.#lines("wire", places);
  }

  bus(...places: readonly Place[]): this {
    return this.#lines("bus", places);
  }

  #lines(kind: "wire" | "bus", places: readonly Place[]): this {
    for (const [index, place] of places.entries()) {
      const next = places[index + 1];
      if (next !== undefined) this.#nodes.push(newLine(this.#writer, kind, at(place), at(next)));
    }
    return this;
  }

  entry(place: Place, size: Place): this {
    return this.#add(newBusEntry(this.#writer, at(place), at(size)));
  }

  junction(...places: readonly Place[]): this {
    for (const place of places) this.#add(newJunction(this.#writer, at(place)));
    return this;
  }

  noConnect(...places: readonly Place[]): this {
    for (const place of places) this.#add(newNoConnect(this.#writer, at(place)));
    return this;
  }

  label(text: string, place: Place, angle = 0): this {
    return this.#add(newLabel(this.#writer, { scope: "local", text, at: at(place), angle }));
  }

  global(text: string, place: Place, shape = "input"): this {
    return this.#add(newLabel(this.#writer, { scope: "global", text, at: at(place), shape }));
  }

  hierarchical(text: string, place: Place, shape = "input"): this {
    return this.#add(newLabel(this.#writer, { scope: "hierarchical", text, at: at(place), shape }));
  }

  text(text: string, place: Place): this {
    return this.#add(newText(this.#writer, text, at(place)));
  }

  sheet(name: string, file: string, { at: place, size, pins = [] }: SheetBox): this {
    return this.#add(
      newSheet(this.#writer, {
        name,
        file,
        at: at(place),
        size: at(size),
        pins: pins.map((pin) => ({ angle: 180, ...pin, at: at(pin.at) })),
        pages: this.paths.map((path) => ({ project: "test", path, page: "2" })),
      }),
    );
  }

  alias(name: string, ...members: readonly string[]): this {
    this.#aliases.push(`(bus_alias "${name}" (members ${members.map((member) => `"${member}"`).join(" ")}))`);
    return this;
  }

  /** Any list, as it is written. */
  raw(text: string): this {
    this.#extra.push(text);
    return this;
  }

  #add(node: NewNode): this {
    this.#nodes.push(node);
    return this;
  }

  toString(): string {
    const { dialect } = this.#writer;
    const tall = dialect >= 8;
    const layout: Layout = { step: tall ? "\t" : "  ", newline: "\n", tall };
    const known = definitions(dialect === 6);
    const uuid = tall ? `"${this.uuid}"` : this.uuid;
    const generator = tall ? '"eeschema"' : "eeschema";
    const lists = [
      ...(dialect >= 8 ? [`(generator_version "${dialect}.0")`] : []),
      `(uuid ${uuid})`,
      '(paper "A4")',
      `(lib_symbols ${[...this.#used].map((part) => known.get(part) ?? "").join("\n    ")})`,
      ...this.#aliases,
      ...this.#nodes.map((node) => writeNode(node, layout, 1)),
      ...this.#extra,
      '(sheet_instances (path "/" (page "1")))',
      ...(dialect === 6 ? [`(symbol_instances ${this.#references.join("\n    ")})`] : []),
    ];
    const gap = tall ? `\n${layout.step}` : `\n\n${layout.step}`;
    return `(kicad_sch (version ${VERSIONS[dialect]}) (generator ${generator})${lists.map((list) => gap + list).join("")}\n)\n`;
  }
}
