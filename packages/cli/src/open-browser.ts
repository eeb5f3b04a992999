import { spawn } from "node:child_process";

/** An opener that has not complained by then has done its work; some stay until the browser is closed. */
const OPEN_WAIT_MS = 3_000;

export type Opening = "opened" | "no-terminal" | "no-display" | "failed";

type Host = { stdout: { isTTY?: boolean }; env: NodeJS.ProcessEnv; platform: NodeJS.Platform };

/** Asks the desktop to open an address, where there is a person and a display. */
export async function openBrowser({ stdout, env, platform }: Host, url: string): Promise<Opening> {
  if (stdout.isTTY !== true) return "no-terminal";
  if (platform === "darwin") return start("open", url, env);
  return env.DISPLAY || env.WAYLAND_DISPLAY ? start("xdg-open", url, env) : "no-display";
}

function start(opener: string, url: string, env: NodeJS.ProcessEnv): Promise<Opening> {
  const { promise, resolve } = Promise.withResolvers<Opening>();
  // A group of its own: Ctrl-C here must not close the browser.
  const child = spawn(opener, [url], { env, stdio: "ignore", detached: true });
  const timer = setTimeout(() => resolve("opened"), OPEN_WAIT_MS);
  child.once("error", () => resolve("failed"));
  child.once("exit", (code) => resolve(code === 0 ? "opened" : "failed"));
  child.unref();
  return promise.finally(() => clearTimeout(timer));
}
