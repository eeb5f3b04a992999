import type { Lesson, Lessons, ReportedStep, ScriptRun } from "@backplane/contract/panels";
import { useCallback, useEffect, useRef, useState } from "react";
import { call } from "../../../calls/call.ts";
import { faultWords } from "../../../calls/fault-words.ts";
import { workspaceRoute } from "../../calls.ts";
import type { PanelContext } from "../../panel.ts";

type Context = Pick<PanelContext, "workspace" | "onLog" | "onReconnect">;

/** Loaded first, after each saved file, and when the connection is back. */
function useFollowed<T>({ workspace, onLog, onReconnect }: Context, rest: string) {
  const { owner, repo } = workspace;
  const route = workspaceRoute({ owner, repo }, rest);
  const [value, setValue] = useState<T>();
  const [fault, setFault] = useState<string>();
  const request = useRef<AbortController>(undefined);
  const reload = useCallback(async () => {
    request.current?.abort();
    request.current = new AbortController();
    const { signal } = request.current;
    const answer = await call<T>({ method: "GET", path: route, signal });
    if (signal.aborted) return;
    if (answer.ok) setValue(answer.value);
    setFault(answer.ok ? undefined : faultWords(answer.fault));
  }, [route]);
  useEffect(() => {
    setValue(undefined);
    void reload();
    const stops = [
      onLog((entries) => entries.some(({ source }) => source === "files" || source === "lessons") && void reload()),
      onReconnect(() => void reload()),
    ];
    return () => {
      request.current?.abort();
      for (const stop of stops) stop();
    };
  }, [reload, onLog, onReconnect]);
  return { value, setValue, fault, reload, route };
}

export const useLessonList = (context: Context) => useFollowed<Lessons>(context, "/lessons");

/** How often a step is reported at most: the server may not have seen the last value yet. */
const REPORT_EVERY_MS = 1_000;

export function useLesson(context: Context, path: string) {
  const { value, setValue, fault, reload, route } = useFollowed<Lesson>(
    context,
    `/lessons/${path.split("/").map(encodeURIComponent).join("/")}`,
  );
  const reported = useRef<{ step: string; atMs: number; timer?: ReturnType<typeof setTimeout> }>({
    ...{ step: "", atMs: Number.NEGATIVE_INFINITY },
  });
  useEffect(() => () => clearTimeout(reported.current.timer), []);
  /** The server looks for itself, and says whether the step is done. */
  const report = useCallback(
    (step: string, run?: ScriptRun): void => {
      const send = async () => {
        reported.current = { step, atMs: performance.now() };
        const answer = await call<ReportedStep>({
          method: "POST",
          path: route,
          body: { step, ...(run ? { run } : {}) },
        });
        if (answer.ok) setValue(answer.value.lesson);
      };
      const { timer, atMs } = reported.current;
      const waitMs = reported.current.step === step ? REPORT_EVERY_MS - (performance.now() - atMs) : 0;
      if (timer !== undefined && reported.current.step === step && !run) return;
      clearTimeout(timer);
      // What was too soon is not lost: a file may have been saved just now.
      if (waitMs > 0) reported.current.timer = setTimeout(() => void send(), waitMs);
      else void send();
    },
    [route, setValue],
  );
  const startAgain = useCallback(async () => {
    await call({ method: "DELETE", path: route });
    await reload();
  }, [route, reload]);
  return { lesson: value, fault, report, startAgain };
}
