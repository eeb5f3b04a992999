/** What a process reports to its parent over their channel. */
export type ProcessMessage =
  | { type: "ready"; url: string; facts?: Readonly<Record<string, unknown>> }
  | { type: "failed"; sentence: string }
  /** About a child of its own. */
  | { type: "child"; name: string; event: ChildEvent }
  | { type: "line"; name: string; line: string };

/** What a parent tells its child: the processes of the same `backplane up` that are not running. */
export type ParentMessage = { type: "down"; names: readonly string[] };

/** The life of a supervised child. */
export type ChildEvent =
  | { type: "running"; pid: number; url: string; afterMs: number; facts: Readonly<Record<string, unknown>> }
  | { type: "exited"; pid: number; reason: string }
  | { type: "restarting"; inMs: number; attempt: number; reason?: string }
  | { type: "failed"; reason: string }
  | { type: "stopped" };

export function isProcessMessage(message: unknown): message is ProcessMessage {
  const type = (message as { type?: unknown } | null)?.type;
  return type === "ready" || type === "failed" || type === "child" || type === "line";
}

export const isParentMessage = (message: unknown): message is ParentMessage =>
  (message as { type?: unknown } | null)?.type === "down";
