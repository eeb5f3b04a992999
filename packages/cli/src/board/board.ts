import { type Board, netFacts, readBoard } from "@backplane/kicad/board";
import { type Flags, withKicadFile } from "../kicad-file.ts";
import type { Running } from "../run.ts";
import { SHAPES, table } from "../terminal.ts";
import { countOf, plain } from "../text.ts";

type Host = NodeJS.Process;

const withBoard = (
  host: Host,
  file: string,
  options: Flags,
  tell: (board: Board, running: Running) => undefined,
): Promise<number> => withKicadFile(host, { file, read: readBoard }, options, tell);

/** To a micrometre, which takes away what adding of fractions left. */
const rounded = (mm: number): number => Math.round(mm * 1000) / 1000;

export const info = (host: Host, file: string, options: Flags): Promise<number> =>
  withBoard(host, file, options, ({ outline, ...board }, { answer, out }) => {
    const { left, top, right, bottom } = outline.box;
    const [widthMm, heightMm] = [rounded(right - left), rounded(bottom - top)];
    const copper = board.layers.filter(({ kind }) => kind === "copper").map(({ name }) => name);
    const counts = {
      ...{ parts: board.parts.length, pads: board.pads.length, nets: board.nets.length },
      ...{ tracks: board.tracks.length, vias: board.vias.length, zones: board.zones.length },
    };
    const { version, thicknessMm, notes } = board;
    answer({ version, widthMm, heightMm, thicknessMm, copper, ...counts, notes }, () => {
      out.line(`${plain(file)}: ${widthMm} × ${heightMm} mm, ${thicknessMm} mm thick`);
      out.line(`  ${countOf(copper.length, "copper layer")}: ${copper.map(plain).join(", ")}`);
      out.line(`  ${countOf(counts.parts, "part")}, ${countOf(counts.pads, "pad")}, ${countOf(counts.nets, "net")}`);
      out.line(
        `  ${countOf(counts.tracks, "track")}, ${countOf(counts.vias, "via")}, ${countOf(counts.zones, "zone")}`,
      );
      for (const note of notes) out.line(`${out.paint("warn", SHAPES.warn)} ${plain(note)}`);
    });
  });

export const parts = (host: Host, file: string, options: Flags): Promise<number> =>
  withBoard(host, file, options, (board, { answer, out }) => {
    const found = board.parts.map(({ reference, value, footprint, side, at, angle }) => ({
      ...{ reference, value, footprint, side, xMm: rounded(at.x), yMm: rounded(at.y), angle },
    }));
    answer({ parts: found }, () => {
      const rows = found.map((part) => [
        ...[part.reference, part.value, part.footprint].map(plain),
        ...[part.side, `${part.xMm}, ${part.yMm} mm`],
      ]);
      for (const line of table(rows)) out.line(line);
      out.line(countOf(found.length, "part"));
    });
  });

export const nets = (host: Host, file: string, options: Flags): Promise<number> =>
  withBoard(host, file, options, (board, { answer, out }) => {
    const found = netFacts(board).map((net) => ({
      ...{ name: net.name, pads: net.padCount, vias: net.viaCount, lengthMm: rounded(net.lengthMm) },
      narrowestMm: net.narrowestMm ?? null,
    }));
    answer({ nets: found }, () => {
      const rows = found.map((net) => [plain(net.name), countOf(net.pads, "pad"), `${net.lengthMm} mm`]);
      for (const line of table(rows)) out.line(line);
      out.line(countOf(found.length, "net"));
    });
  });
