import type { System } from "@backplane/contract/system";
import { toModule } from "../overview/processes.ts";
import { State } from "../parts/state.tsx";
import { Card, Unknown } from "./card.tsx";

/** The processes of the machine that answered. */
export function ProcessesCard({ system: { processes } }: { system: System }) {
  return (
    <Card title="Processes on this machine">
      {processes === undefined ? (
        <Unknown />
      ) : (
        <table className="table">
          <thead>
            <tr>
              <th>Process</th>
              <th>State</th>
              <th className="wide-only">What it does, or what is wrong</th>
              <th className="num">Port</th>
            </tr>
          </thead>
          <tbody>
            {processes.map(toModule).map(({ name, tone, word, line, gauge, port }) => (
              <tr key={name}>
                <td>
                  <b>{name}</b>
                </td>
                <td>
                  <State tone={tone} word={word} />
                </td>
                <td className="wide-only">
                  {line}
                  {gauge !== undefined && <span className="muted"> · {gauge}</span>}
                </td>
                <td className="num mono">{port}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </Card>
  );
}
