import { Button } from "../../parts/button.tsx";
import { progressWords } from "./publish-words.ts";

type Props = { name: string; sent: number; total: number; then: string; onCancel: () => void };

const PINS = Array.from({ length: 40 }, (_, place) => place);

/** How far an upload is. Once all is sent, the server works, and what it does has a word. */
export function Sending({ name, sent, total, then, onCancel }: Props) {
  const part = total === 0 ? 1 : sent / total;
  const words = progressWords(sent, total, then);
  return (
    <div className="card-body sending">
      <div className="spread">
        <div className="sending-what">
          <code>{name}</code>
          <p className="dense muted">{words}</p>
        </div>
        <Button onClick={onCancel}>Cancel</Button>
      </div>
      <div
        className="pins wide"
        role="progressbar"
        aria-label={`Upload of ${name}`}
        aria-valuenow={Math.round(part * 100)}
        aria-valuemin={0}
        aria-valuemax={100}
        aria-valuetext={words}
      >
        {PINS.map((pin) => (
          <i key={pin} className={pin < Math.floor(part * PINS.length) ? "on" : undefined} />
        ))}
      </div>
    </div>
  );
}
