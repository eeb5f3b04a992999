import type { Platform } from "@backplane/contract/registry";
import { type KeyboardEvent, type SubmitEvent, useId, useRef, useState } from "react";
import { Button } from "../parts/button.tsx";
import { Field } from "../parts/field.tsx";
import { readChoice, type ToolChoice } from "./tool-choice.ts";
import { platformWords } from "./words.ts";

type Props = { platform: Platform; onUse: (choice: ToolChoice) => void; onCancel: () => void };

const FAULT = "Use numbers and dots, such as 9.0.";

/** Any version on any platform. */
export function ToolForm({ platform: first, onUse, onCancel }: Props) {
  const [tool, setTool] = useState("");
  const [platform, setPlatform] = useState(first);
  const [fault, setFault] = useState<string>();
  const field = useRef<HTMLInputElement>(null);
  const platformId = useId();

  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    const choice = readChoice(tool.trim(), platform);
    if (choice) return onUse(choice);
    setFault(FAULT);
    field.current?.focus();
  };
  const leave = (event: KeyboardEvent) => {
    if (event.key === "Escape") onCancel();
  };

  return (
    <form className="tool-form card" aria-label="Another tool" onSubmit={submit} onKeyDown={leave} noValidate>
      <Field
        ref={field}
        label="Tool version"
        name="tool-version"
        value={tool}
        onChange={(value) => {
          setTool(value);
          setFault(undefined);
        }}
        fault={fault}
        maxLength={8}
        autoFocus
      />
      <div className="field">
        <label htmlFor={platformId}>Platform</label>
        <select
          id={platformId}
          className="select"
          value={platform}
          onChange={(event) => setPlatform(event.target.value as Platform)}
        >
          {Object.entries(platformWords).map(([value, word]) => (
            <option key={value} value={value}>
              {word}
            </option>
          ))}
        </select>
      </div>
      <div className="row">
        <Button type="submit">Use this tool</Button>
        <Button look="quiet" onClick={onCancel}>
          Cancel
        </Button>
      </div>
    </form>
  );
}
