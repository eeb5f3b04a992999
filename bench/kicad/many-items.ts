/** A schematic of our own: a quarter each of symbols with two pins, wires, labels and junctions. */
export function manyItems(count: number): string {
  const effects = "(effects (font (size 1.27 1.27)))";
  const pin = (number: number, x: number, angle: number) =>
    `(pin passive line (at ${x} 0 ${angle}) (length 1.27) (name "~" ${effects}) (number "${number}" ${effects}))`;
  const definition = `(symbol "Own:R" (in_bom yes) (on_board yes) (property "Reference" "R" (at 0 0 0) ${effects}) (property "Value" "R" (at 0 0 0) ${effects})
    (symbol "R_0_1" (rectangle (start -1.27 0.635) (end 1.27 -0.635) (stroke (width 0.254) (type default)) (fill (type none))))
    (symbol "R_1_1" ${pin(1, -2.54, 0)} ${pin(2, 2.54, 180)}))`;
  const items = Array.from({ length: count / 4 }, (_, at) => {
    const [x, y] = [12.7 + (at % 25) * 15.24, 12.7 + Math.floor(at / 25) * 12.7];
    const end = x + 10.16;
    return [
      `(symbol (lib_id "Own:R") (at ${x} ${y} 0) (unit 1) (uuid "s${at}") (property "Reference" "R${at}" (at ${x} ${y - 2.54} 0) ${effects}) (property "Value" "10k" (at ${x} ${y + 2.54} 0) ${effects}))`,
      `(wire (pts (xy ${x + 2.54} ${y}) (xy ${end} ${y})) (stroke (width 0) (type default)) (uuid "w${at}"))`,
      `(label "NET_${at}" (at ${x + 5.08} ${y} 0) (effects (font (size 1.27 1.27)) (justify left bottom)) (uuid "l${at}"))`,
      `(junction (at ${end} ${y}) (diameter 0) (color 0 0 0 0) (uuid "j${at}"))`,
    ].join("\n");
  });
  return `(kicad_sch (version 20231120) (generator "bench") (uuid "root") (paper "A2") (lib_symbols ${definition})\n${items.join("\n")})`;
}
