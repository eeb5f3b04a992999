import { styleText } from "node:util";
import { isLoopbackUrl } from "@backplane/kit/loopback";
import type { SignInLink } from "@backplane/sdk";
import { renderUnicodeCompact } from "uqr";
import { openTerminal } from "../terminal.ts";
import { spanOf } from "../text.ts";

/** Scanners want a quiet zone. */
const QR_BORDER = 2;

/** Shows a person where to go and what to compare. */
export function showLink({ stdout }: Pick<NodeJS.Process, "stdout">, link: SignInLink, nowMs: number): void {
  const out = openTerminal(stdout);
  out.line(`Open this address and sign in. It works for ${spanOf(link.expiresAt - nowMs)}:`);
  out.line(`\n${out.paint("accent", link.url)}\n`);
  const isOnlyHere = isLoopbackUrl(link.url);
  if (isOnlyHere && out.isInteractive) out.line(`${out.paint("off", NO_QR_CODE)}\n`);
  for (const line of isOnlyHere ? [] : qrLines(link.url, stdout)) out.line(line);
  out.line("Approve only if the page shows this code:");
  out.line();
  for (const line of out.isInteractive ? boxed(link.confirmationCode) : [link.confirmationCode]) {
    out.line(`  ${out.paint("strong", line)}`);
  }
  out.line();
}

/** A phone would open it on itself. */
const NO_QR_CODE = "It opens only on this machine. For a phone, set BASE_URL to an address that it can reach.";

type Stream = { isTTY?: boolean; columns?: number };

/** For a phone, if it fits. Drawn white on black, so that it can be scanned on a light terminal too. */
function qrLines(url: string, stdout: Stream & NodeJS.WriteStream): string[] {
  if (stdout.isTTY !== true) return [];
  const lines = renderUnicodeCompact(url, { border: QR_BORDER }).split("\n");
  const isFitting = lines.every((line) => line.length <= (stdout.columns || 0));
  return isFitting ? [...lines.map((line) => styleText(["whiteBright", "bgBlack"], line, { stream: stdout })), ""] : [];
}

/** Spaced, so that it is read letter by letter. */
function boxed(code: string): string[] {
  const spaced = `   ${[...code].join(" ")}   `;
  const edge = "─".repeat(spaced.length);
  return [`┌${edge}┐`, `│${spaced}│`, `└${edge}┘`];
}
