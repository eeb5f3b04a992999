import type { FileList, ProjectFile } from "@backplane/contract/panels";
import { useCallback, useEffect, useState } from "react";
import type { Fault } from "../../../calls/call.ts";
import type { WorkspaceName } from "../../calls.ts";
import { listFiles } from "./file-calls.ts";

type Listed = { files: ProjectFile[] | undefined; truncated: boolean; fault: Fault | undefined; reload: () => void };

/** The project's files, asked for when shown. */
export function useFileList({ owner, repo }: WorkspaceName): Listed {
  const [list, setList] = useState<FileList>();
  const [fault, setFault] = useState<Fault>();
  const [asked, setAsked] = useState(0);

  // biome-ignore lint/correctness/useExhaustiveDependencies: `asked` counts how often to ask
  useEffect(() => {
    const leaving = new AbortController();
    void listFiles({ owner, repo }, leaving.signal).then((answer) => {
      if (leaving.signal.aborted) return;
      setFault(answer.ok ? undefined : answer.fault);
      if (answer.ok) setList(answer.value);
    });
    return () => leaving.abort();
  }, [owner, repo, asked]);

  const reload = useCallback(() => setAsked((times) => times + 1), []);
  return { files: list?.files, truncated: list?.truncated ?? false, fault, reload };
}
