import type { Platform } from "@backplane/contract/registry";
import { type KeyboardEvent, type SubmitEvent, useId, useRef, useState } from "react";
import { Button } from "../parts/button.tsx";
import { Field } from "../parts/field.tsx";
import { Select } from "../parts/select.tsx";
import {
  choiceKey,
  guessPlatform,
  offeredTools,
  readChoice,
  sameChoice,
  type ToolChoice,
  toolWords,
} from "./tool-choice.ts";
import type { Tools } from "./use-tool-choice.ts";
import { platformWords } from "./words.ts";

type Props = {
  label: string;
  tools: Tools;
  /** Tool versions that are worth offering here. */
  named: readonly string[];
};

const ANY = "any";
const OTHER = "other";

/** Chooses a tool: one that was chosen before, one that the package names, or any other through a small form. */
export function ToolSelect({ label, tools: { choice, kept, choose }, named }: Props) {
  const [asking, setAsking] = useState(false);
  const select = useRef<HTMLSelectElement>(null);
  const id = useId();
  const platform = choice?.platform ?? kept.recent[0]?.platform ?? guessPlatform(navigator.platform);
  const offered = offeredTools(kept, choice, named, platform);

  const close = () => {
    setAsking(false);
    select.current?.focus();
  };
  const use = (chosen: ToolChoice) => {
    choose(chosen);
    close();
  };

  return (
    <div className="tool-select">
      <label className="row dense muted" htmlFor={id}>
        {label}
        <Select
          id={id}
          ref={select}
          value={choice ? choiceKey(choice) : ANY}
          onChange={({ target: { value } }) => {
            if (value === OTHER) return setAsking(true);
            setAsking(false);
            choose(offered.find((one) => choiceKey(one) === value));
          }}
        >
          <option value={ANY}>Any tool</option>
          {offered.map((one) => (
            <option key={choiceKey(one)} value={choiceKey(one)}>
              {toolWords(one)}
            </option>
          ))}
          <option value={OTHER}>Another tool…</option>
        </Select>
      </label>
      {asking && (
        <ToolForm
          platform={platform}
          onUse={(chosen) => use(offered.find((one) => sameChoice(one, chosen)) ?? chosen)}
          onCancel={close}
        />
      )}
    </div>
  );
}

type ToolFormProps = { platform: Platform; onUse: (choice: ToolChoice) => void; onCancel: () => void };

const FAULT = "Use numbers and dots, such as 9.0.";

/** Any version on any platform. */
function ToolForm({ platform: first, onUse, onCancel }: ToolFormProps) {
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
        <Select id={platformId} value={platform} onChange={(event) => setPlatform(event.target.value as Platform)}>
          {Object.entries(platformWords).map(([value, word]) => (
            <option key={value} value={value}>
              {word}
            </option>
          ))}
        </Select>
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
