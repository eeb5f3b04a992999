import { type HTMLInputAutoCompleteAttribute, type ReactNode, type Ref, useId } from "react";
import { Icon } from "./icon.tsx";

type Props = {
  label: string;
  name: string;
  value: string;
  onChange: (value: string) => void;
  onLeave?: (() => void) | undefined;
  type?: "text" | "email" | "password";
  autoComplete?: HTMLInputAutoCompleteAttribute;
  /** At the end of the input. */
  end?: ReactNode;
  /** Between the input and the hint. */
  meter?: ReactNode;
  hint?: ReactNode;
  fault?: string | undefined;
  large?: boolean;
  autoFocus?: boolean;
  maxLength?: number;
  spellCheck?: boolean;
  ref?: Ref<HTMLInputElement>;
};

/** A label, an input, a hint and an error. */
export function Field(props: Props) {
  const id = useId();
  const { fault, hint } = props;
  const descriptions = [hint !== undefined && `${id}-hint`, fault !== undefined && `${id}-fault`]
    .filter(Boolean)
    .join(" ");
  return (
    <div className="field">
      <label htmlFor={id}>{props.label}</label>
      <div className={["input", props.large && "large", fault !== undefined && "bad"].filter(Boolean).join(" ")}>
        <input
          id={id}
          ref={props.ref}
          name={props.name}
          type={props.type ?? "text"}
          value={props.value}
          autoComplete={props.autoComplete ?? "off"}
          autoCapitalize="none"
          spellCheck={props.spellCheck ?? false}
          maxLength={props.maxLength}
          // biome-ignore lint/a11y/noAutofocus: only where the page is this form and nothing else
          autoFocus={props.autoFocus}
          aria-invalid={fault !== undefined || undefined}
          aria-describedby={descriptions || undefined}
          onChange={(event) => props.onChange(event.target.value)}
          onBlur={props.onLeave}
        />
        {props.end}
      </div>
      {props.meter}
      {hint !== undefined && (
        <p className="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
      {fault !== undefined && <FaultLine id={`${id}-fault`}>{fault}</FaultLine>}
    </div>
  );
}

/** An error beside what it is about; screen readers announce it. */
export function FaultLine({ id, children }: { id?: string; children: ReactNode }) {
  return (
    <p className="fault" id={id} role="alert">
      <Icon name="warning" />
      <span>{children}</span>
    </p>
  );
}
