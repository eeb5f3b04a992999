import { useRef, useState } from "react";
import { choiceKey, guessPlatform, offeredTools, sameChoice, type ToolChoice, toolWords } from "./tool-choice.ts";
import { ToolForm } from "./tool-form.tsx";
import type { Tools } from "./use-tool-choice.ts";

type Props = {
  label: string;
  tools: Tools;
  /** Tool versions that are worth offering here. */
  named: readonly string[];
};

const ANY = "any";
const OTHER = "other";

/** For which tool. What was chosen before and what is named here is one click away, any other a small form. */
export function ToolSelect({ label, tools: { choice, kept, choose }, named }: Props) {
  const [asking, setAsking] = useState(false);
  const select = useRef<HTMLSelectElement>(null);
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
      <label className="row dense muted">
        {label}
        <select
          ref={select}
          className="select"
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
        </select>
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
