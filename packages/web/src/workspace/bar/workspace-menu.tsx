import type { WorkspaceSummary } from "@backplane/contract/panels";
import { useCallback, useRef, useState } from "react";
import { call } from "../../calls/call.ts";
import { type WorkspaceName, workspaceAddress } from "../calls.ts";
import { Glyph } from "../dock/glyphs.tsx";
import { Menu, type MenuItem } from "../dock/menu.tsx";

/** All others are a click away, in the list. */
const MAX_SHOWN = 12;

type Props = { workspace: WorkspaceName; onHelp: () => void };

/** Leads to the other workspaces. */
export function WorkspaceMenu({ workspace, onHelp }: Props) {
  const anchor = useRef<HTMLButtonElement>(null);
  const [isOpen, setOpen] = useState(false);
  const [known, setKnown] = useState<readonly WorkspaceSummary[]>([]);
  const close = useCallback(() => setOpen(false), []);

  const open = async () => {
    if (isOpen) return close();
    const answer = await call<{ workspaces: WorkspaceSummary[] }>({ method: "GET", path: "/api/workspaces" });
    if (answer.ok) setKnown(answer.value.workspaces);
    setOpen(true);
  };

  const isThis = ({ owner, repo }: WorkspaceName) =>
    `${owner}/${repo}`.toLowerCase() === `${workspace.owner}/${workspace.repo}`.toLowerCase();
  const items: MenuItem[] = [
    ...known.slice(0, MAX_SHOWN).map((each) => ({
      label: `${each.owner}/${each.repo}`,
      hint: each.tabs === 1 ? "1 tab" : `${each.tabs} tabs`,
      href: workspaceAddress(each),
      isCurrent: isThis(each),
    })),
    { label: "All workspaces", href: "/workspaces", startsGroup: known.length > 0 },
    { label: "Keyboard shortcuts", hint: "?", onSelect: onHelp },
  ];

  return (
    <>
      <button
        ref={anchor}
        className="icon-btn small"
        type="button"
        aria-label="Switch workspace"
        aria-haspopup="menu"
        aria-expanded={isOpen}
        onClick={() => void open()}
      >
        <Glyph name="down" />
      </button>
      {isOpen && anchor.current && <Menu label="Workspaces" anchor={anchor.current} items={items} onClose={close} />}
    </>
  );
}
