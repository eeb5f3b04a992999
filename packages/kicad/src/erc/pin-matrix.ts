/** The order of KiCad's pin conflict map. */
const TYPES = [
  "input",
  "output",
  "bidirectional",
  "tri_state",
  "passive",
  "free",
  "unspecified",
  "power_in",
  "power_out",
  "open_collector",
  "open_emitter",
  "no_connect",
];

/** KiCad's default: . is fine, w a warning, e an error. Rows and columns are in the order of TYPES. */
const MATRIX = [
  "......w....e",
  ".e.w..w.eeee",
  "......w.w.we",
  ".w....wwewwe",
  "......w....e",
  "...........e",
  "wwwww.wwwwwe",
  "...w..w....e",
  ".ewe..w.eeee",
  ".e.w..w.e..e",
  ".eww..w.e..e",
  "eeeeeeeeeeee",
];

/** What KiCad says by default about two pins of these types on one net. */
export function pinConflict(one: string, other: string): "error" | "warning" | undefined {
  const [row, column] = [TYPES.indexOf(one), TYPES.indexOf(other)];
  const mark = MATRIX[row]?.[column];
  return mark === "e" ? "error" : mark === "w" ? "warning" : undefined;
}
