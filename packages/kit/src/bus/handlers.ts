import type { MessageHandler, RequestHandler } from "./bus.ts";
import type { Entry } from "./channel-table.ts";
import { BusFault, type OnFault } from "./fault.ts";
import { decodeMessage, encodeMessage } from "./message.ts";

/** What a responder has to say, ready for the wire. Why it failed is not part of it. */
export type Answer = { readonly ok: true; readonly text: string } | { readonly ok: false };

/** Hands a message to each handler still active. Never throws: what a handler throws goes to `onFault`. */
export function deliver(entries: readonly Entry<MessageHandler>[], text: string, onFault: OnFault): void {
  for (const entry of entries) if (entry.active) void callHandler(entry.handler, text, onFault);
}

async function callHandler(handler: MessageHandler, text: string, onFault: OnFault): Promise<void> {
  try {
    await handler(decodeMessage(text));
  } catch (cause) {
    onFault(new BusFault("handler-failed", "a subscriber failed", { cause }));
  }
}

/** Asks one responder. Never rejects: what a responder throws goes to `onFault`, not to the requester. */
export async function answer(handler: RequestHandler, text: string, onFault: OnFault): Promise<Answer> {
  try {
    return { ok: true, text: encodeMessage((await handler(decodeMessage(text))) ?? null) };
  } catch (cause) {
    onFault(new BusFault("handler-failed", "a responder failed", { cause }));
    return { ok: false };
  }
}
