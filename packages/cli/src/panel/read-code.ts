import { badInput, type Refusal } from "../connect/refusal.ts";

/** As the server takes it. */
const MAX_CODE_BYTES = 524_288;

/** Code that was given, or, without any or with `-`, what comes in. */
export async function readCode(
  host: Pick<NodeJS.Process, "stdin">,
  given: string | undefined,
): Promise<string | Refusal> {
  if (given !== undefined && given !== "-") return given;
  if (host.stdin.isTTY) {
    return badInput("no-code", "There is no code.\nGive it as an argument, or pipe it in: … eval sandbox < code.js");
  }
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of host.stdin) {
    bytes += chunk.length;
    if (bytes > MAX_CODE_BYTES) return badInput("code-too-long", `The code is longer than ${MAX_CODE_BYTES} bytes.`);
    chunks.push(Buffer.from(chunk));
  }
  return Buffer.concat(chunks).toString("utf8");
}
