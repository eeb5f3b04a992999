/** A longer line is cut here: a child that prints without line ends must not fill the parent's memory. */
const MAX_LINE_CHARACTERS = 64 * 1024;

/** Turns chunks of text into whole lines. */
export function splitLines(onLine: (line: string) => void): (chunk: string) => void {
  let rest = "";
  return (chunk) => {
    const lines = (rest + chunk).split("\n");
    rest = (lines.pop() ?? "").slice(0, MAX_LINE_CHARACTERS);
    for (const line of lines) if (line.trim() !== "") onLine(line.slice(0, MAX_LINE_CHARACTERS));
  };
}
