import type { PackageScreenshot } from "@backplane/contract/registry";
import { useState } from "react";
import { Icon } from "../../parts/icon.tsx";
import { screenshotPath } from "../paths.ts";
import { captionOf } from "../words.ts";

type Props = { identifier: string; screenshots: readonly PackageScreenshot[] };

/** The pictures that the package brings along, one large and all of them small. */
export function ScreenshotsCard({ identifier, screenshots }: Props) {
  const [place, setPlace] = useState(0);
  const count = screenshots.length;
  const shown = screenshots[place];
  if (!shown) return null;
  const caption = captionOf(shown.name);
  const step = (by: number) => setPlace((place + by + count) % count);
  return (
    <section className="card gallery" aria-label="Screenshots">
      <div className="gallery-main">
        <img src={screenshotPath(identifier, shown.sha256)} width={shown.width} height={shown.height} alt={caption} />
        {count > 1 && (
          <>
            <button
              className="icon-btn previous"
              type="button"
              aria-label="Previous screenshot"
              onClick={() => step(-1)}
            >
              <Icon name="back" />
            </button>
            <button className="icon-btn next" type="button" aria-label="Next screenshot" onClick={() => step(1)}>
              <Icon name="forward" />
            </button>
          </>
        )}
      </div>
      <p className="gallery-caption">
        <bdi>{caption}</bdi>
        {count > 1 && (
          <span className="muted nowrap" role="status">
            {place + 1} of {count}
          </span>
        )}
      </p>
      {count > 1 && (
        <div className="gallery-thumbs">
          {screenshots.map(({ sha256, name }, at) => (
            <button
              key={sha256}
              type="button"
              aria-label={`Screenshot ${at + 1}: ${captionOf(name)}`}
              aria-current={at === place}
              onClick={() => setPlace(at)}
            >
              <img src={screenshotPath(identifier, sha256)} alt="" loading="lazy" decoding="async" />
            </button>
          ))}
        </div>
      )}
    </section>
  );
}
