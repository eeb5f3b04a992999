import type { System } from "@backplane/contract/system";
import { sizeWords } from "../packages/words.ts";
import { State } from "../parts/state.tsx";
import { lengthOf } from "../parts/times.ts";
import { Card, Unknown } from "./card.tsx";
import { clockWords, instanceState, milliseconds, SLOW_MS } from "./words.ts";

export function InstancesCard({ system: { instances } }: { system: System }) {
  if (instances === undefined) {
    return (
      <Card title="Instances">
        <Unknown />
      </Card>
    );
  }
  return (
    <Card title="Instances" aside={<span className="dense muted">{instances.length} on this database</span>}>
      <table className="table">
        <thead>
          <tr>
            <th>Instance</th>
            <th>State</th>
            <th className="wide-only">Version</th>
            <th className="wide-only">Up</th>
            <th>Clock</th>
            <th className="wide-only num">Connected</th>
            <th className="wide-only num">Memory</th>
            <th className="wide-only">Database answers, last 10 min</th>
          </tr>
        </thead>
        <tbody>
          {instances.map((instance) => {
            const { name, isThis, version, startedAt, connected, memoryBytes, answersMs } = instance;
            const { tone, word } = instanceState(instance, instances);
            return (
              <tr key={name}>
                <td>
                  <b>{name}</b> {isThis && <span className="badge">this one</span>}
                </td>
                <td>
                  <State tone={tone} word={word} />
                </td>
                <td className="wide-only mono">{version ?? "older"}</td>
                <td className="wide-only">{startedAt === undefined ? "" : lengthOf(secondsSince(startedAt))}</td>
                <td>{clockWords(instance)}</td>
                <td className="wide-only num">{connected}</td>
                <td className="wide-only num">{memoryBytes === undefined ? "" : sizeWords(memoryBytes)}</td>
                <td className="wide-only">{answersMs !== undefined && <AnswerTimes answersMs={answersMs} />}</td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </Card>
  );
}

/** One pin per minute, the last one now. */
function AnswerTimes({ answersMs }: { answersMs: readonly (number | null)[] }) {
  const last = answersMs.at(-1);
  const before = Array.from({ length: Math.max(0, MINUTES - answersMs.length) }, () => undefined);
  const pins = [...before, ...answersMs].slice(-MINUTES).map((ms, nth) => ({ ms, minutesAgo: MINUTES - 1 - nth }));
  return (
    <div className="answer-times">
      <div className="pins wide" aria-hidden="true">
        {pins.map(({ ms, minutesAgo }) => (
          <i className={lookOf(ms)} key={minutesAgo} title={ms ? milliseconds(ms) : undefined} />
        ))}
      </div>
      <span className="dense nowrap">{typeof last === "number" ? milliseconds(last) : "no answer"}</span>
    </div>
  );
}

const MINUTES = 10;

const lookOf = (ms: number | null | undefined): string | undefined =>
  ms === undefined ? undefined : ms === null ? "bad" : ms < SLOW_MS ? "ok" : "slow";

const secondsSince = (at: string): number => Math.max(0, Math.floor((Date.now() - Date.parse(at)) / 1_000));
