import { Readable } from "node:stream";
import type { Field, Sample } from "@backplane/contract/devices";
import type { JsonData } from "@backplane/contract/panels";
import type { SchemaElement } from "hyparquet-writer";
import { columnsOf, type Export, samplesOf, textOf } from "./exports.ts";

/** A group of rows is in memory while it is written. */
const VALUES_PER_GROUP = 200_000;
const MICROS_PER_MS = 1_000;

type Kind = "time" | "number" | "boolean" | "text";
type Column = { name: string; kind: Kind; data: unknown[] };

const ELEMENT: Readonly<Record<Kind, Omit<SchemaElement, "name">>> = {
  time: { type: "INT64", converted_type: "TIMESTAMP_MICROS", repetition_type: "REQUIRED" },
  number: { type: "DOUBLE", repetition_type: "OPTIONAL" },
  boolean: { type: "BOOLEAN", repetition_type: "OPTIONAL" },
  text: { type: "BYTE_ARRAY", converted_type: "UTF8", repetition_type: "OPTIONAL" },
};

const KIND_OF: Readonly<Record<Field["datatype"], Kind>> = {
  ...{ number: "number", integer: "number", boolean: "boolean", text: "text", list: "text", object: "text" },
};

export function parquetStream(what: Export): Readable {
  return Readable.from(pieces(what), { objectMode: false });
}

async function* pieces(what: Export): AsyncGenerator<Buffer> {
  const { ByteWriter, ParquetWriter } = await import("hyparquet-writer");
  const columns = what.isWide ? wideColumns(what) : longColumns();
  const bytes = new ByteWriter();
  const schema: SchemaElement[] = [
    { name: "root", num_children: columns.length },
    ...columns.map(({ name, kind }) => ({ ...ELEMENT[kind], name })),
  ];
  const writer = new ParquetWriter({ writer: bytes, schema });
  const take = (): Buffer => {
    const piece = Buffer.from(bytes.getBytes());
    bytes.index = 0;
    return piece;
  };
  const rowsPerGroup = Math.ceil(VALUES_PER_GROUP / columns.length);
  const writeGroup = () => {
    const rowGroupSize = columns[0]?.data.length ?? 0;
    writer.write({ columnData: columns.map(({ name, data }) => ({ name, data })), rowGroupSize });
    for (const column of columns) column.data = [];
  };
  for await (const sample of samplesOf(what)) {
    if (what.isWide) addWide(columns, sample);
    else addLong(columns, sample);
    if ((columns[0]?.data.length ?? 0) < rowsPerGroup) continue;
    writeGroup();
    yield take();
  }
  if ((columns[0]?.data.length ?? 0) > 0) writeGroup();
  writer.finish();
  yield take();
}

const microsOf = (tMs: number): bigint => BigInt(Math.round(tMs * MICROS_PER_MS));

function wideColumns(what: Export): Column[] {
  const datatypeOf = (name: string) => what.channels.map(({ fields }) => fields[name]).find((field) => field)?.datatype;
  return [
    { name: "time", kind: "time", data: [] },
    // A field may have the same name.
    ...columnsOf(what).map((name): Column => {
      const kind = KIND_OF[datatypeOf(name) ?? "text"];
      return { name: name === "time" ? "time_" : name, kind, data: [] };
    }),
  ];
}

function longColumns(): Column[] {
  const text = (name: string): Column => ({ name, kind: "text", data: [] });
  return [
    { name: "time", kind: "time", data: [] },
    ...["device", "capability", "field"].map(text),
    { name: "number", kind: "number", data: [] },
    text("text"),
  ];
}

function addWide(columns: readonly Column[], { tMs, values }: Sample): void {
  for (const { name, kind, data } of columns) {
    if (kind === "time") data.push(microsOf(tMs));
    else data.push(columnValue(kind, values[name === "time_" ? "time" : name]));
  }
}

function addLong(columns: readonly Column[], { tMs, device, capability, values }: Sample): void {
  for (const [field, value] of Object.entries(values)) {
    const row = [microsOf(tMs), device, capability, field, columnValue("number", value), textOf(value)];
    for (const [place, { data }] of columns.entries()) data.push(row[place] ?? null);
  }
}

function columnValue(kind: Kind, value: JsonData | undefined): unknown {
  if (kind === "number") return typeof value === "number" ? value : null;
  if (kind === "boolean") return typeof value === "boolean" ? value : null;
  return textOf(value) ?? (typeof value === "number" ? String(value) : null);
}
