import { EXIT } from "@backplane/contract/problems";
import { type Explained, type PackageVersion, whyNotV1 } from "@backplane/registry/manager";
import { SHAPES, type Terminal, table } from "../terminal.ts";
import { countOf, plain, plainLines, sizeOf } from "../text.ts";
import type { PkgOptions } from "./place.ts";
import { ensureRepository, type PkgContext, withManager } from "./with-manager.ts";

type Host = NodeJS.Process;

const MAX_ROWS = 50;

export const search = (
  host: Host,
  words: readonly string[],
  options: PkgOptions & { type?: string; fitting?: boolean; limit?: number },
): Promise<number> =>
  withManager(host, options, async (context) => {
    await ensureRepository(host, context, options);
    await refreshed(context);
    const { manager, answer, out } = context;
    const { type, fitting, limit = MAX_ROWS } = options;
    const query = words.join(" ");
    const found = await manager.search(query, {
      ...(type === undefined ? {} : { type }),
      ...(fitting === undefined ? {} : { fitting }),
      limit,
    });
    answer({ packages: found }, () => {
      if (found.length === 0) {
        const what = type === undefined ? "" : ` of type ${type}`;
        out.line(
          query === ""
            ? `The repositories have no packages${what}.`
            : `No package${what} matches "${query}". Check the spelling.`,
        );
      }
      for (const { identifier, name, description, version, installed } of found) {
        const state = installed === undefined ? "" : out.paint("ok", `  ${SHAPES.ok} ${installed} installed`);
        out.line(
          `${out.paint("strong", plain(identifier))} ${version ?? out.paint("warn", "none works here")}${state}`,
        );
        out.line(`  ${plain(name)}: ${plain(description)}`);
      }
    });
    return found.length === 0 && query !== "" ? EXIT.notFound : EXIT.done;
  });

export const info = (host: Host, spec: string, options: PkgOptions): Promise<number> =>
  withManager(host, options, async (context) => {
    await ensureRepository(host, context);
    await refreshed(context);
    const { manager, answer, out } = context;
    const found = await manager.info(spec);
    answer(found, () => {
      const { package: pkg, repository, preferred, installed, update } = found;
      const needed = whyNotV1(pkg);
      out.line(`${out.paint("strong", plain(pkg.name))}  ${plain(pkg.type)}, ${plain(pkg.license)}`);
      out.line(plain(pkg.description));
      out.line();
      const facts: [string, string | undefined][] = [
        ["identifier", pkg.identifier],
        ["author", pkg.author.name],
        ["repository", `${repository.name} (${repository.url})`],
        ["needs", needed && `a client for version 2 of the schema, such as KiCad 10: ${needed.because}`],
        ["to install", preferred ? versionLine(preferred) : "no version works here; explain says why"],
        [
          "installed",
          installed && `${installed.version}${installed.pinned ? ", pinned" : ""} from ${installed.repository_name}`,
        ],
        ["update", update && versionLine(update)],
        ["tags", pkg.tags?.join(", ")],
        ["versions", pkg.versions.map(({ version }) => version).join(", ")],
        ...Object.entries(pkg.resources).map(([name, value]): [string, string] => [name, value]),
      ];
      const rows = facts.flatMap(([name, value]) => (value === undefined ? [] : [[name, plain(value)]]));
      for (const line of table(rows)) out.line(line);
      out.line();
      for (const line of plainLines(pkg.description_full)) out.line(line === "" ? "" : `  ${line}`);
    });
    return EXIT.done;
  });

const versionLine = ({ version, status, download_size }: PackageVersion): string =>
  [version, status, ...(download_size === undefined ? [] : [sizeOf(download_size)])].join(", ");

export const explain = (host: Host, spec: string, options: PkgOptions): Promise<number> =>
  withManager(host, options, async (context) => {
    await ensureRepository(host, context);
    await refreshed(context);
    const { manager, answer, out } = context;
    const explained = await manager.explain(spec);
    answer(explained, () => {
      const { version, platform, runtimes } = explained.tool;
      out.line(
        `${out.paint("strong", plain(explained.identifier))} for tool ${version} on ${platform}, ${runtimes.join(" and ")}`,
      );
      for (const { name, chosen, because } of explained.repositories)
        out.line(mark(out, chosen, `${plain(name)}: ${plain(because)}`));
      out.line("To install");
      printVersions(out, explained.install);
      if (!explained.update) return;
      out.line(`To update from ${explained.update.installed}: ${plain(explained.update.because)}`);
      printVersions(out, explained.update.versions);
    });
    return EXIT.done;
  });

function printVersions(out: Terminal, versions: readonly Explained[]): void {
  for (const { listed, chosen, because } of versions)
    out.line(mark(out, chosen, `${listed.version} ${plain(because)}`));
}

const mark = (out: Terminal, chosen: boolean, text: string): string =>
  `  ${chosen ? out.paint("ok", SHAPES.ok) : out.paint("off", SHAPES.off)} ${text}`;

export const list = (host: Host, options: PkgOptions): Promise<number> =>
  withManager(host, options, async ({ manager, place, answer, out }) => {
    const installed = await manager.list();
    answer({ root: manager.root, packages: installed.map(({ entry, ...shown }) => shown) }, () => {
      if (installed.length === 0) {
        out.hint(`Nothing is installed in ${place.root}. Find packages with: backplane pkg search`);
        return;
      }
      const rows = installed.map(({ identifier, version, pinned, update, repository, note }) => [
        plain(identifier),
        version,
        note !== undefined ? "not known" : pinned ? "pinned" : update === undefined ? "" : `${update} available`,
        plain(repository.name),
      ]);
      for (const line of table(rows)) out.line(line);
      for (const { identifier, note } of installed) if (note !== undefined) out.line(`${plain(identifier)}: ${note}`);
      out.line(`${countOf(installed.length, "package")} in ${place.root}`);
    });
    return EXIT.done;
  });

/** Refreshes the lists. If that fails, it says so and uses the cached list. */
async function refreshed({ manager, err, json }: PkgContext): Promise<void> {
  for (const { name, state, fault } of await manager.refresh()) {
    if (json || (state !== "cached" && state !== "refused")) continue;
    err.line(`${err.paint("warn", SHAPES.warn)} ${plain(name)}: ${plain(fault?.message ?? state)}`);
  }
}
