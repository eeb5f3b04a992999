import { EXIT } from "@backplane/contract/problems";
import { exitCodeOfOutcomes, type Refreshed } from "@backplane/registry/manager";
import { SHAPES, table } from "../terminal.ts";
import { countOf, plain } from "../text.ts";
import type { PkgOptions, Place } from "./place.ts";
import { type PkgContext, repositoryOf, withManager } from "./with-manager.ts";

type Host = NodeJS.Process;

export const addRepository = (host: Host, url: string, options: PkgOptions & { name?: string; first?: boolean }) =>
  withManager(host, options, async (context) => {
    const { name, first } = options;
    const added = await context.manager.repositories.add(url, {
      ...(name === undefined ? {} : { name }),
      ...(first === undefined ? {} : { first }),
    });
    context.answer(added, () => printRefreshed(context, added));
    return EXIT.done;
  });

const addOne = (host: Host, place: Place): string =>
  `No repository yet. Add one with: backplane pkg repo add ${repositoryOf(host, place, {})}`;

export const listRepositories = (host: Host, options: PkgOptions) =>
  withManager(host, options, async ({ manager, place, answer, out }) => {
    const repositories = await manager.repositories.list();
    answer({ repositories }, () => {
      if (repositories.length === 0) out.hint(addOne(host, place));
      const rows = repositories.map(({ name, url, packages, signed }) => [
        plain(name),
        packages === undefined ? "not read yet" : countOf(packages, "package"),
        signed ? "signed" : "not signed",
        plain(url),
      ]);
      for (const line of table(rows)) out.line(line);
    });
    return EXIT.done;
  });

export const removeRepository = (host: Host, repository: string, options: PkgOptions) =>
  withManager(host, options, async ({ manager, answer, out }) => {
    const removed = await manager.repositories.remove(repository);
    answer(removed, () => out.line(`Removed ${plain(removed.name)}. What was installed from it stays.`));
    return EXIT.done;
  });

export const refresh = (host: Host, options: PkgOptions) =>
  withManager(host, options, async (context) => {
    const lists = await context.manager.refresh();
    context.answer({ repositories: lists }, () => {
      if (lists.length === 0) context.out.hint(addOne(host, context.place));
      for (const list of lists) printRefreshed(context, list);
    });
    return exitCodeOfOutcomes(lists);
  });

const MAX_WARNINGS = 10;

function printRefreshed({ out, err }: PkgContext, { name, url, state, packages, fault, warnings }: Refreshed): void {
  const tone = state === "refused" ? "danger" : state === "cached" ? "warn" : "ok";
  const words = {
    new: `${countOf(packages, "package")}, read just now`,
    same: `${countOf(packages, "package")}, nothing new`,
    cached: "does not answer; using the cached list",
    refused: "refused",
  };
  out.line(`${out.paint(tone, SHAPES[tone])} ${plain(name)}: ${words[state]}`);
  out.line(`  ${out.paint("off", plain(url))}`);
  if (fault) out.line(`  ${plain(fault.message)}`);
  for (const { message } of warnings.slice(0, MAX_WARNINGS)) {
    err.line(`  ${err.paint("warn", SHAPES.warn)} ${plain(message)}`);
  }
  if (warnings.length > MAX_WARNINGS) err.line(`  and ${warnings.length - MAX_WARNINGS} more; --json lists all`);
}
