import { type ReactNode, useEffect, useRef } from "react";
import type { Fault } from "../calls/call.ts";
import { faultWords } from "../calls/fault-words.ts";
import { Button } from "../parts/button.tsx";
import { Icon, type IconName } from "../parts/icon.tsx";

type Props = {
  /** The document's title. */
  name: string;
  children: ReactNode;
  /** False where a field of the card takes the focus. */
  takesFocus?: boolean;
  id?: string;
};

/** The heading of a single card. The focus starts here, never on a button that decides something. */
export function CardTitle({ name, children, takesFocus = true, id }: Props) {
  const heading = useRef<HTMLHeadingElement>(null);

  useEffect(() => {
    document.title = `${name} · Backplane`;
  }, [name]);

  useEffect(() => {
    if (takesFocus) heading.current?.focus({ preventScroll: true });
  }, [takesFocus]);

  return (
    <h1 ref={heading} id={id} tabIndex={-1}>
      {children}
    </h1>
  );
}

type OutcomeCardProps = {
  title: ReactNode;
  /** The document's title. */
  name: string;
  icon: IconName;
  tone?: "ok" | "warn";
  /** What happened and what to do, in a sentence or two. */
  line: ReactNode;
  /** Below the line: what to do next. */
  action?: ReactNode;
  /** More of the card. */
  children?: ReactNode;
};

/** How something ended. */
export function OutcomeCard({ title, name, icon, tone, line, action, children }: OutcomeCardProps) {
  return (
    <section className="card">
      <div className="outcome">
        <span className={tone ? `glyph ${tone}` : "glyph"}>
          <Icon name={icon} />
        </span>
        <div>
          <CardTitle name={name}>{title}</CardTitle>
          <p>{line}</p>
          {action !== undefined && <div className="outcome-action">{action}</div>}
        </div>
      </div>
      {children}
    </section>
  );
}

type SilentCardProps = {
  name: string;
  /** The server's answer, if there was one. */
  fault?: Fault | undefined;
  retry: () => void;
};

/** In place of a card that needs an answer from the server. */
export function SilentCard({ name, fault, retry }: SilentCardProps) {
  const refused = fault !== undefined && fault.status !== 0;
  return (
    <OutcomeCard
      name={name}
      title={refused ? "This cannot be shown right now" : "Backplane does not answer"}
      icon="warning"
      tone="warn"
      line={
        refused
          ? faultWords(fault)
          : "Nothing was sent. Check that Backplane is running and that you are connected, then try again."
      }
    >
      <div className="sect tight">
        <Button onClick={retry}>Try again</Button>
      </div>
    </OutcomeCard>
  );
}

const bars = ["half", "full", "full", "most"];

/** The shape of a single card, shown when the first answer takes longer than 300 ms. */
export function CardSkeleton() {
  return (
    <div className="card loading">
      <p className="sr" role="status">
        Loading
      </p>
      <div className="sect card-skeleton" aria-hidden="true">
        {bars.map((length, place) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: they never move
          <div className={`skeleton ${length}`} key={place} />
        ))}
      </div>
    </div>
  );
}
