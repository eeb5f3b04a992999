import type { TokenEntry } from "@backplane/sdk/tokens";
import { endOf } from "../expiry.ts";
import { type Opening, openingWords } from "../open-browser.ts";
import { openProgress, type Progress } from "../progress.ts";
import { openTerminal, SHAPES, table } from "../terminal.ts";
import { plain } from "../text.ts";

/** What was stored; never a token. */
export type Connected = TokenEntry & { expiresAt: number; scopes: string };

export type ConnectReport = {
  warning(text: string): void;
  address(url: string): void;
  opening(opening: Opening, gatewayUrl: string): void;
  /** Shows what is going on while the work is done. */
  during<T>(work: (says: Progress["says"]) => Promise<T>): Promise<T>;
  connected(connected: Connected): void;
};

/** What `backplane connect` prints for people. */
export function createReport(host: NodeJS.Process, now: () => number): ConnectReport {
  const out = openTerminal(host.stdout, host.env);
  return {
    warning: (text) => out.line(`${out.paint("warn", SHAPES.warn)} ${text}`),
    address(url) {
      out.line("Open this address, sign in and agree:");
      out.line(`\n${out.paint("accent", url)}\n`);
    },
    opening(opening, gatewayUrl) {
      const words = openingWords(opening, gatewayUrl);
      if (words !== undefined) out.line(words);
    },
    async during(work) {
      using progress = openProgress(host.stdout, host.env.TERM === "dumb", now);
      return await work(progress.says);
    },
    connected({ provider, user, path, expiresAt, refreshable, scopes }) {
      out.line(`${out.paint("ok", SHAPES.ok)} ${out.paint("strong", `${provider} is connected for ${user}.`)}`);
      const then = refreshable ? "then refreshed on use" : "then connect again; the provider gave no refresh token";
      const rows = [
        ["Tokens", `${path}, for this account only`],
        ["Valid", `${endOf(expiresAt, now())}; ${then}`],
        ...(scopes === "" ? [] : [["Scopes", plain(scopes)]]),
        [
          "Next",
          `use them in a program: createTokenSource of @backplane/sdk/tokens, provider "${provider}", user "${user}"`,
        ],
      ];
      for (const line of table(rows)) out.line(line);
    },
  };
}

/** The same for programs, one line of JSON per step. */
export function createJsonReport(host: NodeJS.Process): ConnectReport {
  const print = (event: string, more: object = {}) => host.stdout.write(`${JSON.stringify({ event, ...more })}\n`);
  return {
    warning: (text) => print("warning", { says: text }),
    address: (url) => print("open", { url }),
    opening() {},
    during: (work) => work((text) => print("progress", { says: text })),
    connected: (connected) => print("connected", connected),
  };
}
