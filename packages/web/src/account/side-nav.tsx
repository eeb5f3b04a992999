import { type MouseEvent, useEffect, useState } from "react";
import type { Part } from "./parts-of-account.ts";
import { focusPart } from "./section.tsx";

/** The part in the upper third of the window is the one that is looked at. */
const LOOKED_AT = { rootMargin: "-8% 0px -67% 0px" };

function useLookedAt(parts: readonly Part[]): string | undefined {
  const ids = parts.map(({ id }) => id).join(" ");
  const [current, setCurrent] = useState(parts[0]?.id);

  useEffect(() => {
    const seen = new Set<string>();
    const observer = new IntersectionObserver((entries) => {
      for (const { target, isIntersecting } of entries) {
        if (isIntersecting) seen.add(target.id);
        else seen.delete(target.id);
      }
      const first = ids.split(" ").find((id) => seen.has(id));
      if (first !== undefined) setCurrent(first);
    }, LOOKED_AT);
    for (const id of ids.split(" ")) {
      const element = document.getElementById(id);
      if (element) observer.observe(element);
    }
    return () => observer.disconnect();
  }, [ids]);

  return current;
}

/** The parts of the page; the one that is looked at is marked. */
export function SideNav({ parts }: { parts: readonly Part[] }) {
  const current = useLookedAt(parts);

  const go = (part: Part) => (event: MouseEvent) => {
    // The fragment would be a step of the router, which puts the focus on the title of the page.
    event.preventDefault();
    document.getElementById(part.id)?.scrollIntoView({ block: "start" });
    focusPart(part);
  };

  return (
    <nav className="side" aria-label="Account">
      {parts.map((part) => (
        <a
          key={part.id}
          href={`#${part.id}`}
          aria-current={part.id === current ? "true" : undefined}
          onClick={go(part)}
        >
          {part.title}
        </a>
      ))}
    </nav>
  );
}
