import { homedir } from "node:os";
import { join } from "node:path";

/** A path in ~/.backplane, where commands keep what belongs to this account. */
export const ownPath = ({ env }: Pick<NodeJS.Process, "env">, ...parts: string[]): string =>
  join(env.HOME || homedir(), ".backplane", ...parts);
