import type { FrameBounds, FrameToPage, PageToFrame } from "@backplane/contract/panels";
import { createThreadGuard } from "./guard-thread.ts";
import { createInspect } from "./inspect-value.ts";
import type { FrameWindow, Natives } from "./natives.ts";
import { createConsole } from "./patch-console.ts";
import { createRunCode } from "./run-code.ts";
import { createValueToJson } from "./value-to-json.ts";

type Tools = { natives: Natives; bounds: FrameBounds; nameOfGuard: string; post: (message: FrameToPage) => void };

/** What a frame does that runs code of programs, of a sandbox or of a package alike. */
export function createRunner(frame: FrameWindow, { natives, bounds, nameOfGuard, post }: Tools) {
  const inspect = createInspect(natives);
  const toJson = createValueToJson(natives, inspect, bounds.maxResultBytes);
  const guard = createThreadGuard(frame, natives, nameOfGuard);
  const { runCode, current } = createRunCode(frame, { natives, inspect, toJson, post, guard, bounds });
  createConsole(frame, { natives, inspect, current, post, bounds });

  function block(ms: number): void {
    post({ type: "block-begun" });
    const endMs = natives.dateNow() + ms;
    while (natives.dateNow() < endMs);
    post({ type: "block-ended", atMs: natives.dateNow() });
  }

  return {
    current,
    take(message: Exclude<PageToFrame, { type: "rasterise" }>): void {
      if (message.type === "eval") runCode(message);
      else if (message.type === "ping") post({ type: "pong", id: message.id });
      else block(message.blockMs);
    },
  };
}
