// KiCad schematics of a project: what programs read of them, and how they change them.
import { type Static, Type } from "typebox";
import { nullable } from "./common.ts";

export const SCHEMATIC_LIMITS = {
  /** Of one sheet. */
  maxSheetBytes: 4_194_304,
  /** Of all sheets of a design together, each file counted once. */
  maxDesignBytes: 16_777_216,
  maxFiles: 200,
  /** Symbols, nets and findings in one answer, each. */
  maxListed: 2_000,
  /** Of an answer with all of them. */
  maxViewCharacters: 16_777_216,
  maxEdits: 20,
  /** Items in one copy. */
  maxCopied: 200,
  maxTextLength: 1_000,
} as const;

/** Pixels of the longer side of a picture. */
export const SCHEMATIC_PICTURE = { defaultPixels: 1_568, minPixels: 64, maxPixels: 4_096 } as const;

const { maxTextLength, maxEdits, maxCopied } = SCHEMATIC_LIMITS;
const mm = (description: string, example: number) =>
  Type.Number({ minimum: -10_000, maximum: 10_000, description, examples: [example] });
const place = { xMm: mm("From the left edge of the sheet", 50.8), yMm: mm("From its upper edge", 38.1) };
const uuid = Type.String({ minLength: 1, maxLength: 64, examples: ["6f1c0c5e-9a52-4b5c-8a39-0a1b2c3d4e5f"] });
const text = (description: string, example: string) =>
  Type.String({ maxLength: maxTextLength, description, examples: [example] });
const angle = Type.Optional(Type.Enum([0, 90, 180, 270], { description: "Degrees, against the clock" }));

const points = Type.Array(Type.Object(place), { minItems: 2, maxItems: 50 });

const SchematicPin = Type.Object({
  number: Type.String({ examples: ["1"] }),
  name: Type.String({ examples: ["VCC"] }),
  type: Type.String({ examples: ["power_in"] }),
  ...place,
  net: Type.String({ examples: ["GND"] }),
});

const SchematicSymbol = Type.Object({
  uuid,
  reference: Type.String({ examples: ["R1"] }),
  value: Type.String({ examples: ["10k"] }),
  libId: Type.String({ examples: ["Device:R"] }),
  sheet: Type.String({ description: "The names of the sheets down to it; / is the root", examples: ["/"] }),
  file: Type.String({ examples: ["board.kicad_sch"] }),
  ...place,
  pins: Type.Array(SchematicPin),
});

const SchematicNet = Type.Object({
  name: Type.String({ examples: ["GND"] }),
  pins: Type.Array(Type.String({ description: "Reference and number of a pin", examples: ["R1.2"] })),
});

const SchematicFinding = Type.Object({
  rule: Type.String({ description: "KiCad's name of the rule", examples: ["pin_not_connected"] }),
  severity: Type.Enum(["error", "warning"]),
  message: Type.String({ examples: ["Pin 2 of R1 is not connected."] }),
  sheet: Type.String({ examples: ["/"] }),
  file: Type.String({ examples: ["board.kicad_sch"] }),
  ...place,
});

export const SchematicView = Type.Object({
  path: Type.String({ examples: ["board.kicad_sch"] }),
  etag: Type.String({ description: "Of this file; a change must name it", examples: ['"2cf2"'] }),
  readOnly: nullable(Type.String({ description: "Why the file cannot be changed; null when it can" })),
  sheets: Type.Array(Type.Object({ name: Type.String({ examples: ["/"] }), file: Type.String() })),
  symbols: Type.Array(SchematicSymbol),
  nets: Type.Array(SchematicNet),
  findings: Type.Array(SchematicFinding),
  truncated: Type.Boolean({ description: "One of the lists has reached its limit" }),
});
export type SchematicView = Static<typeof SchematicView>;

export const SchematicEdit = Type.Union([
  Type.Object({
    do: Type.Literal("add_symbol"),
    libId: Type.String({ minLength: 3, maxLength: 200, description: "Library and symbol", examples: ["Device:R"] }),
    library: Type.Optional(
      text(
        "The .kicad_sym file of the project that has it; not needed when the sheet has one already",
        "parts.kicad_sym",
      ),
    ),
    package: Type.Optional(
      Type.String({
        ...{ minLength: 1, maxLength: 100, examples: ["com.example.parts"] },
        description:
          "The library package of this Backplane that has it, instead of a file of the project; `libId` names the library in it",
      }),
    ),
    ...place,
    angle,
    mirror: Type.Optional(Type.Enum(["x", "y"])),
    unit: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000 })),
    reference: Type.Optional(text("R? unless told", "R12")),
    value: Type.Optional(text("That of the library unless told", "10k")),
  }),
  Type.Object({
    do: Type.Literal("connect"),
    from: text("A pin", "R1.1"),
    to: text("Another pin", "R2.1"),
  }),
  Type.Object({
    do: Type.Literal("add_wire"),
    points,
  }),
  Type.Object({
    do: Type.Literal("add_label"),
    text: Type.String({ minLength: 1, maxLength: maxTextLength, examples: ["SDA"] }),
    scope: Type.Enum(["local", "global", "hierarchical"]),
    ...place,
    angle,
  }),
  Type.Object({ do: Type.Literal("add_no_connect"), ...place }),
  Type.Object({ do: Type.Literal("add_junction"), ...place }),
  Type.Object({
    do: Type.Literal("add_text"),
    text: Type.String({ minLength: 1, maxLength: maxTextLength, examples: ["Supply"] }),
    ...place,
  }),
  Type.Object({ do: Type.Literal("add_bus"), points }),
  Type.Object({
    do: Type.Literal("add_bus_entry"),
    ...place,
    dxMm: mm("To its other end, to the right", 2.54),
    dyMm: mm("To its other end, down", -2.54),
  }),
  Type.Object({
    do: Type.Literal("add_sheet"),
    name: Type.String({ minLength: 1, maxLength: 200, examples: ["Supply"] }),
    file: Type.String({
      ...{ minLength: 1, maxLength: 500, examples: ["supply.kicad_sch"] },
      description: "Relative to this sheet's folder; an empty one is made unless it exists",
    }),
    ...place,
    widthMm: mm("Of its box", 25.4),
    heightMm: mm("Of its box", 25.4),
  }),
  Type.Object({
    do: Type.Literal("add_sheet_pin"),
    uuid: { ...uuid, description: "Of the sheet" },
    name: Type.String({
      ...{ minLength: 1, maxLength: maxTextLength, examples: ["SDA"] },
      description: "That of a hierarchical label in the sheet's file",
    }),
    shape: Type.Optional(Type.Enum(["input", "output", "bidirectional", "tri_state", "passive"])),
    ...place,
  }),
  Type.Object({
    do: Type.Literal("remove_sheet_pin"),
    uuid: { ...uuid, description: "Of the sheet" },
    name: text("Of the pin", "SDA"),
  }),
  Type.Object({
    do: Type.Literal("copy"),
    uuids: Type.Array(uuid, { minItems: 1, maxItems: maxCopied }),
    from: Type.Optional(
      text("The .kicad_sch file of the project that has them; this one unless told", "amp.kicad_sch"),
    ),
    dxMm: mm("To the right", 25.4),
    dyMm: mm("Down", 0),
  }),
  Type.Object({
    do: Type.Literal("replace_text"),
    text: Type.String({ minLength: 1, maxLength: maxTextLength, examples: ["SDA"] }),
    by: text("What comes in its place", "SDA_MAIN"),
    matchCase: Type.Optional(Type.Boolean()),
    wholeWord: Type.Optional(Type.Boolean()),
  }),
  Type.Object({
    do: Type.Literal("annotate", { description: "Gives numbers to the symbols of the design that have none" }),
  }),
  Type.Object({
    do: Type.Literal("move"),
    uuid,
    dxMm: mm("To the right", 2.54),
    dyMm: mm("Down", 0),
    wires: Type.Optional(Type.Enum(["follow", "stay"], { description: "follow unless told" })),
  }),
  Type.Object({ do: Type.Literal("turn"), uuid, turn: Type.Enum(["left", "right", "x", "y"]) }),
  Type.Object({
    do: Type.Literal("set_property"),
    uuid,
    name: Type.String({ minLength: 1, maxLength: 200, examples: ["Value"] }),
    value: text("Its text", "4k7"),
  }),
  Type.Object({ do: Type.Literal("remove"), uuid }),
]);
export type SchematicEdit = Static<typeof SchematicEdit>;

export const EditSchematic = Type.Object({
  etag: Type.String({ minLength: 3, maxLength: 200, description: "Of the file that you read", examples: ['"2cf2"'] }),
  edits: Type.Array(SchematicEdit, { minItems: 1, maxItems: maxEdits }),
  root: Type.Optional(
    Type.String({
      ...{ minLength: 1, maxLength: 500, examples: ["board.kicad_sch"] },
      description:
        "The root sheet of the design, when the file that is changed is one of its sheets: it knows the references",
    }),
  ),
});
export type EditSchematic = Static<typeof EditSchematic>;

export const EditedSchematic = Type.Object({
  path: Type.String({ examples: ["board.kicad_sch"] }),
  etag: Type.String({ description: "Of the file as it is now", examples: ['"9b1f"'] }),
  added: Type.Array(uuid, { description: "The items that are new on this sheet" }),
  others: Type.Array(
    Type.Object({ path: Type.String({ examples: ["supply.kicad_sch"] }), etag: Type.String({ examples: ['"5d41"'] }) }),
    {
      description: "Other files of the design that were changed or made",
    },
  ),
  errors: Type.Integer({ description: "Errors by the electrical rules, now" }),
});
export type EditedSchematic = Static<typeof EditedSchematic>;

const fileName = Type.String({ minLength: 1, maxLength: 500, examples: ["supply.kicad_sch"] });

export const SaveSchematics = Type.Object({
  files: Type.Array(
    Type.Object({
      path: fileName,
      etag: nullable(
        Type.String({
          ...{ minLength: 3, maxLength: 200, examples: ['"2cf2"'] },
          description: "Of the file that you read; null when there was none",
        }),
      ),
      text: Type.String({
        ...{ maxLength: SCHEMATIC_LIMITS.maxSheetBytes, examples: ["(kicad_sch (version 20250114))"] },
        description: "The whole file as it shall be",
      }),
    }),
    { minItems: 1, maxItems: SCHEMATIC_LIMITS.maxFiles },
  ),
});
export type SaveSchematics = Static<typeof SaveSchematics>;

export const SavedSchematics = Type.Object({
  files: Type.Array(Type.Object({ path: fileName, etag: Type.String({ examples: ['"9b1f"'] }) })),
});
export type SavedSchematics = Static<typeof SavedSchematics>;

export const SchematicPictureQuery = Type.Object({
  format: Type.Optional(Type.Enum(["png", "svg"], { description: "png unless told" })),
  sheet: Type.Optional(text("The names of the sheets down to it; / is the root", "/Supply/")),
  pixels: Type.Optional(
    Type.Integer({
      ...{ minimum: SCHEMATIC_PICTURE.minPixels, maximum: SCHEMATIC_PICTURE.maxPixels },
      description: `Of the longer side of a PNG; ${SCHEMATIC_PICTURE.defaultPixels} unless told`,
    }),
  ),
  inline: Type.Optional(Type.Boolean({ description: "The answer is JSON, with the picture as a data URL" })),
});

export const SchematicPicture = Type.Object({
  path: Type.String({ examples: ["board.kicad_sch"] }),
  sheet: Type.String({ examples: ["/"] }),
  mimeType: Type.Enum(["image/png", "image/svg+xml"]),
  width: Type.Number({ description: "Pixels of a PNG, millimetres of an SVG", examples: [1568] }),
  height: Type.Number({ examples: [1109] }),
  dataUrl: Type.String({ examples: ["data:image/png;base64,iVBORw0KGgo="] }),
});
export type SchematicPicture = Static<typeof SchematicPicture>;
