import { fileURLToPath } from "node:url";
import type { ServerOptions } from "./server.ts";

/** A server written for the Node that runs this bench; it listens on PORT and answers at `readyPath`. */
export function nodeServer(label: string, program: URL, readyPath: string): ServerOptions {
  return {
    label,
    command: process.execPath,
    args: () => [fileURLToPath(program)],
    readyUrl: (port) => `http://127.0.0.1:${port}${readyPath}`,
  };
}
