import type { CatalogPanel } from "@backplane/contract/panels";
import { Button } from "../../parts/button.tsx";

type Props = {
  chosen: CatalogPanel | undefined;
  isTaken: boolean;
  besideWords: string;
  canSplit: boolean;
  onAdd: (panel: CatalogPanel, inNewSplit: boolean) => void;
};

/** The keys, and the same for the pointer. */
export function CatalogFoot({ chosen, isTaken, besideWords, canSplit, onAdd }: Props) {
  return (
    <div className="catalog-foot">
      <span className="catalog-keys">
        <kbd>↑</kbd>
        <kbd>↓</kbd> choose
      </span>
      <span className="catalog-keys cut">
        <kbd>Enter</kbd> {isTaken ? "shows it" : besideWords}
      </span>
      {canSplit && !isTaken && chosen && (
        <button className="catalog-split" type="button" onClick={() => onAdd(chosen, true)}>
          <span className="catalog-keys">
            <kbd>Shift</kbd>
            <kbd>Enter</kbd>
          </span>{" "}
          in a new split
        </button>
      )}
      <span className="grow" />
      {chosen && (
        <Button look="primary" onClick={() => onAdd(chosen, false)}>
          {isTaken ? "Show" : "Add"} {chosen.name}
        </Button>
      )}
    </div>
  );
}
