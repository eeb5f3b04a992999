import { type Box, idOf } from "@backplane/kicad/drawing";
import { referenceOf } from "@backplane/kicad/schematic";
import { useEffect, useRef, useSyncExternalStore } from "react";
import { onProbe, sendProbe } from "../probe.ts";
import type { Session } from "./session.ts";

/** What is picked here is shown by the viewer for boards, and the other way round. */
export function useProbe(tabId: string, session: Session, onReveal: (box: Box) => void): void {
  const { sheet, net } = useSyncExternalStore(session.subscribe, session.state);
  const [only, ...others] = session.selectedItems();
  const part = sheet && only?.kind === "symbol" && others.length === 0 ? referenceOf(only, sheet) : undefined;
  /** What all panels show already: nothing is sent back. */
  const known = useRef<{ part: string | undefined; net: string | undefined }>({ part: undefined, net: undefined });
  const reveal = useRef(onReveal);
  reveal.current = onReveal;

  useEffect(() => {
    if (part !== undefined && part !== known.current.part) sendProbe(tabId, { part });
    known.current.part = part;
  }, [tabId, part]);
  useEffect(() => {
    if (net !== known.current.net) sendProbe(tabId, { net: net ?? "" });
    known.current.net = net;
  }, [tabId, net]);
  useEffect(
    () =>
      onProbe(tabId, (probe) => {
        if (probe.net !== undefined) {
          known.current.net = probe.net === "" ? undefined : probe.net;
          session.highlight(known.current.net);
        }
        if (probe.part === undefined) return;
        const found = findSymbol(session, probe.part);
        if (!found) return;
        known.current.part = probe.part;
        session.goTo(found.path);
        session.select([found.id]);
        const box = session.selectedDrawn()[0]?.box;
        if (box) reveal.current(box);
      }),
    [tabId, session],
  );
}

function findSymbol(session: Session, reference: string): { path: string; id: string } | undefined {
  for (const sheet of session.state().design?.sheets ?? []) {
    const item = sheet.schematic.items.find((each) => each.kind === "symbol" && referenceOf(each, sheet) === reference);
    if (item) return { path: sheet.path, id: idOf(item) };
  }
  return undefined;
}
