import { Icon, type IconName } from "../../parts/icon.tsx";

type ToolProps = { icon: IconName; label: string; isOff?: boolean; onClick: () => void };

/** Stays in the tab order while it is disabled, so that the focus does not leave the tools. */
export function ToolButton({ icon, label, isOff = false, onClick }: ToolProps) {
  return (
    <button
      className="icon-btn small"
      type="button"
      aria-label={label}
      title={label}
      aria-disabled={isOff || undefined}
      onClick={() => !isOff && onClick()}
    >
      <Icon name={icon} />
    </button>
  );
}
