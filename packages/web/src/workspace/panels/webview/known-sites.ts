import type { Control } from "./control.ts";

const MAX_SITES = 200;
/** The host of a frame whose page said that it was somewhere else. */
const NOBODY = "";

/**
 * Which site each host of a frame stands for, by the server's word. A page may say anything of itself, and an address bar
 * that repeats it would vouch for it.
 */
export function createKnownSites(pass: Control["pass"]) {
  const sites = new Map<string, string>();

  function learn(src: string, url: string): void {
    sites.set(new URL(src).origin, new URL(url).origin);
    const [oldest] = sites.keys();
    if (sites.size > MAX_SITES && oldest !== undefined) sites.delete(oldest);
  }

  return {
    /** The frame that begins at `src` shows the site of `url`. */
    learn,
    /** Undefined `url`: a message that names no place. */
    judge(origin: string, url: string | undefined): "true" | "false" | "unknown" {
      const site = sites.get(origin);
      if (site === undefined) return "unknown";
      return site !== NOBODY && (url === undefined || new URL(url).origin === site) ? "true" : "false";
    },
    /** Asks the server for the host of an address; resolves when it has answered, or cannot. */
    async find(origin: string, url: string): Promise<void> {
      const passed = await pass(url);
      if (!passed.ok) return;
      learn(passed.src, url);
      if (!sites.has(origin)) sites.set(origin, NOBODY);
    },
  };
}
