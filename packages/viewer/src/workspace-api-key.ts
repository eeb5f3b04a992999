import { readFile } from "node:fs/promises";
import { join } from "node:path";

/** Who may open panels: the key that was given, else the owner's, where this machine holds Backplane's home. */
export const apiKeyReader =
  (home: string, given: string | undefined): (() => Promise<string | undefined>) =>
  async () => {
    if (given !== undefined) return given;
    try {
      const { api_key: key } = JSON.parse(await readFile(join(home, "owner.json"), "utf8")) as { api_key?: unknown };
      return typeof key === "string" ? key : undefined;
    } catch {
      return undefined;
    }
  };
