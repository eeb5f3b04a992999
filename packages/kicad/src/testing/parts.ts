/** Grid of the test drawings, in millimetres. */
export const GRID = 1.27;

const font = "(effects (font (size 1.27 1.27)))";
const pin = (type: string, x: number, y: number, angle: number, name: string, number: string, more = "") =>
  `(pin ${type} line (at ${x * GRID} ${y * GRID} ${angle}) (length ${2 * GRID}) ${more}(name "${name}" ${font}) (number "${number}" ${font}))`;
const box = (size: number) =>
  `(rectangle (start ${-size * GRID} ${size * GRID}) (end ${size * GRID} ${-size * GRID}) (stroke (width 0.254) (type default)) (fill (type background)))`;
const define = (name: string, reference: string, body: string, more = "", v6 = false) => {
  const id = (number: number) => (v6 ? `(id ${number}) ` : "");
  return `(symbol "Own:${name}" ${more}(in_bom yes) (on_board yes)
      (property "Reference" "${reference}" ${id(0)}(at 0 2.54 0) ${font})
      (property "Value" "${name}" ${id(1)}(at 0 -2.54 0) ${font})
      (property "Footprint" "" ${id(2)}(at 0 0 0) ${font})
      (property "Datasheet" "" ${id(3)}(at 0 0 0) ${font})
      ${body})`;
};

export const PIN_TYPES =
  "input output bidirectional tri_state passive free unspecified power_in power_out open_collector open_emitter no_connect".split(
    " ",
  );

/** Definitions of our own, each as `lib_symbols` has it. Positions of pins are in steps of GRID, y upwards. */
export function definitions(v6: boolean): Map<string, string> {
  const power = (name: string, type: string) =>
    define(name, "#PWR", `(symbol "${name}_1_1" ${pin(type, 0, 0, 90, name, "1")})`, "(power) ", v6);
  return new Map([
    [
      "R",
      define(
        "R",
        "R",
        `(symbol "R_0_1" ${box(1)}) (symbol "R_1_1" ${pin("passive", 0, 3, 270, "~", "1")} ${pin("passive", 0, -3, 90, "~", "2")})`,
        "",
        v6,
      ),
    ],
    [
      "GATE",
      define(
        "GATE",
        "U",
        `(symbol "GATE_0_1" ${box(2)}) (symbol "GATE_1_1" ${pin("input", -4, 0, 0, "A", "1")} ${pin("output", 4, 0, 180, "Y", "2")} ${pin("power_in", 0, 4, 270, "VCC", "3")} ${pin("power_in", 0, -4, 90, "GND", "4")})`,
        "",
        v6,
      ),
    ],
    [
      "REG",
      define(
        "REG",
        "U",
        `(symbol "REG_0_1" ${box(2)}) (symbol "REG_1_1" ${pin("power_in", -4, 0, 0, "IN", "1")} ${pin("power_out", 4, 0, 180, "OUT", "2")} ${pin("power_in", 0, -4, 90, "GND", "3")})`,
        "",
        v6,
      ),
    ],
    [
      "DUAL",
      define(
        "DUAL",
        "U",
        `(symbol "DUAL_1_1" ${box(2)} ${pin("input", -4, 0, 0, "A", "1")} ${pin("output", 4, 0, 180, "Y", "2")}) (symbol "DUAL_2_1" ${box(2)} ${pin("input", -4, 0, 0, "A", "3")} ${pin("output", 4, 0, 180, "Y", "4")}) (symbol "DUAL_3_1" ${pin("power_in", 0, 4, 270, "VCC", "5")} ${pin("power_in", 0, -4, 90, "GND", "6")})`,
        "",
        v6,
      ),
    ],
    ["GND", power("GND", "power_in")],
    ["VCC", power("VCC", "power_in")],
    ["+5V", power("+5V", "power_in")],
    [
      "PWR_FLAG",
      define("PWR_FLAG", "#FLG", `(symbol "PWR_FLAG_1_1" ${pin("power_out", 0, 0, 90, "pwr", "1")})`, "(power) ", v6),
    ],
    ...PIN_TYPES.map((type): [string, string] => [
      type,
      define(type, "X", `(symbol "${type}_1_1" ${box(1)} ${pin(type, -3, 0, 0, "P", "1")})`, "", v6),
    ]),
  ]);
}
