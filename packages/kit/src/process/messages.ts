/** What a process tells the parent that started it, over the channel between them. */
export type ProcessMessage =
  | { type: "ready"; url: string; facts?: Readonly<Record<string, unknown>> }
  | { type: "failed"; sentence: string }
  /** About a process of its own, for parents that keep a list. */
  | { type: "child"; name: string; event: ChildEvent }
  | { type: "line"; name: string; line: string };

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
