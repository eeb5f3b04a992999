import type { ReactNode } from "react";
import { Icon, type IconName } from "../parts/icon.tsx";
import { CardTitle } from "./card-title.tsx";

type Props = {
  title: ReactNode;
  /** In the title of the document; the heading unless given. */
  name: string;
  icon: IconName;
  tone?: "ok" | "warn";
  /** What happened and what to do, in a sentence or two. */
  line: ReactNode;
  /** Further parts of the card. */
  children?: ReactNode;
};

/** What came of it. */
export function OutcomeCard({ title, name, icon, tone, line, children }: Props) {
  return (
    <section className="card">
      <div className="outcome">
        <span className={tone ? `glyph ${tone}` : "glyph"}>
          <Icon name={icon} />
        </span>
        <div>
          <CardTitle name={name}>{title}</CardTitle>
          <p>{line}</p>
        </div>
      </div>
      {children}
    </section>
  );
}
