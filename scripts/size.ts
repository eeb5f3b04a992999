// `npm run size`: how large the product is, package by package, and what may be worth a look. A guide, not a gate.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { findDuplicates } from "./size/duplicates.ts";
import { countImporters } from "./size/importers.ts";
import { longFunctions } from "./size/long-functions.ts";
import { productFiles } from "./size/product-files.ts";

const MAX_FUNCTION_LINES = 100;
const MIN_DUPLICATE_LINES = 6;
const HELP = `npm run size            a table, one row per package
npm run size -- --list  also the long functions, the small files with one importer, and the duplicates`;

type Source = { path: string; package: string; text: string; lines: number };
type Row = {
  name: string;
  files: number;
  lines: number;
  median: number;
  long: number;
  single: number;
  doubled: number;
};

const root = join(import.meta.dirname, "..");
if (process.argv.includes("--help")) console.log(HELP);
else await main(process.argv.includes("--list"));

async function main(withList: boolean): Promise<void> {
  const sources = productFiles(root).map((path): Source => {
    const text = readFileSync(join(root, path), "utf8");
    return { path, package: path.split("/")[1] ?? "", text, lines: text.split("\n").length - 1 };
  });
  const code = sources.filter(({ path }) => /\.tsx?$/.test(path));
  const long = (await Promise.all(code.map((source) => longFunctions(source, MAX_FUNCTION_LINES)))).flat();
  const importers = countImporters(root, code);
  const single = code.filter(({ path }) => importers.get(path) === 1);
  const duplicates = findDuplicates(sources, MIN_DUPLICATE_LINES);

  const rowOf = (name: string, isOf: (path: string) => boolean): Row => {
    const own = sources.filter(({ path }) => isOf(path));
    return {
      name,
      files: own.length,
      lines: own.reduce((sum, { lines }) => sum + lines, 0),
      median: medianOf(own.map(({ lines }) => lines)),
      long: long.filter(({ path }) => isOf(path)).length,
      single: single.filter(({ path }) => isOf(path)).length,
      doubled: duplicates.filter(({ a, b }) => isOf(a.path) || isOf(b.path)).length,
    };
  };
  const names = [...new Set(sources.map((source) => source.package))].sort();
  const rows = names.map((name) => rowOf(name, (path) => path.startsWith(`packages/${name}/`)));
  printTable([...rows, rowOf("all", () => true)]);
  if (!withList) return;

  printList(
    `Functions over ${MAX_FUNCTION_LINES} lines`,
    long.toSorted((a, b) => b.lines - a.lines).map(({ path, line, name, lines }) => `${lines} ${name} ${path}:${line}`),
  );
  printList(
    "Files of at most 25 lines with one importer",
    single.filter(({ lines }) => lines <= 25).map(({ path, lines }) => `${lines} ${path}`),
  );
  printList(
    `Runs of ${MIN_DUPLICATE_LINES} or more lines that are in two files`,
    duplicates.map(({ a, b, lines }) => `${lines} ${a.path}:${a.line} ${b.path}:${b.line}`),
  );
}

function medianOf(numbers: readonly number[]): number {
  const sorted = numbers.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}

function printTable(rows: readonly Row[]): void {
  const heads = ["package", "files", "lines", "median", "long functions", "one importer", "duplicates"];
  const cells = rows.map((row) => Object.values(row).map((value) => value.toLocaleString("en")));
  const widths = heads.map((head, column) => Math.max(head.length, ...cells.map((row) => row[column]?.length ?? 0)));
  for (const row of [heads, ...cells]) {
    const text = row.map((cell, column) =>
      column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0),
    );
    console.log(text.join("  "));
  }
}

function printList(title: string, lines: readonly string[]): void {
  console.log(`\n${title}: ${lines.length}`);
  for (const line of lines) console.log(`  ${line}`);
}
