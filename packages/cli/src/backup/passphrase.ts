import { createInterface } from "node:readline";
import { Writable } from "node:stream";

const MIN_CHARACTERS = 8;

/** Asks on the terminal without showing what is typed. Undefined: nobody is there, or it is too short, or the two differ. */
export async function askPassphrase(
  { stdin, stderr }: NodeJS.Process,
  signal: AbortSignal,
  { twice = false } = {},
): Promise<string | undefined> {
  if (stdin.isTTY !== true) return undefined;
  const silent = new Writable({ write: (_piece, _encoding, done) => done() });
  const reader = createInterface({ input: stdin, output: silent, terminal: true, signal });
  try {
    const lines = reader[Symbol.asyncIterator]();
    const ask = async (question: string) => {
      stderr.write(question);
      const { value } = await lines.next();
      stderr.write("\n");
      signal.throwIfAborted();
      return value as string | undefined;
    };
    const first = await ask("Passphrase: ");
    if (!twice) return first;
    const second = await ask("Again: ");
    return first === second && (first?.length ?? 0) >= MIN_CHARACTERS ? first : undefined;
  } finally {
    reader.close();
  }
}
