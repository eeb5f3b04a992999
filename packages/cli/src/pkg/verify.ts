import { exitCodeOfVerified, type Verified } from "@backplane/registry/manager";
import { SHAPES } from "../terminal.ts";
import type { PkgOptions } from "./options.ts";
import { type Ground, withManager } from "./with-manager.ts";
import { countOf, plain } from "./words.ts";

const MAX_LISTED_FILES = 20;

export const verify = (host: NodeJS.Process, identifiers: readonly string[], options: PkgOptions): Promise<number> =>
  withManager(host, options, async ({ manager, answer, out }) => {
    const verified = await manager.verify(identifiers.length > 0 ? identifiers : undefined);
    answer({ packages: verified }, () => {
      if (verified.length === 0) out.line("Nothing is installed here.");
      for (const one of verified) tellVerified(out, one);
      const damaged = verified.filter(isDamaged);
      if (damaged.length > 0) out.line("Put these files back with: backplane pkg repair");
    });
    return exitCodeOfVerified(verified);
  });

const isDamaged = ({ missing, altered }: Verified): boolean => missing.length + altered.length > 0;

function tellVerified(out: Ground["out"], verified: Verified): void {
  const { identifier, version, files, missing, altered, extra, manifest, note } = verified;
  const tone = isDamaged(verified) ? "danger" : manifest === "unknown" ? "warn" : "ok";
  const words =
    manifest === "unknown"
      ? "was not installed by this program: its files are not known"
      : isDamaged(verified)
        ? `${missing.length + altered.length} of ${countOf(files, "file")} missing or altered`
        : `${countOf(files, "file")}, all as installed`;
  out.line(`${out.paint(tone, SHAPES[tone])} ${plain(identifier)} ${version}: ${words}`);
  if (note !== undefined) out.line(`  ${plain(note)}`);
  for (const [word, paths] of [
    ["missing", missing],
    ["altered", altered],
    ["not of the package", extra],
  ] as const) {
    for (const path of paths.slice(0, MAX_LISTED_FILES)) out.line(`  ${word}: ${plain(path)}`);
    if (paths.length > MAX_LISTED_FILES)
      out.line(`  ${word}: ${paths.length - MAX_LISTED_FILES} more; --json lists all`);
  }
}
