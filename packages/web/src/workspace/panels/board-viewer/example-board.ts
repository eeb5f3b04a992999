/** A small board of our own: the circuit of the example of the schematic editor, 40 × 25 mm. */
export const exampleBoard =
  (): string => `(kicad_pcb (version 20241229) (generator "backplane") (generator_version "9.0")
	(general (thickness 1.6))
	(paper "A5")
	(title_block (title "Light on a button") (rev "1"))
	(layers
		(0 "F.Cu" signal) (2 "B.Cu" signal)
		(5 "F.SilkS" user "F.Silkscreen") (7 "B.SilkS" user "B.Silkscreen")
		(1 "F.Mask" user) (3 "B.Mask" user)
		(25 "Edge.Cuts" user)
		(31 "F.CrtYd" user "F.Courtyard") (29 "B.CrtYd" user "B.Courtyard")
		(35 "F.Fab" user) (33 "B.Fab" user)
	)
	(net 0 "") (net 1 "+5V") (net 2 "/LED_A") (net 3 "GND") (net 4 "Net-(D1-K)")
${[
  ["H1", 103.5, 103.5],
  ["H2", 136.5, 103.5],
  ["H3", 136.5, 121.5],
  ["H4", 103.5, 121.5],
]
  .map(([name, x, y]) => mountingHole(String(name), Number(x), Number(y)))
  .join("\n")}
${footprint(
  "J1",
  "5 V in",
  "Connector_2",
  "F",
  "106 111.23",
  [-1.8, -1.8, 1.8, 4.34],
  [
    '(pad "1" thru_hole rect (at 0 0) (size 1.7 1.7) (drill 1) (layers "*.Cu" "*.Mask") (net 1 "+5V"))',
    '(pad "2" thru_hole circle (at 0 2.54) (size 1.7 1.7) (drill 1) (layers "*.Cu" "*.Mask") (net 3 "GND"))',
  ],
)}
${footprint(
  "R1",
  "330",
  "R_0805",
  "B",
  "117 108",
  [-1.8, -1, 1.8, 1],
  [
    '(pad "1" smd roundrect (at -1 0) (size 1.2 1.4) (layers "B.Cu" "B.Mask") (roundrect_rratio 0.2) (net 1 "+5V"))',
    '(pad "2" smd roundrect (at 1 0) (size 1.2 1.4) (layers "B.Cu" "B.Mask") (roundrect_rratio 0.2) (net 2 "/LED_A"))',
  ],
)}
${footprint(
  "D1",
  "Red",
  "LED_0805",
  "F",
  "125 108 180",
  [-1.8, -1, 1.8, 1],
  [
    '(pad "1" smd roundrect (at -1 0 180) (size 1.2 1.4) (layers "F.Cu" "F.Mask") (roundrect_rratio 0.2) (net 4 "Net-(D1-K)"))',
    '(pad "2" smd roundrect (at 1 0 180) (size 1.2 1.4) (layers "F.Cu" "F.Mask") (roundrect_rratio 0.2) (net 2 "/LED_A"))',
  ],
)}
${footprint(
  "SW1",
  "Test",
  "Button_6mm",
  "F",
  "125 118",
  [-4.4, -3.25, 4.4, 3.25],
  [
    '(pad "1" thru_hole circle (at -3.25 0) (size 1.9 1.9) (drill 1.1) (layers "*.Cu" "*.Mask") (net 3 "GND"))',
    '(pad "2" thru_hole circle (at 3.25 0) (size 1.9 1.9) (drill 1.1) (layers "*.Cu" "*.Mask") (net 4 "Net-(D1-K)"))',
  ],
)}
	(segment (start 106 111.23) (end 109.23 108) (width 0.8) (layer "B.Cu") (net 1))
	(segment (start 109.23 108) (end 116 108) (width 0.8) (layer "B.Cu") (net 1))
	(segment (start 118 108) (end 120.5 108) (width 0.4) (layer "B.Cu") (net 2))
	(via (at 120.5 108) (size 0.8) (drill 0.4) (layers "F.Cu" "B.Cu") (net 2))
	(segment (start 120.5 108) (end 124 108) (width 0.4) (layer "F.Cu") (net 2))
	(segment (start 126 108) (end 128.25 110.25) (width 0.4) (layer "F.Cu") (net 4))
	(segment (start 128.25 110.25) (end 128.25 118) (width 0.4) (layer "F.Cu") (net 4))
	(segment (start 106 113.77) (end 117.52 113.77) (width 0.8) (layer "F.Cu") (net 3))
	(segment (start 117.52 113.77) (end 121.75 118) (width 0.8) (layer "F.Cu") (net 3))
	(zone (net 3) (net_name "GND") (layer "B.Cu") (hatch edge 0.5) (min_thickness 0.2) (filled_areas_thickness no)
		(fill yes) (polygon (pts (xy 101 112.9) (xy 126 112.9) (xy 126 124) (xy 107 124) (xy 107 118) (xy 101 118)))
		(filled_polygon (layer "B.Cu") (pts (xy 101 112.9) (xy 126 112.9) (xy 126 124) (xy 107 124) (xy 107 118) (xy 101 118)))
	)
	(gr_line (start 102 100) (end 138 100) (stroke (width 0.1) (type solid)) (layer "Edge.Cuts"))
	(gr_arc (start 138 100) (mid 139.414214 100.585786) (end 140 102) (stroke (width 0.1) (type solid)) (layer "Edge.Cuts"))
	(gr_line (start 140 102) (end 140 123) (stroke (width 0.1) (type solid)) (layer "Edge.Cuts"))
	(gr_arc (start 140 123) (mid 139.414214 124.414214) (end 138 125) (stroke (width 0.1) (type solid)) (layer "Edge.Cuts"))
	(gr_line (start 138 125) (end 102 125) (stroke (width 0.1) (type solid)) (layer "Edge.Cuts"))
	(gr_arc (start 102 125) (mid 100.585786 124.414214) (end 100 123) (stroke (width 0.1) (type solid)) (layer "Edge.Cuts"))
	(gr_line (start 100 123) (end 100 102) (stroke (width 0.1) (type solid)) (layer "Edge.Cuts"))
	(gr_arc (start 100 102) (mid 100.585786 100.585786) (end 102 100) (stroke (width 0.1) (type solid)) (layer "Edge.Cuts"))
	(gr_text "Light on a button" (at 120 103.2) (layer "F.SilkS") (effects (font (size 1.6 1.6) (thickness 0.25))))
	(gr_text "R1 limits the current" (at 120 104) (layer "B.SilkS") (effects (font (size 1.2 1.2) (thickness 0.2)) (justify mirror)))
)
`;

function mountingHole(name: string, x: number, y: number): string {
  return `	(footprint "Example:Hole_3.2mm" (layer "F.Cu") (at ${x} ${y})
		(property "Reference" "${name}" (at 0 -3.2 0) (layer "F.Fab") (effects (font (size 1 1) (thickness 0.15))))
		(property "Value" "Hole" (at 0 3.2 0) (layer "F.Fab") (effects (font (size 1 1) (thickness 0.15))))
		(fp_circle (center 0 0) (end 3 0) (stroke (width 0.05) (type solid)) (fill no) (layer "F.CrtYd"))
		(pad "" np_thru_hole circle (at 0 0) (size 3.2 3.2) (drill 3.2) (layers "*.Cu" "*.Mask"))
	)`;
}

type Yard = readonly [left: number, top: number, right: number, bottom: number];

function footprint(
  name: string,
  value: string,
  kind: string,
  side: "F" | "B",
  at: string,
  yard: Yard,
  pads: string[],
): string {
  const [left, top, right, bottom] = yard;
  const effects = `(effects (font (size 1 1) (thickness 0.15))${side === "B" ? " (justify mirror)" : ""})`;
  const box = (layer: string, width: number, smaller: number) =>
    `(fp_rect (start ${left + smaller} ${top + smaller}) (end ${right - smaller} ${bottom - smaller}) (stroke (width ${width}) (type solid)) (fill no) (layer "${side}.${layer}"))`;
  return `	(footprint "Example:${kind}" (layer "${side}.Cu") (at ${at})
		(property "Reference" "${name}" (at 0 ${top - 0.8} 0) (layer "${side}.SilkS") ${effects})
		(property "Value" "${value}" (at 0 ${bottom + 0.9} 0) (layer "${side}.Fab") ${effects})
		${box("CrtYd", 0.05, 0)} ${box("SilkS", 0.12, 0.1)}
		${pads.join("\n\t\t")}
	)`;
}
