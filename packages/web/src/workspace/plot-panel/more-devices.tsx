import type { JsonObject } from "@backplane/contract/panels";
import { type Fitting, fittingOf } from "../device-panel/fitting.ts";
import { useDeviceList } from "../device-panel/use-devices.ts";
import type { DeviceContext } from "../panel.ts";
import { usePanelState } from "../panels/react-panel.tsx";
import type { MenuItem } from "../parts/menu.tsx";
import { MenuButton } from "../parts/menu-button.tsx";
import { channelKey } from "./channels.ts";

/** As the hub allows subscriptions for other panels, too. */
const MAX_ALSO = 15;

const keyOf = ({ device, capability }: Fitting): string => channelKey({ device: device.id, capability: capability.id });

const keysIn = ({ also }: JsonObject): string[] =>
  Array.isArray(also) ? also.filter((each): each is string => typeof each === "string").slice(0, MAX_ALSO) : [];

/** What a panel shows besides the device that was chosen. Devices that are not there now are left out. */
export function alsoShown(all: readonly Fitting[], first: Fitting, state: JsonObject): Fitting[] {
  const keys = keysIn(state);
  return all.filter((each) => keys.includes(keyOf(each)) && keyOf(each) !== keyOf(first));
}

/** Adds other devices to the plot, and takes them out again. */
export function MoreDevices({ context, first }: { context: DeviceContext; first: Fitting }) {
  const state = usePanelState(context);
  const others = fittingOf(useDeviceList(context.devices), context.catalogPanel?.shows ?? []).filter(
    (each) => keyOf(each) !== keyOf(first),
  );
  if (others.length === 0) return null;
  const keys = keysIn(state);
  const items: MenuItem[] = others.map((each) => {
    const key = keyOf(each);
    const isShown = keys.includes(key);
    const also = isShown ? keys.filter((other) => other !== key) : [...keys, key];
    return {
      ...{ label: each.device.name, hint: each.capability.name ?? each.capability.id, isCurrent: isShown },
      ...(isShown ? { icon: "check" } : {}),
      onSelect: () => void context.setState({ also: also.slice(-MAX_ALSO) }).catch(reportError),
    };
  });
  return <MenuButton icon="plus" label="Show other devices, too" menuLabel="Other devices" items={items} />;
}
