import type { Finding } from "@backplane/contract/system";
import { CopyButton } from "../parts/copy-button.tsx";
import { State, type Tone } from "../parts/state.tsx";
import { terminalName } from "../parts/terminal-command.ts";
import { Card } from "./card.tsx";

const tones: Record<Finding["state"], { tone: Tone; word: string }> = {
  ok: { tone: "ok", word: "Fine" },
  note: { tone: "off", word: "Missing" },
  warning: { tone: "warn", word: "Warning" },
  fault: { tone: "danger", word: "Fault" },
};

/** What `backplane doctor` says on the machine of the server. */
export function ChecksCard({ findings }: { findings: readonly Finding[] }) {
  const command = `${terminalName()} doctor`;
  return (
    <Card
      title="Checks"
      aside={
        <div className="row">
          <code className="dense muted">{command}</code>
          <CopyButton text={command} />
        </div>
      }
    >
      <table className="table">
        <thead>
          <tr>
            <th>Check</th>
            <th>State</th>
            <th>Says</th>
          </tr>
        </thead>
        <tbody>
          {findings.map(({ check, state, says, fix }) => (
            <tr key={`${check} ${says}`}>
              <td className="strong">{check}</td>
              <td>
                <State {...tones[state]} />
              </td>
              <td className="anywhere">
                {says}
                {fix !== undefined && state !== "ok" && <div className="muted">{fix}</div>}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </Card>
  );
}
