import type { Ack } from "@backplane/contract/devices";
import type { JsonObject } from "@backplane/contract/panels";
import { useMemo, useRef, useState } from "react";
import { clockWithSeconds } from "../../parts/times.ts";
import type { Target } from "../devices/devices.ts";
import type { DeviceContext } from "../panel.ts";

export type LastCommand = {
  words: string;
  atMs: number;
  acceptedMs: number | undefined;
  ack: Ack | undefined;
};

export type Commands = {
  last: LastCommand | undefined;
  /** `words`: how the command is shown, such as velocity 40 rad/s. */
  send(name: string, params: JsonObject, words: string): Promise<Ack>;
};

/** The commands of one panel. What was only asked for is never shown as done. */
export function useCommands({ devices, clock }: DeviceContext, { device, capability }: Target): Commands {
  const [last, setLast] = useState<LastCommand>();
  const count = useRef(0);
  const send = useMemo(
    () => async (name: string, params: JsonObject, words: string) => {
      count.current += 1;
      const number = count.current;
      const sentAtMs = performance.now();
      const update = (change: Partial<LastCommand>) =>
        number === count.current && setLast((before) => before && { ...before, ...change });
      setLast({ words, atMs: clock.nowMs(), acceptedMs: undefined, ack: undefined });
      const onAccepted = () => update({ acceptedMs: performance.now() - sentAtMs });
      const ack = await devices.command({ device, capability }, name, params, { onAccepted });
      update({ ack: { ...ack, tookMs: performance.now() - sentAtMs } });
      return ack;
    },
    [devices, clock, device, capability],
  );
  return { last, send };
}

type Step = { tone: "" | "done" | "now" | "part" | "bad"; word: string; detail: string | undefined };

const tookWords = (ms: number): string => (ms < 1_000 ? `${Math.round(ms)} ms` : `${(ms / 1_000).toFixed(2)} s`);

function stepsOf({ atMs, acceptedMs, ack }: LastCommand): Step[] {
  const asked: Step = { tone: "done", word: "asked", detail: clockWithSeconds(new Date(atMs)) };
  if (ack && !ack.ok) {
    if (ack.code === "stopped" && acceptedMs !== undefined)
      return [
        asked,
        { tone: "done", word: "accepted", detail: tookWords(acceptedMs) },
        { tone: "part", word: "stopped", detail: ack.detail },
      ];
    const word = ack.code === "no-answer" ? "no answer" : "refused";
    return [asked, { tone: "bad", word, detail: ack.detail ?? ack.code }];
  }
  const accepted = acceptedMs ?? ack?.tookMs;
  const isUnknown = ack?.reached === false;
  const isOther = ack?.detail !== undefined;
  return [
    asked,
    {
      ...{ tone: accepted === undefined ? "" : "done", word: "accepted" },
      detail: accepted === undefined ? undefined : tookWords(accepted),
    },
    {
      ...{ tone: isUnknown || isOther ? "part" : ack ? "done" : accepted === undefined ? "" : "now", word: "reached" },
      detail: isUnknown ? "the device does not say" : ack && (ack.detail ?? tookWords(ack.tookMs)),
    },
  ];
}

/** The last command: asked, accepted, reached. */
export function CommandRow({
  commands: { last },
  mode,
}: {
  commands: Pick<Commands, "last">;
  mode: "live" | "replay";
}) {
  if (mode === "replay") return <p className="command-row">Commands are off during a replay.</p>;
  return (
    <div className="command-row" role="status">
      {last ? (
        <>
          <span className="command-words cut">{last.words}</span>
          <ol className="command-steps">
            {stepsOf(last).map(({ tone, word, detail }) => (
              <li key={word} className={tone}>
                <i aria-hidden="true" />
                <b>{word}</b>
                {detail !== undefined && <span className="cut">{detail}</span>}
              </li>
            ))}
          </ol>
        </>
      ) : (
        <span>Nothing was sent from here yet.</span>
      )}
    </div>
  );
}
