import "./segmented.css";

type SegmentedProps<Value> = {
  label: string;
  choices: readonly (readonly [value: Value, word: string])[];
  value: Value | undefined;
  onChange: (value: Value) => void;
};

/** One of a few. */
export function Segmented<Value extends string | number>({ label, choices, value, onChange }: SegmentedProps<Value>) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for forms
    <div className="segmented" role="group" aria-label={label}>
      {choices.map(([each, word]) => (
        <button key={each} type="button" aria-pressed={each === value} onClick={() => onChange(each)}>
          {word}
        </button>
      ))}
    </div>
  );
}
