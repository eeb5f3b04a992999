const MAX_LINES = 20_000;
/** Browsers and servers take no longer ones. */
const MAX_ADDRESS_LENGTH = 2_048;
const ATTRIBUTE = /URI="([^"]*)"/g;

/**
 * A playlist of somebody else with our addresses in it. `address`: where it was; `nameOf`: the name by which a file is
 * asked for here. Undefined: this is not a playlist.
 */
export function rewritePlaylist(
  text: string,
  address: string,
  nameOf: (address: string) => string,
): string | undefined {
  const lines = text.split(/\r?\n/, MAX_LINES + 1);
  if (lines.length > MAX_LINES || lines[0]?.trim() !== "#EXTM3U") return undefined;
  const ours = (written: string): string => {
    const found = URL.parse(written, address);
    // A key that is in the playlist itself stays there; files and programs of the viewer are not asked for.
    if (!found || found.protocol === "data:") return found?.href ?? "";
    const isKnown = found.protocol === "http:" || found.protocol === "https:";
    return isKnown && found.href.length <= MAX_ADDRESS_LENGTH ? nameOf(found.href) : "";
  };
  return lines
    .map((line) => {
      if (line.trim() === "") return "";
      if (!line.startsWith("#")) return ours(line.trim());
      return line.replace(ATTRIBUTE, (_whole, written: string) => `URI="${ours(written)}"`);
    })
    .join("\n");
}

/** Nobody waits longer than this for a player that has gone. */
const MAX_TARGET_MS = 60_000;

/** How long the longest part is, in ms; undefined: this is a list of lists. */
export function targetMsOf(playlist: string): number | undefined {
  const seconds = /^#EXT-X-TARGETDURATION:(\d{1,5})/m.exec(playlist)?.[1];
  return seconds === undefined ? undefined : Math.min(MAX_TARGET_MS, Number(seconds) * 1_000);
}
