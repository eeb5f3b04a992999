const UNITS = ["bytes", "KB", "MB", "GB"] as const;
const STEP = 1_024;

/** As a person says it, and as the pages do: 412 KB, 1.3 MB. */
export function sizeOf(bytes: number): string {
  let value = bytes;
  let unit = 0;
  while (value >= STEP && unit < UNITS.length - 1) {
    value /= STEP;
    unit += 1;
  }
  const digits = unit > 0 && value < 10 ? 1 : 0;
  return `${value.toFixed(digits)} ${UNITS[unit]}`;
}

export const countOf = (count: number, one: string, many = `${one}s`): string => `${count} ${count === 1 ? one : many}`;

/** Text from a repository, fit for a terminal: nothing that moves the cursor, one line. */
export const plain = (text: string): string => text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, " ").trim();

/** The same over several lines. */
export const plainLines = (text: string): string[] => text.split(/\r?\n/).map(plain);
