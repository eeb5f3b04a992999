import { join } from "node:path";
import { rolldown } from "rolldown";

/**
 * Bundles a program that a test starts many times: from source, most of its CPU time goes into finding hundreds of small
 * modules. Returns the file to start. The program must not read files by its own address.
 */
export async function bundleProgram(source: string, folder: string): Promise<string> {
  const bundle = await rolldown({ input: { program: source }, platform: "node", logLevel: "warn" });
  try {
    await bundle.write({ dir: folder, format: "esm", entryFileNames: "[name].mjs", chunkFileNames: "[name].mjs" });
  } finally {
    await bundle.close();
  }
  return join(folder, "program.mjs");
}
