import { EXIT } from "@backplane/contract/problems";
import { SHAPES } from "../terminal.ts";
import { countOf, plain, sizeOf } from "../text.ts";
import { loadSigningKey } from "./keys.ts";
import type { PkgOptions } from "./place.ts";
import { ensureRepository, withManager } from "./with-manager.ts";

type Host = NodeJS.Process;

export const lock = (host: Host, file = "packages.lock.json", options: PkgOptions = {}): Promise<number> =>
  withManager(host, options, async ({ manager, answer, out }) => {
    const { packages, notes } = await manager.lock(file);
    answer({ file, packages, notes }, () => {
      for (const note of notes) out.line(`${out.paint("warn", SHAPES.warn)} ${plain(note)}`);
      out.line(`${file} lists the exact versions of ${countOf(packages.length, "package")}.`);
      out.hint(`Install exactly these elsewhere with: backplane pkg install --lock ${file}`);
    });
    return EXIT.done;
  });

export const bundle = (host: Host, specs: readonly string[], options: PkgOptions & { out: string }): Promise<number> =>
  withManager(host, options, async (context) => {
    await ensureRepository(host, context);
    const { manager, answer, out } = context;
    const bundled = await manager.bundle(specs, options.out);
    answer(bundled, () => {
      out.line(`${bundled.file}: ${countOf(bundled.packages.length, "package")}, ${sizeOf(bundled.bytes)}.`);
      out.hint(`Install without a network with: backplane pkg install --bundle ${bundled.file}`);
    });
    return EXIT.done;
  });

export type MirrorFlags = PkgOptions & { baseUrl: string; name?: string; key?: string; prune?: boolean };

export const mirror = (host: Host, url: string, folder: string, options: MirrorFlags): Promise<number> =>
  withManager(host, options, async ({ manager, answer, out, err, json }) => {
    const { baseUrl, name, key, prune, strict } = options;
    const signingKey = key === undefined ? {} : { signingKey: await loadSigningKey(key) };
    const copied = await manager.mirror(url, folder, {
      baseUrl,
      ...(name === undefined ? {} : { name }),
      ...(prune === undefined ? {} : { prune }),
      ...(strict === undefined ? {} : { strict }),
      ...signingKey,
    });
    answer(copied, () => {
      const { packages, versions, fetched, present, bytes, pruned, leftOut } = copied;
      out.line(
        `${folder}: ${countOf(packages, "package")}, ${countOf(versions, "version")}; ${fetched} fetched (${sizeOf(bytes)}), ${present} already present.`,
      );
      if (pruned.length > 0) out.line(`Removed ${countOf(pruned.length, "file")} that are no longer listed.`);
      for (const { identifier, version, fault } of leftOut) {
        out.line(`${out.paint("warn", SHAPES.warn)} Left out ${plain(identifier)} ${version}: ${plain(fault.message)}`);
      }
      out.line(
        `Serve this folder at ${baseUrl}, and add ${baseUrl.replace(/(?<!\/)\/+$/, "")}/repository.json to your design tool.`,
      );
    });
    if (!json && key === undefined) err.line(err.paint("off", "The copy is not signed; --key signs it."));
    return copied.leftOut.length > 0 ? EXIT.refused : EXIT.done;
  });
