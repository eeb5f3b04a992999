/** KiCad releases whose words the test boards are written in. */
export type Release = 5 | 6 | 7 | 8 | 9 | 10;
export const RELEASES: readonly Release[] = [5, 6, 7, 8, 9, 10];

const VERSIONS: Readonly<Record<Release, number>> = {
  ...{ 5: 20171130, 6: 20211014, 7: 20221018, 8: 20240108, 9: 20241229, 10: 20251101 },
};

const LAYERS_TO_8 = [
  [0, "F.Cu"],
  [1, "In1.Cu"],
  [31, "B.Cu"],
  [36, "B.SilkS"],
  [37, "F.SilkS"],
  [38, "B.Mask"],
  [39, "F.Mask"],
  [44, "Edge.Cuts"],
  [47, "F.CrtYd"],
] as const;
const LAYERS_FROM_9 = [
  [0, "F.Cu"],
  [4, "In1.Cu"],
  [2, "B.Cu"],
  [7, "B.SilkS"],
  [5, "F.SilkS"],
  [3, "B.Mask"],
  [1, "F.Mask"],
  [25, "Edge.Cuts"],
  [31, "F.CrtYd"],
] as const;

/** What differs from one release to the next. */
class Words {
  readonly release: Release;

  constructor(release: Release) {
    this.release = release;
  }

  text(text: string): string {
    return this.release === 5 && text !== "" ? text : `"${text}"`;
  }

  layers(): string {
    const rows = this.release >= 9 ? LAYERS_FROM_9 : LAYERS_TO_8;
    return `(layers ${rows.map(([number, name]) => `(${number} ${this.text(name)} signal)`).join(" ")})`;
  }

  width(mm: number): string {
    return this.release >= 7 ? `(stroke (width ${mm}) (type solid))` : `(width ${mm})`;
  }

  on(layer: string): string {
    return `(layer ${this.text(layer)})`;
  }

  net(number: number, name: string, isPad = false): string {
    if (this.release >= 10) return `(net "${name}")`;
    return isPad ? `(net ${number} ${this.text(name)})` : `(net ${number})`;
  }

  field(name: "Reference" | "Value", value: string, layer: string): string {
    const effects = "(effects (font (size 1 1) (thickness 0.15)))";
    return this.release >= 8
      ? `(property "${name}" "${value}" (at 0 -2 0) ${this.on(layer)} ${effects})`
      : `(fp_text ${name.toLowerCase()} ${this.text(value)} (at 0 -2) ${this.on(layer)} ${effects})`;
  }

  /** A quarter of a circle of radius 2 around a corner, from one point to the other. */
  arc(center: string, start: string, middle: string, end: string): string {
    const points =
      this.release === 5
        ? `(start ${center}) (end ${start}) (angle 90)`
        : `(start ${start}) (mid ${middle}) (end ${end})`;
    return `(gr_arc ${points} ${this.on("Edge.Cuts")} ${this.width(0.1)})`;
  }
}

/**
 * A board of our own: 30 × 20 mm with one round corner and a slot, a resistor of two pads on the front, a connector of one pad on
 * the back that is turned by 90°, a track of 5 mm, a via and a zone.
 */
export function testBoard(release: Release, more = ""): string {
  const w = new Words(release);
  const line = (a: string, b: string) => `(gr_line (start ${a}) (end ${b}) ${w.on("Edge.Cuts")} ${w.width(0.1)})`;
  const footprint = release === 5 ? "module" : "footprint";
  const nets = release >= 10 ? "" : `(net 0 "") (net 1 ${w.text("GND")}) (net 2 ${w.text("VIN")})`;
  const pad = (name: string, at: string, kind: string, layers: string, more: string) =>
    `(pad ${w.text(name)} ${kind} (at ${at}) ${layers} ${more})`;
  const smd = `(size 1 1.4) (layers ${w.text("F.Cu")} ${w.text("F.Mask")})`;
  const zone = `(zone ${w.net(1, "GND")} ${release >= 10 ? "" : `(net_name ${w.text("GND")})`} ${w.on("B.Cu")} (hatch edge 0.5)
    (priority 1) (min_thickness 0.2) ${release >= 6 ? "(filled_areas_thickness no)" : ""} (polygon (pts (xy 12 12) (xy 18 12) (xy 18 18)))
    (filled_polygon ${release >= 6 ? w.on("B.Cu") : ""} (pts (xy 12 12) (xy 18 12) (xy 18 18))))`;
  return `(kicad_pcb (version ${VERSIONS[release]}) (${release === 5 ? "host pcbnew test" : 'generator "test"'})
  (general (thickness 1.2)) ${w.layers()} ${nets}
  (${footprint} ${w.text("Own:R")} ${w.on("F.Cu")} (at 20 20 0) ${w.field("Reference", "R1", "F.SilkS")} ${w.field("Value", "330", "F.SilkS")}
    (fp_line (start -2 -1) (end 2 1) ${w.on("F.CrtYd")} ${w.width(0.05)})
    ${pad("1", "-1 0", "smd rect", smd, w.net(1, "GND", true))} ${pad("2", "1 0", "smd oval", smd, w.net(2, "VIN", true))}
    (model ${w.text("../../etc/R.step")} (offset (xyz 0 0 0)) (scale (xyz 1 1 1)) (rotate (xyz 0 0 90))))
  (${footprint} ${w.text("Own:J")} ${w.on("B.Cu")} (at 30 20 90) ${w.field("Reference", "J1", "B.SilkS")}
    ${pad("1", "2 0 90", "thru_hole circle", `(size 1.7 1.7) (drill 1) (layers ${w.text("*.Cu")} ${w.text("*.Mask")})`, w.net(2, "VIN", true))}
    ${pad("", "0 0 90", "np_thru_hole oval", `(size 3 2) (drill oval 3 2) (layers ${w.text("*.Cu")})`, "")})
  (segment (start 21 20) (end 26 20) (width 0.4) ${w.on("F.Cu")} ${w.net(2, "VIN")})
  (via (at 26 20) (size 0.8) (drill 0.4) (layers ${w.text("F.Cu")} ${w.text("B.Cu")}) ${w.net(2, "VIN")})
  ${zone}
  ${line("12 10", "40 10")} ${line("40.01 10", "40 30")} ${line("10 30", "40 30")} ${line("10 30", "10 12")}
  ${w.arc("12 12", "10 12", "10.585786 10.585786", "12 10")}
  (gr_circle (center 35 25) (end 36 25) ${w.on("Edge.Cuts")} ${w.width(0.1)})
  (gr_text ${w.text("Test")} (at 15 28) ${w.on("F.SilkS")} (effects (font (size 1.5 1.5) (thickness 0.2))))
  ${more})`;
}
