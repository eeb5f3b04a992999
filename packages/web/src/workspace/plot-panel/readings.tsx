import type { CSSProperties, ReactNode } from "react";

type ReadingsProps = {
  /** Its device is not there: the values stay, struck through. */
  isLost: boolean;
  isLarge?: boolean;
  children: ReactNode;
};

/** Values as tiles. */
export const Readings = ({ isLost, isLarge = false, children }: ReadingsProps) => (
  <dl className={isLarge ? "reads large" : "reads"} data-lost={isLost}>
    {children}
  </dl>
);

type ReadingProps = {
  name: string;
  /** As people read it; – when it is not known. */
  value: string;
  unit?: string;
  tone?: "warn" | "danger" | undefined;
  children?: ReactNode;
};

export const Reading = ({ name, value, unit, tone, children }: ReadingProps) => (
  <div className={`read ${tone ?? ""}`} data-reading={name}>
    <dt>{name}</dt>
    <dd>
      {value}
      {unit !== undefined && value !== "–" && <small>{unit}</small>}
    </dd>
    {children !== undefined && <dd className="read-note">{children}</dd>}
  </div>
);

/** Names and values below each other. */
export const Values = ({ rows }: { rows: readonly (readonly [name: string, words: string])[] }) => (
  <dl className="values">
    {rows.map(([name, words]) => (
      <div key={name} data-reading={name}>
        <dt>{name}</dt>
        <dd>{words}</dd>
      </div>
    ))}
  </dl>
);

type StepProps = { title: string; words: ReactNode; share?: number; detail?: string; children?: ReactNode };

/** One step of something that a person does with the device, such as a calibration. */
export const StepRow = ({ title, words, share, detail, children }: StepProps) => (
  <div className="step-row">
    <p role="status">
      <b>{title}</b> {words}
    </p>
    {share !== undefined && (
      <span className="step-bar wide-only" style={{ "--share": share } as CSSProperties} aria-hidden="true" />
    )}
    {detail !== undefined && <span className="step-detail">{detail}</span>}
    {children}
  </div>
);
