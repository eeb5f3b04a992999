import type { Virtualizer } from "@tanstack/react-virtual";
import type { ReactNode } from "react";

type Props<Row> = {
  list: Virtualizer<HTMLDivElement, Element>;
  rows: readonly Row[];
  children: (row: Row, index: number) => ReactNode;
};

/** Whether the row is in the page. A row out of view is not, and nothing may refer to it. */
export const isDrawn = (list: Virtualizer<HTMLDivElement, Element>, index: number): boolean =>
  list.getVirtualItems().some((drawn) => drawn.index === index);

/** The rows in view of a list that may be long. It goes into the element that scrolls. */
export function VirtualRows<Row>({ list, rows, children }: Props<Row>) {
  const drawn = list.getVirtualItems();
  return (
    <div role="presentation" style={{ height: list.getTotalSize() }}>
      <div role="presentation" style={{ translate: `0 ${drawn[0]?.start ?? 0}px` }}>
        {drawn.map(({ index }) => {
          const row = rows[index];
          return row !== undefined && children(row, index);
        })}
      </div>
    </div>
  );
}
