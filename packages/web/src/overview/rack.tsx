import { State } from "../parts/state.tsx";
import type { Module } from "./processes.ts";

const contacts = Array.from({ length: 26 }, (_, place) => place);

/** The edge connector of a module: lit while it answers. */
function Edge({ live }: { live: boolean }) {
  return (
    <div className={live ? "edge live" : "edge"} aria-hidden="true">
      {contacts.map((place) => (
        <i key={place} />
      ))}
    </div>
  );
}

function Slot({ module: { name, tone, word, line, explains, port, url, gauge, live } }: { module: Module }) {
  return (
    <li className="slot">
      <div className="module">
        <div className="module-head">
          <h2>{name}</h2>
          <State tone={tone} word={word} />
        </div>
        <p className={explains ? "line why" : "line"}>{line}</p>
        <div className="where">
          <a href={url} aria-label={`${name} on port ${port}`}>
            <code>:{port}</code>
          </a>
          {gauge !== undefined && <span>{gauge}</span>}
        </div>
      </div>
      <Edge live={live} />
    </li>
  );
}

export function Rack({ modules }: { modules: Module[] }) {
  return (
    <ul className="rack" aria-label="Processes">
      {modules.map((module) => (
        <Slot key={module.name} module={module} />
      ))}
    </ul>
  );
}
