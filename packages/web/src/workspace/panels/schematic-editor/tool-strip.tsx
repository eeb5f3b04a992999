import { type ReactNode, useSyncExternalStore } from "react";
import { Button } from "../../../parts/button.tsx";
import { Select } from "../../../parts/select.tsx";
import { sheetFile, type Tool, type Tools } from "./tools.ts";

type Choice = { label: string; key: string; tool: Tool | "choose"; glyph: ReactNode };

const glyph = (path: string): ReactNode => (
  <svg className="i" viewBox="0 0 16 16" aria-hidden="true">
    <path d={path} />
  </svg>
);

const CHOICES: readonly Choice[] = [
  { label: "Select", key: "Escape", tool: { kind: "select" }, glyph: glyph("M3 2.25l9.5 5-4 1.5-1.75 4.25z") },
  { label: "Wire", key: "W", tool: { kind: "wire", points: [] }, glyph: glyph("M2 12.5h6v-9h6") },
  { label: "Bus", key: "B", tool: { kind: "bus", points: [] }, glyph: glyph("M2 13L13 2M4 14L15 3") },
  {
    ...{ label: "Bus entry", key: "Z", tool: { kind: "bus-entry", angle: 0 } },
    glyph: glyph("M4 1.5v13M4.5 11.5L11 5h3.5"),
  },
  { label: "Symbol", key: "A", tool: "choose", glyph: glyph("M4.5 3.5h7v9h-7zM2 6h2.5M2 10h2.5M11.5 6H14M11.5 10H14") },
  {
    ...{ label: "Label", key: "L", tool: { kind: "label", scope: "local", text: "", angle: 0 } },
    glyph: glyph("M1.75 4.5h8.5L14 8l-3.75 3.5h-8.5z"),
  },
  {
    ...{ label: "Sheet", key: "S", tool: { kind: "sheet", name: "", file: "" } },
    glyph: glyph("M2 3.5h12v9H2zM2 6h12"),
  },
  {
    ...{ label: "Pin of a sheet", key: "I", tool: { kind: "sheet-pin", name: "" } },
    glyph: glyph("M6.5 2.5v11M6.5 5.5h5l2.5 2.5-2.5 2.5h-5M2 8h4.5"),
  },
  { label: "No connection", key: "Q", tool: { kind: "no-connect" }, glyph: glyph("M4 4l8 8M12 4l-8 8") },
  { label: "Text", key: "T", tool: { kind: "text", text: "" }, glyph: glyph("M3.5 4.5V3h9v1.5M8 3v10M6.25 13h3.5") },
];

/** What the pointer draws. */
export function ToolStrip({ tools, onChooseSymbol }: { tools: Tools; onChooseSymbol: () => void }) {
  const { tool } = useSyncExternalStore(tools.subscribe, tools.state);
  return (
    <div className="schematic-strip" role="toolbar" aria-label="Draw">
      {CHOICES.map(({ label, key, tool: choice, glyph: shape }) => {
        const isOn = choice === "choose" ? tool.kind === "symbol" : tool.kind === choice.kind;
        return (
          <button
            key={label}
            type="button"
            className="icon-btn small"
            aria-label={`${label}, ${key}`}
            title={`${label}, ${key}`}
            aria-pressed={isOn}
            onClick={() => (choice === "choose" ? onChooseSymbol() : tools.choose(choice))}
          >
            {shape}
          </button>
        );
      })}
    </div>
  );
}

const SCOPES = [
  ["local", "Label"],
  ["global", "Global label"],
  ["hierarchical", "Hierarchical label"],
] as const;

/** What the tool needs to know, and what it does next. */
export function ToolHint({ tools, onDone }: { tools: Tools; onDone: () => void }) {
  const { tool } = useSyncExternalStore(tools.subscribe, tools.state);
  const words = hintOf(tool);
  if (words === undefined) return null;
  return (
    <div className="schematic-hint">
      {tool.kind === "label" && (
        <Select
          aria-label="Kind of label"
          value={tool.scope}
          onChange={({ target }) => {
            const scope = SCOPES.find(([value]) => value === target.value)?.[0] ?? "local";
            tools.choose({ ...tool, scope });
          }}
        >
          {SCOPES.map(([value, word]) => (
            <option key={value} value={value}>
              {word}
            </option>
          ))}
        </Select>
      )}
      {(tool.kind === "label" || tool.kind === "text") && (
        <HintInput
          label={tool.kind === "label" ? "Name" : "Text"}
          value={tool.text}
          onChange={(text) => tools.choose({ ...tool, text })}
          {...{ tools, onDone }}
        />
      )}
      {(tool.kind === "sheet" || tool.kind === "sheet-pin") && (
        <HintInput
          label={tool.kind === "sheet" ? "Name of the sheet" : "Name of the pin"}
          value={tool.name}
          onChange={(name) => tools.choose({ ...tool, name })}
          {...{ tools, onDone }}
        />
      )}
      {tool.kind === "sheet" && (
        <HintInput
          label="File"
          value={tool.file}
          placeholder={tool.name.trim() === "" ? "File" : sheetFile(tool)}
          isSecond
          onChange={(file) => tools.choose({ ...tool, file })}
          {...{ tools, onDone }}
        />
      )}
      <span>{words}</span>
      <Button
        size="small"
        look="quiet"
        onClick={() => {
          tools.choose({ kind: "select" });
          onDone();
        }}
      >
        Done
      </Button>
    </div>
  );
}

type HintInputProps = {
  label: string;
  value: string;
  placeholder?: string;
  /** Of two, the first has the keyboard. */
  isSecond?: boolean;
  tools: Tools;
  onChange: (text: string) => void;
  onDone: () => void;
};

function HintInput({ label, value, placeholder = label, isSecond = false, tools, onChange, onDone }: HintInputProps) {
  return (
    <span className="input">
      <input
        aria-label={label}
        placeholder={placeholder}
        maxLength={500}
        autoComplete="off"
        spellCheck={false}
        // biome-ignore lint/a11y/noAutofocus: whoever chose the tool types next
        autoFocus={!isSecond}
        value={value}
        onChange={({ target }) => onChange(target.value)}
        onKeyDown={(event) => {
          // Tab leads to the next field.
          event.stopPropagation();
          if (event.key === "Enter") onDone();
          if (event.key === "Escape") {
            tools.cancel();
            onDone();
          }
        }}
      />
    </span>
  );
}

function hintOf(tool: Tool): string | undefined {
  switch (tool.kind) {
    case "wire":
    case "bus":
      return tool.points.length === 0
        ? `Click where the ${tool.kind} begins`
        : "Click to bend, at a pin or a wire to end; End ends it here";
    case "label":
    case "text":
      return tool.text.trim() === "" ? "Type, then click the place" : "Click the place";
    case "no-connect":
      return "Click a pin that stays open";
    case "bus-entry":
      return "Click where the bus entry begins; R turns it";
    case "sheet":
      return tool.from ? "Click the opposite corner" : "Type, then click one corner";
    case "sheet-pin":
      return tool.name.trim() === "" ? "Click the edge of a sheet for its next label" : "Click the edge of a sheet";
    case "symbol":
      return `Click the place of ${tool.libId}; R turns it`;
    case "move":
      return tool.wires === "follow" ? "Wires follow" : "Wires stay";
    default:
      return undefined;
  }
}
