import type { System } from "@backplane/contract/system";
import { sizeWords } from "../packages/words.ts";
import { State } from "../parts/state.tsx";
import { lengthOf } from "../parts/times.ts";
import { Card, Unknown } from "./card.tsx";
import { clockWords, instanceState } from "./words.ts";

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
          </tr>
        </thead>
        <tbody>
          {instances.map((instance) => {
            const { name, isThis, version, startedAt, connected, memoryBytes } = instance;
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
              </tr>
            );
          })}
        </tbody>
      </table>
    </Card>
  );
}

const secondsSince = (at: string): number => Math.max(0, Math.floor((Date.now() - Date.parse(at)) / 1_000));
