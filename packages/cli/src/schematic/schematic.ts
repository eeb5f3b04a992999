import { writeFile } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { SCHEMATIC_PICTURE } from "@backplane/contract/panels";
import { EXIT } from "@backplane/contract/problems";
import { pictureOf } from "@backplane/kicad/drawing";
import { checkDesign } from "@backplane/kicad/erc";
import { componentsOf, writeBom, writeNetlist } from "@backplane/kicad/export";
import { readableNetName, readNets } from "@backplane/kicad/nets";
import { type Design, readDesign } from "@backplane/kicad/schematic";
import { type Flags, readText, withKicadFile } from "../kicad-file.ts";
import { refuse } from "../refusal.ts";
import type { Outcome, Running } from "../run.ts";
import { SHAPES, table } from "../terminal.ts";
import { countOf, plain } from "../text.ts";

type Host = NodeJS.Process;

/** The design whose root sheet is the file at `path`. */
const readFrom = (_: string, path: string): Design =>
  readDesign(basename(path), (name) => readText(join(dirname(path), name)));

const withDesign = (
  host: Host,
  file: string,
  options: Flags,
  work: (design: Design, running: Running) => Promise<Outcome> | Outcome,
): Promise<number> => withKicadFile(host, { file, read: readFrom }, options, work);

export const check = (host: Host, file: string, options: Flags & { strict?: boolean }): Promise<number> =>
  withDesign(host, file, options, (design, { answer, out }) => {
    const findings = checkDesign(design);
    const told = findings.map(({ rule, severity, message, sheet, at }) => ({
      ...{ rule, severity, message },
      ...{ sheet: sheet.name, file: sheet.file, xMm: at.x, yMm: at.y },
    }));
    const errors = findings.filter(({ severity }) => severity === "error").length;
    answer({ sheets: design.sheets.length, findings: told }, () => {
      for (const one of told) {
        const tone = one.severity === "error" ? "danger" : "warn";
        out.line(`${out.paint(tone, SHAPES[tone])} ${plain(one.message)}`);
        out.line(`  ${plain(one.sheet)} at ${one.xMm}, ${one.yMm} mm  ${one.rule}`);
      }
      const summary = `${countOf(errors, "error")}, ${countOf(findings.length - errors, "warning")}`;
      out.line(`${plain(file)}: ${countOf(design.sheets.length, "sheet")}, ${summary}`);
    });
    return errors > 0 || (options.strict === true && findings.length > 0) ? EXIT.failed : EXIT.done;
  });

export const symbols = (host: Host, file: string, options: Flags): Promise<number> =>
  withDesign(host, file, options, (design, { answer, out }) => {
    const parts = componentsOf(design).map(({ reference, value, footprint, symbol, sheet }) => ({
      ...{ reference, value, footprint, libId: symbol.libId, uuid: symbol.uuid },
      ...{ sheet: sheet.name, file: sheet.file, xMm: symbol.at.x, yMm: symbol.at.y },
    }));
    answer({ symbols: parts }, () => {
      const rows = parts.map((part) => [part.reference, part.value, part.footprint, part.sheet].map(plain));
      for (const line of table(rows)) out.line(line);
      out.line(countOf(parts.length, "part"));
    });
    return undefined;
  });

export const nets = (host: Host, file: string, options: Flags): Promise<number> =>
  withDesign(host, file, options, (design, { answer, out }) => {
    const found = readNets(design)
      .nets.map((net) => ({
        name: readableNetName(net.name),
        pins: net.pins
          .filter(({ reference }) => !reference.startsWith("#"))
          .map(({ reference, pin }) => ({ reference, pin: pin.number, name: pin.name })),
      }))
      .filter(({ pins }) => pins.length > 0);
    answer({ nets: found }, () => {
      const rows = found.map(({ name, pins }) => [
        name,
        pins.map(({ reference, pin }) => `${reference}.${pin}`).join(" "),
      ]);
      for (const line of table(rows.map((row) => row.map(plain)))) out.line(line);
      out.line(countOf(found.length, "net"));
    });
    return undefined;
  });

type FileFlags = { out?: string; force?: boolean };

export const netlist = (host: Host, file: string, options: FileFlags): Promise<number> =>
  withDesign(host, file, {}, (design, running) => deliver(host, writeNetlist(design), options, running));

export const bom = (host: Host, file: string, options: FileFlags & { field?: string[] }): Promise<number> =>
  withDesign(host, file, {}, (design, running) => deliver(host, writeBom(design, options.field), options, running));

type RenderFlags = FileFlags & { sheet?: string; pixels?: string };

export const render = (host: Host, file: string, options: RenderFlags): Promise<number> =>
  withDesign(host, file, {}, async (design, running) => {
    const { sheet: name = "/", pixels: wanted = String(SCHEMATIC_PICTURE.defaultPixels) } = options;
    const sheet = design.sheets.find((each) => each.name === name);
    if (sheet === undefined) {
      const names = design.sheets.map((each) => plain(each.name)).join(" ");
      return refuse("wrong-usage", `The design has no sheet ${plain(name)}.`, `It has ${names}`);
    }
    const pixels = Number(wanted);
    const { minPixels, maxPixels } = SCHEMATIC_PICTURE;
    if (!Number.isInteger(pixels) || pixels < minPixels || pixels > maxPixels)
      return refuse("wrong-usage", `--pixels must be a whole number from ${minPixels} to ${maxPixels}.`);
    const { svg } = pictureOf(sheet, design.sheets.length);
    if (!options.out?.toLowerCase().endsWith(".png")) return deliver(host, svg, options, running);
    const { svgToPng } = await import("@backplane/kit/svg-to-png");
    const png = await svgToPng(svg, pixels);
    if (png === undefined) return refuse("bad-file", "This sheet is too much for a PNG.", "Write an SVG.");
    return deliver(host, png.bytes, options, running);
  });

async function deliver(
  host: Host,
  text: string | Uint8Array,
  { out: file, force }: FileFlags,
  { out }: Running,
): Promise<Outcome> {
  if (file === undefined || file === "-") {
    host.stdout.write(text);
    return undefined;
  }
  try {
    await writeFile(resolve(host.cwd(), file), text, { flag: force === true ? "w" : "wx" });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    return refuse("file-exists", `${plain(file)} exists.`, "Add --force to replace it.");
  }
  out.line(`${out.paint("ok", SHAPES.ok)} ${plain(file)}`);
  return undefined;
}
