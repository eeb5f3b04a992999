export type Tally = { passed: number; failed: number; skipped: number };

export type Failure = {
  name: string;
  /** Where to look: a file, or the command to run again. */
  where: string;
  /** The error, and what was printed around it. */
  details: string;
};

export const nothing: Tally = { passed: 0, failed: 0, skipped: 0 };

export function add(a: Tally, b: Tally): Tally {
  return { passed: a.passed + b.passed, failed: a.failed + b.failed, skipped: a.skipped + b.skipped };
}

/** The last line of a run, read by people and by CI. */
export function closingLine({ passed, failed, skipped }: Tally): string {
  const line = `${passed} passed, ${failed} failed`;
  return skipped > 0 ? `${line}, ${skipped} skipped` : line;
}

/** A run that ran nothing has shown nothing. */
export function exitCode({ passed, failed }: Tally): number {
  return failed > 0 || passed === 0 ? 1 : 0;
}
