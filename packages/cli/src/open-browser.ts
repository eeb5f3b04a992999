import { spawn } from "node:child_process";

/** An opener that has not failed by then counts as successful; some run until the browser is closed. */
const OPEN_WAIT_MS = 3_000;

export type Opening = "opened" | "no-terminal" | "no-display" | "failed";

/** What to print about it. `server` is what the browser must be able to reach. */
export function openingWords(opening: Opening, server: string): string | undefined {
  if (opening === "opened") return "It should open in your browser.";
  if (opening === "no-display") return `There is no display here. Use a browser that can reach ${server}.`;
  return opening === "failed" ? "Could not open a browser. Copy the address into one." : undefined;
}

type Host = { stdout: { isTTY?: boolean }; env: NodeJS.ProcessEnv; platform: NodeJS.Platform };

/** Asks the desktop to open an address, if there is a terminal and a display. */
export async function openBrowser({ stdout, env, platform }: Host, url: string): Promise<Opening> {
  if (stdout.isTTY !== true) return "no-terminal";
  if (platform === "darwin") return start("open", url, env);
  return env.DISPLAY || env.WAYLAND_DISPLAY ? start("xdg-open", url, env) : "no-display";
}

function start(opener: string, url: string, env: NodeJS.ProcessEnv): Promise<Opening> {
  const { promise, resolve } = Promise.withResolvers<Opening>();
  // In its own process group, because Ctrl-C here must not close the browser.
  const child = spawn(opener, [url], { env, stdio: "ignore", detached: true });
  const timer = setTimeout(() => resolve("opened"), OPEN_WAIT_MS);
  child.once("error", () => resolve("failed"));
  child.once("exit", (code) => resolve(code === 0 ? "opened" : "failed"));
  child.unref();
  return promise.finally(() => clearTimeout(timer));
}
