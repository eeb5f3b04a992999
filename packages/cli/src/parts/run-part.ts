import { pathToFileURL } from "node:url";
import type { Part } from "@backplane/kit/parts";
import { NODE_FLAGS, programFile } from "@backplane/kit/supervise";

/**
 * Becomes the program that `backplane up` starts for this part: the same process, so that signals and exit codes are its own.
 * With a parent that listens on a channel, which only this process has, it runs here.
 */
export async function runPart(host: NodeJS.Process, part: Part): Promise<number> {
  const program = programFile(part);
  if (!host.connected && host.execve) host.execve(host.execPath, [host.execPath, ...NODE_FLAGS, program], host.env);
  await import(pathToFileURL(program).href);
  // The program sets it when it ends.
  return Number(host.exitCode ?? 0);
}
