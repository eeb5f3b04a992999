import "./controls.css";

type Props = {
  label: string;
  /** As the device says. Undefined: it has said nothing. */
  isOn: boolean | undefined;
  /** It was asked for, and the device has not said that it did it. */
  isAsked?: boolean;
  why?: string | undefined;
  onChange: (on: boolean) => void;
};

/** On or off, as the device says: it never moves before the device has said so. */
export const Switch = ({ label, isOn, isAsked = false, why, onChange }: Props) => (
  <button
    className="switch device-switch"
    type="button"
    role="switch"
    aria-checked={isOn === true}
    aria-label={label}
    aria-busy={isAsked || undefined}
    aria-disabled={why !== undefined || undefined}
    title={why}
    onClick={() => why === undefined && !isAsked && onChange(isOn !== true)}
  >
    <i />
  </button>
);
