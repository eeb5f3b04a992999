import { type PackageType, V1_TYPES } from "@backplane/contract/registry";
import { useState } from "react";
import { Icon } from "../parts/icon.tsx";
import { iconPath } from "./paths.ts";

type Props = { identifier: string; type: PackageType; hasIcon: boolean; size?: "large" };

const pixels = { small: 40, large: 64 };

/** Other types have no icon of their own. */
const drawnType = (type: PackageType) => V1_TYPES.find((drawn) => drawn === type) ?? "box";

/** The package's own icon, else the icon of its type. Its place is kept while it loads. */
export function PackageIcon({ identifier, type, hasIcon, size }: Props) {
  const [failed, setFailed] = useState(false);
  const side = pixels[size ?? "small"];
  return (
    <span className={size ? `pkg-icon ${size}` : "pkg-icon"} aria-hidden="true">
      {hasIcon && !failed ? (
        <img
          src={iconPath(identifier)}
          width={side - 2}
          height={side - 2}
          alt=""
          loading="lazy"
          decoding="async"
          onError={() => setFailed(true)}
        />
      ) : (
        <Icon name={drawnType(type)} />
      )}
    </span>
  );
}
