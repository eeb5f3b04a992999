import type { ReactNode, Ref } from "react";
import { Icon, type IconName } from "./icon.tsx";

type Props = {
  children: ReactNode;
  look?: "primary" | "ink" | "danger" | "quiet";
  size?: "small" | "large";
  icon?: IconName;
  type?: "button" | "submit";
  /** Its work is running: it keeps its width, and a click does nothing. */
  busy?: boolean;
  /** The reason is written near it; `describedBy` points there. */
  disabled?: boolean;
  describedBy?: string | undefined;
  label?: string | undefined;
  /** It is one that stays pressed. */
  pressed?: boolean;
  /** It shows and hides the element with the id `controls`. */
  expanded?: boolean;
  controls?: string;
  className?: string;
  ref?: Ref<HTMLButtonElement>;
  onClick?: () => void;
};

/** Disabled buttons stay in the tab order, so that their reason can be found. */
export function Button(props: Props) {
  const { children, look, size, icon, type = "button", busy = false, disabled = false, className } = props;
  const classes = ["btn", look, size, busy && "busy", className].filter(Boolean).join(" ");
  const off = busy || disabled;
  return (
    <button
      ref={props.ref}
      className={classes}
      type={type}
      aria-disabled={off || undefined}
      aria-busy={busy || undefined}
      aria-label={props.label}
      aria-describedby={props.describedBy}
      aria-pressed={props.pressed}
      aria-expanded={props.expanded}
      aria-controls={props.controls}
      onClick={(event) => {
        if (off) event.preventDefault();
        else props.onClick?.();
      }}
    >
      {busy && (
        <span className="btn-spinner">
          <Icon name="spinner" />
        </span>
      )}
      {icon && <Icon name={icon} />}
      <span>{children}</span>
    </button>
  );
}

type FormButtonsProps = { submit: string; busy?: boolean; onCancel: () => void };

/** The end of a form that was opened in place. */
export function FormButtons({ submit, busy = false, onCancel }: FormButtonsProps) {
  return (
    <div className="row">
      <Button type="submit" look="primary" busy={busy}>
        {submit}
      </Button>
      <Button look="quiet" onClick={onCancel}>
        Cancel
      </Button>
    </div>
  );
}
