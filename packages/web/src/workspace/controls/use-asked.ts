import type { Ack } from "@backplane/contract/devices";
import { useCallback, useEffect, useRef, useState } from "react";

type Sending<Value> = { next: { value: Value } | undefined; isWaiting: boolean; isGone: boolean };

/**
 * What was asked for, until the device has answered: then only what the device says is shown. While one answer is waited for,
 * only the newest of what is asked is kept, so a slider that is dragged sends no more than the device can take.
 */
export function useAsked<Value>(send: (value: Value) => Promise<Ack>): {
  asked: Value | undefined;
  ask: (value: Value) => void;
} {
  const [asked, setAsked] = useState<Value>();
  const latest = useRef<Sending<Value>>({ next: undefined, isWaiting: false, isGone: false });
  const sender = useRef(send);
  sender.current = send;
  useEffect(() => {
    latest.current.isGone = false;
    return () => {
      latest.current.isGone = true;
    };
  }, []);
  const ask = useCallback(async (value: Value) => {
    const state = latest.current;
    state.next = { value };
    setAsked(() => value);
    if (state.isWaiting) return;
    state.isWaiting = true;
    for (let next = state.next as Sending<Value>["next"]; next && !state.isGone; next = state.next) {
      state.next = undefined;
      await sender.current(next.value);
    }
    state.isWaiting = false;
    setAsked(undefined);
  }, []);
  return { asked, ask };
}
