import type { ReactNode } from "react";
import { FaultLine } from "../parts/field.tsx";
import { Icon, type IconName } from "../parts/icon.tsx";

type Props = {
  icon: IconName;
  children: ReactNode;
  /** Below the name. */
  line?: ReactNode | undefined;
  /** What the columns say that a narrow screen has no room for. */
  narrow?: string;
  fault?: string | undefined;
};

/** The first cell of a row: what it is, and what went wrong with it. */
export function RowName({ icon, children, line, narrow, fault }: Props) {
  return (
    <div className="row-name">
      <Icon name={icon} />
      <div>
        <div className="row-title">{children}</div>
        {line !== undefined && <div className="row-line">{line}</div>}
        {narrow !== undefined && <div className="row-line narrow">{narrow}</div>}
        {fault !== undefined && <FaultLine>{fault}</FaultLine>}
      </div>
    </div>
  );
}
