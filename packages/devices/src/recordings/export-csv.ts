import { Readable } from "node:stream";
import type { Sample } from "@backplane/contract/devices";
import type { JsonData } from "@backplane/contract/panels";
import { columnsOf, type Export, samplesOf, textOf } from "./exports.ts";

const LINE_END = "\r\n";
/** Text is handed over in pieces of about this size. */
const PIECE_LENGTH = 65_536;

/** RFC 4180, as a stream. */
export function csvStream(what: Export): Readable {
  return Readable.from(pieces(what), { objectMode: false });
}

async function* pieces(what: Export): AsyncGenerator<Buffer> {
  const columns = columnsOf(what);
  let piece = `${(what.isWide ? ["time", ...columns.map(cell)] : ["time", "device", "capability", "field", "value"]).join(",")}${LINE_END}`;
  for await (const sample of samplesOf(what)) {
    piece += what.isWide ? wideRow(sample, columns) : longRows(sample);
    if (piece.length < PIECE_LENGTH) continue;
    yield Buffer.from(piece);
    piece = "";
  }
  if (piece !== "") yield Buffer.from(piece);
}

const wideRow = ({ tMs, values }: Sample, columns: readonly string[]): string =>
  `${[timeOf(tMs), ...columns.map((name) => cell(values[name]))].join(",")}${LINE_END}`;

const longRows = ({ tMs, device, capability, values }: Sample): string =>
  Object.entries(values)
    .map(([name, value]) => `${[timeOf(tMs), device, capability, cell(name), cell(value)].join(",")}${LINE_END}`)
    .join("");

/** With microseconds: two samples of a channel never have the same time. */
function timeOf(tMs: number): string {
  const ms = Math.floor(tMs);
  const micros = Math.min(999, Math.round((tMs - ms) * 1_000));
  return `${new Date(ms).toISOString().slice(0, -1)}${String(micros).padStart(3, "0")}Z`;
}

function cell(value: JsonData | undefined): string {
  const text = textOf(value);
  if (text === undefined) return typeof value === "number" ? String(value) : "";
  if (typeof value === "boolean") return text;
  // A spreadsheet must not take what a device said for a formula.
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
