import type { CatalogPanel } from "@backplane/contract/panels";
import { useEffect, useState } from "react";
import { call } from "../../../calls/call.ts";
import { Button } from "../../../parts/button.tsx";
import { FaultLine } from "../../../parts/field.tsx";
import { State } from "../../../parts/state.tsx";
import type { PanelContext } from "../../panel.ts";
import { nameOfKind } from "./name-of-kind.ts";

/** A panel that has its place in the catalog but is not built yet, and says so. */
export function Planned({ context }: { context: PanelContext }) {
  const [panel, setPanel] = useState<CatalogPanel>();
  const [fault, setFault] = useState<string>();
  const { kind, setTitle } = context;

  useEffect(() => {
    const leaving = new AbortController();
    const load = async () => {
      const answer = await call<{ panels: CatalogPanel[] }>({
        ...{ method: "GET", path: "/api/panels/catalog", signal: leaving.signal },
      });
      if (answer.ok && !leaving.signal.aborted) setPanel(answer.value.panels.find((one) => one.kind === kind));
    };
    void load();
    return () => leaving.abort();
  }, [kind]);

  const name = panel?.name ?? nameOfKind(kind);
  useEffect(() => setTitle(name), [name, setTitle]);

  const open = async (other: "sandbox" | "webview") => {
    try {
      await context.open(other, {});
      setFault(undefined);
    } catch (error) {
      setFault(error instanceof Error ? error.message : "The panel was not opened. Try again.");
    }
  };

  return (
    <div className="panel-root">
      <div className="panel-view panel-message planned">
        <State tone="off" word="Not built yet" />
        <h3>{name}</h3>
        {panel && <p>What it will show: {lowerFirst(panel.description)}.</p>}
        <p>
          Until then, a sandbox draws what a program tells it, and a web view shows a page that has the data already.
        </p>
        <div className="row planned-ways">
          <Button onClick={() => void open("sandbox")}>Open a sandbox</Button>
          <Button onClick={() => void open("webview")}>Open a web view</Button>
        </div>
        {fault !== undefined && <FaultLine>{fault}</FaultLine>}
        <p>
          How programs drive both is in the{" "}
          <a href="/docs" target="_blank" rel="noreferrer">
            API reference
          </a>
          .
        </p>
      </div>
    </div>
  );
}

/** "IMU …" and "3D …" stay as they are. */
const lowerFirst = (text: string): string =>
  /^\p{Lu}\p{Ll}/u.test(text) ? text.charAt(0).toLowerCase() + text.slice(1) : text;
