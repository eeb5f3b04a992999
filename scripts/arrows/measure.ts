import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { depcruiseArgs } from "./depcruise.ts";

export type FileImports = { source: string; imports: string[] };

const maxOutputBytes = 256 * 1024 * 1024;

/** Every file under packages/ with the files it imports, as dependency-cruiser measures them. */
export async function measureImports(root: string): Promise<FileImports[]> {
  const args = depcruiseArgs("--output-type", "json", "packages");
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: root, maxBuffer: maxOutputBytes }).catch(
    // It ends with a code when an arrow is forbidden; the picture shows that one too.
    (error: Error & { stdout?: string }) => {
      if (!error.stdout?.startsWith("{")) throw error;
      return { stdout: error.stdout };
    },
  );
  const cruise: { modules: { source: string; dependencies: { resolved: string }[] }[] } = JSON.parse(stdout);
  return cruise.modules.map(({ source, dependencies }) => ({
    source,
    imports: dependencies.map(({ resolved }) => resolved),
  }));
}
