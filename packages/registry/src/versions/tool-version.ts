const TOOL_VERSION = /^[0-9]{1,2}([.][0-9]{1,2}([.][0-9]{1,2})?)?$/;

/** The parts that are written: "7.1" is [7, 1]. Undefined: it is none by the contract. */
export function readToolVersion(text: string): readonly number[] | undefined {
  return TOOL_VERSION.test(text) ? text.split(".").map(Number) : undefined;
}

const PARTS = 3;

/** Absent parts of the minimum are 0: 7 is 7.0.0. */
export const isAtLeast = (tool: readonly number[], minimum: readonly number[]): boolean =>
  compare(tool, minimum, PARTS) >= 0;

/** Absent parts of the maximum are any: 7.1 admits 7.1.5, and 7 admits 7.99. */
export const isAtMost = (tool: readonly number[], maximum: readonly number[]): boolean =>
  compare(tool, maximum, maximum.length) <= 0;

function compare(a: readonly number[], b: readonly number[], parts: number): number {
  for (let part = 0; part < parts; part += 1) {
    const difference = (a[part] ?? 0) - (b[part] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}
