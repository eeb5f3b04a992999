import { checkDesign, type Finding } from "@backplane/kicad/erc";
import { useSyncExternalStore } from "react";
import { Button } from "../../../parts/button.tsx";
import { Icon } from "../../../parts/icon.tsx";
import type { Session } from "./session.ts";
import { placeWords } from "./words.ts";

/** The findings of one look at a design; `null` while nobody asked. */
export type Checks = { findings: readonly Finding[]; text: string };

/** What the design was when it was checked: after a change the list is out of date. */
const stateOf = (session: Session): string =>
  (session.state().design?.sheets ?? []).map(({ schematic }) => schematic.text).join("\n");

export function runChecks(session: Session): Checks | undefined {
  const { design } = session.state();
  return design && { findings: checkDesign(design, session.nets()), text: stateOf(session) };
}

const count = (findings: readonly Finding[], severity: Finding["severity"], word: string): string => {
  const found = findings.filter((finding) => finding.severity === severity).length;
  return `${found} ${word}${found === 1 ? "" : "s"}`;
};

type Props = {
  session: Session;
  checks: Checks;
  onAgain: () => void;
  onClose: () => void;
  /** Shows the place of a finding. */
  onJump: (finding: Finding) => void;
};

/** More rows than anybody reads would only make the page slow. */
const MAX_ROWS = 300;

/** What the electrical rules found, each with a place to go to. */
export function CheckList({ session, checks, onAgain, onClose, onJump }: Props) {
  const { sheet } = useSyncExternalStore(session.subscribe, session.state);
  const { findings, text } = checks;
  const isOld = text !== stateOf(session);
  return (
    <section className="schematic-checks" aria-label="Checks">
      <header>
        <b>Checks</b>
        <span role="status">
          {count(findings, "error", "error")}, {count(findings, "warning", "warning")}
          {isOld ? ", before your last change" : ""}
        </span>
        <span className="grow" />
        <Button size="small" look="quiet" onClick={onAgain}>
          Run again
        </Button>
        <button className="icon-btn small" type="button" aria-label="Close the checks" onClick={onClose}>
          <Icon name="close" />
        </button>
      </header>
      {findings.length === 0 && <p>Nothing was found. The design follows the electrical rules.</p>}
      <ol>
        {findings.slice(0, MAX_ROWS).map((finding, place) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the list is made again as a whole
          <li key={place}>
            <button type="button" className="schematic-finding" onClick={() => onJump(finding)}>
              <span className={finding.severity === "error" ? "state danger" : "state warn"}>
                {finding.severity === "error" ? "Error" : "Warning"}
              </span>
              <span>{finding.message}</span>
              <span className="muted">{finding.sheet.path === sheet?.path ? "" : finding.sheet.name}</span>
              <span className="muted wide">{placeWords(finding.at)}</span>
            </button>
          </li>
        ))}
      </ol>
      {findings.length > MAX_ROWS && <p>{findings.length - MAX_ROWS} more. Fix these first.</p>}
    </section>
  );
}
