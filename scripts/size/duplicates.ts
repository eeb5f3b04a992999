type Source = { path: string; text: string };
type Place = { path: string; line: number };
export type Duplicate = { a: Place; b: Place; lines: number };
type Line = { text: string; number: number };

/** Punctuation, comments and imports do not count as duplicates. */
const IS_THIN = /^(?:[\s{}()[\];,]*|\/\/.*|\/?\*.*|import\b.*|export .* from .*|.*\} from ".*";)$/;

/** Runs of at least `minLines` lines that two files share exactly, ignoring such lines. */
export function findDuplicates(sources: readonly Source[], minLines: number): Duplicate[] {
  const files = sources.map(({ path, text }) => ({ path, lines: linesOf(text) }));
  const windows = new Map<string, { file: number; at: number }[]>();
  files.forEach(({ lines }, file) => {
    for (let at = 0; at + minLines <= lines.length; at += 1) {
      const key = lines
        .slice(at, at + minLines)
        .map(({ text }) => text)
        .join("\n");
      const places = windows.get(key);
      if (places) places.push({ file, at });
      else windows.set(key, [{ file, at }]);
    }
  });

  const found = new Map<string, Duplicate>();
  for (const places of windows.values()) {
    for (const [index, a] of places.entries()) {
      for (const b of places.slice(index + 1)) {
        if (a.file === b.file) continue;
        // The next window of the same run continues this one.
        const run = `${a.file} ${b.file} ${a.at - b.at}`;
        const known = found.get(run);
        if (known) known.lines += 1;
        else found.set(run, { a: placeOf(files[a.file], a.at), b: placeOf(files[b.file], b.at), lines: minLines });
      }
    }
  }
  return [...found.values()].sort((a, b) => b.lines - a.lines);
}

const placeOf = (file: { path: string; lines: Line[] } | undefined, at: number): Place => ({
  path: file?.path ?? "",
  line: file?.lines[at]?.number ?? 0,
});

function linesOf(text: string): Line[] {
  return text
    .split("\n")
    .map((line, index) => ({ text: line.trim(), number: index + 1 }))
    .filter(({ text: line }) => !IS_THIN.test(line));
}
