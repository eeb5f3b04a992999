import "./planned.css";
import { useEffect, useState } from "react";
import { Button } from "../../../parts/button.tsx";
import { FaultLine } from "../../../parts/field.tsx";
import { State } from "../../../parts/state.tsx";
import type { MountPanel, PanelContext } from "../../panel.ts";
import { reactPanel } from "../react-panel.tsx";

/** A panel that is in the catalog but not built yet. */
export const mount: MountPanel = (element, context) =>
  reactPanel(element, <Planned context={context} />, { focus: () => element.querySelector("button")?.focus() });

function Planned({ context }: { context: PanelContext }) {
  const [fault, setFault] = useState<string>();
  const { catalogPanel, setTitle } = context;
  const name = catalogPanel?.name ?? "This panel";
  useEffect(() => setTitle(catalogPanel?.name), [catalogPanel, setTitle]);

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
        {catalogPanel && <p>What it will show: {lowerFirst(catalogPanel.description)}.</p>}
        <p>Until then, a program can draw in a sandbox, and a web view can show a page that already has the data.</p>
        <div className="row planned-ways">
          <Button onClick={() => void open("sandbox")}>Open a sandbox</Button>
          <Button onClick={() => void open("webview")}>Open a web view</Button>
        </div>
        {fault !== undefined && <FaultLine>{fault}</FaultLine>}
        <p>
          The{" "}
          <a href="/docs" target="_blank" rel="noreferrer">
            API reference
          </a>{" "}
          shows how programs control both.
        </p>
      </div>
    </div>
  );
}

/** Keeps "IMU …" and "3D …" as they are. */
const lowerFirst = (text: string): string =>
  /^\p{Lu}\p{Ll}/u.test(text) ? text.charAt(0).toLowerCase() + text.slice(1) : text;
