import { Button } from "../../../parts/button.tsx";
import { Icon } from "../../../parts/icon.tsx";
import type { FaultOffer, FrameFault } from "./faults.ts";

const words: Record<FaultOffer, string> = {
  proxy: "Load it through the proxy",
  direct: "Load it directly",
  https: "Try https",
  again: "Try again",
  anyway: "Show it anyway",
};

type Props = { fault: FrameFault; onOffer: (offer: FaultOffer) => void };

/** In place of a blank page: why it is blank, and the ways on. */
export function FaultView({ fault, onOffer }: Props) {
  return (
    <div className="panel-message webview-over" role="alert">
      <Icon name={fault.code === "stopped" ? "info" : "warning"} />
      <h3>{fault.title}</h3>
      <p>{fault.detail}</p>
      {fault.offers.length > 0 && (
        <div className="row webview-offers">
          {fault.offers.map((offer, index) => (
            <Button key={offer} {...(index === 0 ? { look: "primary" as const } : {})} onClick={() => onOffer(offer)}>
              {words[offer]}
            </Button>
          ))}
        </div>
      )}
    </div>
  );
}
