import "./wants-list.css";
import { moreWants, type PanelWants } from "@backplane/contract/panels";
import { wantLines } from "./wants-words.ts";

/** What a panel from a package wants. `before`: marks what is new. */
export function WantsList({ wants, before }: { wants: PanelWants; before?: PanelWants | undefined }) {
  const more = before && moreWants(wants, before);
  const isNew = {
    reads: more?.read.length,
    controls: more?.control.length,
    files: more?.files.length,
    tools: more?.tools.length,
    code: more?.eval ? 1 : 0,
    network: 0,
  };
  return (
    <ul className="package-wants">
      {wantLines(wants).map(({ kind, name, words, isNone }) => {
        const isMarked = (isNew[kind] ?? 0) > 0;
        return (
          <li key={kind} className={isMarked ? "new" : undefined}>
            <b>{name}</b>
            <span>
              {isMarked && <span className="badge warn">new</span>} {words}
            </span>
            <span className={isNone ? "state off" : kind === "controls" ? "state warn" : "state ok"}>
              {isNone ? "none" : kind === "controls" ? "moves things" : "asked for"}
            </span>
          </li>
        );
      })}
    </ul>
  );
}
