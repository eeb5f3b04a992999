import type { OutlinePanel } from "@backplane/contract/panels";

const [WIDTH, HEIGHT, BAR] = [320, 180, 10];
/** Between two panels, and around them. */
const GAP = 3;

type Rect = { x: number; y: number; width: number; height: number };

/** A picture of a workspace, drawn from its layout and never from its contents. */
export function Thumbnail({ outline }: { outline: readonly OutlinePanel[] }) {
  return (
    <svg
      className="thumbnail"
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      preserveAspectRatio="xMidYMid slice"
      aria-hidden="true"
    >
      <rect className="thumbnail-ground" width={WIDTH} height={HEIGHT} />
      <rect className="thumbnail-bar" width={WIDTH} height={BAR} />
      {outline.map((panel) => (
        <PanelShape key={`${panel.left} ${panel.top}`} kind={panel.kind} {...rectOf(panel)} />
      ))}
    </svg>
  );
}

function rectOf({ left, top, width, height }: OutlinePanel): Rect {
  const [across, down] = [WIDTH - 2 * GAP, HEIGHT - BAR - 2 * GAP];
  return {
    x: GAP + left * across + GAP,
    y: BAR + GAP + top * down + GAP,
    width: Math.max(0, width * across - 2 * GAP),
    height: Math.max(0, height * down - 2 * GAP),
  };
}

function PanelShape({ kind, ...rect }: Rect & { kind: string | null }) {
  return (
    <>
      <rect className="thumbnail-panel" {...rect} />
      {kind === null ? <Nothing {...rect} /> : <Content kind={kind} rect={rect} />}
    </>
  );
}

/** A short line in the middle: no panel yet. */
function Nothing({ x, y, width, height }: Rect) {
  return <path className="thumbnail-text" d={`M${x + width * 0.37} ${y + height / 2}h${width * 0.26}`} />;
}

/** Kinds that show text; the others show something drawn. */
const TEXTS: ReadonlySet<string> = new Set(["code-editor", "script-runner", "system-log", "robot-log", "curriculum"]);
const LINES = [0.8, 0.55, 0.7, 0.4, 0.75, 0.6, 0.5, 0.65];
const LINE_STEP = 12;
const PADDING = 10;

function Content({ kind, rect: { x, y, width, height } }: { kind: string; rect: Rect }) {
  if (kind === "webview") {
    return <rect className="thumbnail-bar" x={x} y={y} width={width} height={Math.min(8, height)} />;
  }
  if (TEXTS.has(kind)) {
    const fitting = LINES.slice(0, Math.max(0, Math.floor((height - PADDING) / LINE_STEP)));
    const rows = fitting.map(
      (share, row) => `M${x + PADDING} ${y + PADDING + row * LINE_STEP}h${(width - 2 * PADDING) * share}`,
    );
    return width > 2 * PADDING ? <path className="thumbnail-text" d={rows.join("")} /> : null;
  }
  const [low, high] = [y + height * 0.75, y + height * 0.3];
  const trace = `M${x + width * 0.1} ${low}C${x + width * 0.4} ${low} ${x + width * 0.4} ${high} ${x + width * 0.6} ${high}H${x + width * 0.9}`;
  return <path className="thumbnail-trace" d={trace} />;
}
