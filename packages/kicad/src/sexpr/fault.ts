/** A file that cannot be read or used, and the place where that showed. Lines and columns count from 1. */
export class FileFault extends Error {
  readonly line: number;
  readonly column: number;
  /** What is wrong, without the place. */
  readonly reason: string;

  constructor(reason: string, line: number, column: number) {
    super(`${reason} (line ${line}, column ${column})`);
    this.name = "FileFault";
    this.reason = reason;
    this.line = line;
    this.column = column;
  }
}

export function faultAt(text: string, offset: number, reason: string): FileFault {
  let line = 1;
  let start = 0;
  for (let at = text.indexOf("\n"); at !== -1 && at < offset; at = text.indexOf("\n", at + 1)) {
    line++;
    start = at + 1;
  }
  return new FileFault(reason, line, offset - start + 1);
}
