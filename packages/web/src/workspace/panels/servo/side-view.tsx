import { numberOf } from "../../controls/json.ts";
import type { Values } from "../../controls/values.tsx";
import { numberWords } from "../../parts/plot/words.ts";
import { type Arm, type Joint, jointsOf, reachOf } from "./arm.ts";
import type { Channel, Pose } from "./frames.ts";

type Props = { arm: Arm; channels: readonly Channel[]; values: Values; wanted: Pose };

const [WIDTH, HEIGHT, MARGIN] = [200, 190, 16];
/** Behind its base it needs less room than before it. */
const BEHIND = 0.45;

/** The arm from the side: as it is measured, and dashed as it was told or is set to be. */
export function SideView({ arm, channels, values, wanted }: Props) {
  const reach = reachOf(arm);
  const scale = Math.min((WIDTH - 2 * MARGIN) / ((1 + BEHIND) * reach), (HEIGHT - 2 * MARGIN) / (reach + arm.baseMm));
  const ground = HEIGHT - MARGIN;
  const x = (mm: number) => MARGIN + BEHIND * reach * scale + mm * scale;
  const y = (mm: number) => ground - mm * scale;
  const measured = jointsOf(arm, (id) => numberOf(values[`${id}_deg`]));
  const asked = jointsOf(arm, (id) => wanted[id] ?? numberOf(values[`${id}_target_deg`]));
  const points = (joints: readonly Joint[]) => joints.map((one) => `${x(one.x)},${y(one.z)}`).join(" ");
  const turnDeg = arm.turn === undefined ? undefined : numberOf(values[`${arm.turn}_deg`]);
  const end = measured.at(-1);
  const isWhole = measured.length > arm.links.length;
  const words = end && isWhole ? `${numberWords(end.x)} mm forward, ${numberWords(end.z)} mm up` : "not all is known";
  return (
    <figure className="servo-side">
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={`The arm from the side: ${words}`}>
        <path className="ground" d={`M0 ${ground}H${WIDTH}`} />
        <path className="base" d={`M${x(0) - 14} ${ground}V${y(0.4 * arm.baseMm)}H${x(0) + 14}V${ground}Z`} />
        <path className="base" d={`M${x(0)} ${y(0.4 * arm.baseMm)}V${y(arm.baseMm)}`} />
        <polyline className="asked" points={points(asked)} />
        <polyline className="link" points={points(measured)} />
        <polyline className="bone" points={points(measured)} />
        {measured.map((one, i) => (
          <circle
            key={arm.links[i]?.channel ?? "end"}
            cx={x(one.x)}
            cy={y(one.z)}
            r={i === arm.links.length ? 2.5 : 4}
          />
        ))}
        {measured.slice(0, arm.links.length).map((one, i) => {
          const channel = arm.links[i]?.channel;
          const place = channels.findIndex(({ id }) => id === channel) + 1;
          return (
            <text key={channel} x={x(one.x) - 8} y={y(one.z) - 6} textAnchor="end">
              {place || ""}
            </text>
          );
        })}
      </svg>
      <figcaption>
        <span>{turnDeg === undefined ? "" : `base ${numberWords(turnDeg)}°`}</span>
        <span>{end && isWhole ? `${numberWords(end.x)}, ${numberWords(end.z)} mm` : "side view"}</span>
      </figcaption>
    </figure>
  );
}
