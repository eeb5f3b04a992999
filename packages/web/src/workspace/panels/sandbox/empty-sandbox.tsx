import { Button } from "../../../parts/button.tsx";
import { Command } from "../../../parts/command.tsx";
import { CopyButton } from "../../../parts/copy-button.tsx";
import { terminalCommand } from "../../../parts/terminal-command.ts";
import type { PanelContext } from "../../panel.ts";

type Props = Pick<PanelContext, "tabId" | "workspace"> & { isPrimary: boolean; onRun(code: string): void };

/** The guide has it, too. */
const EXAMPLE = `const t = Array.from({ length: 200 }, (_, i) => i / 20);
plot({ sin: t.map(Math.sin), cos: t.map(Math.cos) }, { title: "Two waves", x: t, xLabel: "s" });`;

/** What to do with a sandbox in which no code has run. */
export function EmptySandbox({ tabId, workspace: { owner, repo }, isPrimary, onRun }: Props) {
  const command = terminalCommand(`panel eval ${tabId} "plot([3, 1, 4, 1, 5])" --workspace ${owner}/${repo}`);
  if (!isPrimary) {
    return (
      <div className="panel-message sandbox-empty">
        <h2>Code runs in another window</h2>
        <p>The workspace was open there first. Reload this page to show here what it has drawn until now.</p>
      </div>
    );
  }
  return (
    <div className="panel-message sandbox-empty">
      <h2>Nothing is drawn here yet</h2>
      <p>Programs draw here with JavaScript: elements, a canvas, or a plot. Try it:</p>
      <div className="copy sandbox-example">
        <code>{EXAMPLE}</code>
        <CopyButton text={EXAMPLE} />
      </div>
      <Button look="primary" size="small" onClick={() => onRun(EXAMPLE)}>
        Run it
      </Button>
      <p>Paste it into the line below to change it. From a terminal:</p>
      <div className="copy">
        <Command text={command} />
        <CopyButton text={command} />
      </div>
      <p>What code draws is still there after a reload.</p>
    </div>
  );
}
