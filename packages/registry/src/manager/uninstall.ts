import type { Context } from "./context.ts";
import type { Outcome } from "./manager-types.ts";
import { report } from "./outcomes.ts";

export async function uninstallPackages(
  context: Context,
  identifiers: readonly string[],
  { dryRun = false }: { dryRun?: boolean },
): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  for (const identifier of identifiers) {
    outcomes.push(
      await report(identifier, async () => {
        const change = { kind: "uninstall", identifier } as const;
        const plan = await context.useInstallation((installation) =>
          dryRun ? installation.plan(change) : installation.apply(change),
        );
        return { identifier, state: dryRun ? "planned" : "done", plan, notes: [] };
      }),
    );
  }
  return outcomes;
}
