import type { Log } from "@backplane/kit/log";
import { Problem } from "@backplane/kit/problems";
import type { CallToolResult } from "@modelcontextprotocol/server";

/** What a tool does, with its problems as the answer: the code, the sentence, and each field by its name. */
export async function answering<Result>(
  log: Pick<Log, "error">,
  run: () => Promise<Result>,
): Promise<Result | CallToolResult> {
  try {
    return await run();
  } catch (error) {
    if (!(error instanceof Problem)) log.error({ err: error }, "a tool failed");
    return problemAnswer(error instanceof Problem ? error : new Problem("internal-error"));
  }
}

function problemAnswer({ code, message, errors = [] }: Problem): CallToolResult {
  const faults = errors.map(({ pointer, message: fault }) => `${pointer.slice(1)} ${fault}`);
  return { isError: true, content: [{ type: "text", text: [`${code}: ${message}`, ...faults].join("\n") }] };
}
