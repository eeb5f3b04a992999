// Runs the commands that it is sent one after another, as if each were a process of the program in its first argument:
// most of the time of a short process goes into loading the program. Started by command-host.ts.
import { pathToFileURL } from "node:url";

const [program = ""] = process.argv.slice(2);
const address = pathToFileURL(program).href;
let runs = 0;

process.on("message", async (args: string[]) => {
  const written = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"] as const) {
    process[name].write = (piece: Uint8Array | string) => {
      written[name] += String(piece);
      return true;
    };
  }
  process.argv = [process.execPath, program, ...args];
  runs += 1;
  // At a new address the program's first file runs again; what it imports stays loaded.
  await import(`${address}?run=${runs}`);
  process.send?.({ code: process.exitCode ?? 0, ...written });
  process.exitCode = undefined;
  forgetConnections();
});

/** A new process has connections of its own, which a load balancer may send to another instance. */
function forgetConnections(): void {
  const dispatcher = Symbol.for("undici.globalDispatcher.1");
  const all = globalThis as unknown as Record<symbol, { destroy(): Promise<void>; constructor: unknown } | undefined>;
  const last = all[dispatcher];
  if (last === undefined) return;
  void last.destroy();
  all[dispatcher] = new (last.constructor as new () => typeof last)();
}
