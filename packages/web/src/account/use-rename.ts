import { useAction } from "./use-action.ts";

/** Gives what is at this path another name; for `Rename`. */
export function useRename(path: string, onRenamed: () => Promise<void>) {
  const { busy, fault, act } = useAction();
  const rename = (name: string, done: () => void) =>
    act({ method: "PATCH", path, body: { name } }, async () => {
      await onRenamed();
      done();
    });
  return { busy, fault, rename };
}
