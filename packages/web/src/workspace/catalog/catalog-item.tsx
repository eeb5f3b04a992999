import type { CatalogPanel } from "@backplane/contract/panels";
import { PanelIcon } from "./panel-icons.tsx";

type Props = {
  id: string;
  panel: CatalogPanel;
  isTaken: boolean;
  isChosen: boolean;
  onPick: () => void;
  onAdd: () => void;
};

export function CatalogItem({ id, panel, isTaken, isChosen, onPick, onAdd }: Props) {
  const { name, icon, description, singleton, built } = panel;
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are those of the search field
    // biome-ignore lint/a11y/useFocusableInteractive: the search field has the focus and names the option
    <div
      id={id}
      className="catalog-item"
      role="option"
      aria-selected={isChosen}
      data-taken={isTaken || undefined}
      onClick={onPick}
      onDoubleClick={onAdd}
    >
      <span className="catalog-icon">
        <PanelIcon name={icon} />
      </span>
      <div>
        <p className="catalog-name">
          <b>{name}</b>
          {singleton && <span className="badge">One per workspace</span>}
          {!built && <span className="state off small">Not built yet</span>}
        </p>
        <p className="catalog-line">{isTaken ? "Already open. Enter shows it." : description}</p>
      </div>
    </div>
  );
}
