import type { Recording } from "@backplane/contract/devices";
import type { JsonValue } from "@backplane/kit/bus";
import { Problem } from "@backplane/kit/problems";
import type { Recorder, RecordingNews } from "../services.ts";
import type { Call, RecorderAnswer } from "./wire.ts";

/** Keeping the last 10 minutes writes all of them before it is answered. */
const RECORDER_MS = 60_000;

type RecorderCall = Extract<
  Call,
  { op: "settle-recordings" | "record" | "stop-recording" | "remove-recording" | "rename-recording" }
>;

/** Answers other instances. What is in the way travels as what it is. */
export function recorderAnswers(recorder: Recorder): (call: RecorderCall) => Promise<RecorderAnswer> {
  const run = async (call: RecorderCall): Promise<Recording | null> => {
    switch (call.op) {
      case "settle-recordings":
        await recorder.settled();
        return null;
      case "record":
        return recorder.start(call.wanted);
      case "stop-recording":
        return recorder.stop(call.id);
      case "rename-recording":
        return recorder.rename(call.id, call.name);
      case "remove-recording":
        await recorder.remove(call.id);
        return null;
    }
  };
  return async (call) => {
    try {
      return { recording: await run(call) };
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      return { problem: { code: error.code, detail: error.detail ?? error.title } };
    }
  };
}

/** The recorder of devices that another instance holds. */
export function createForwardedRecorder({
  call,
  current,
  onChange,
}: Pick<Recorder, "current" | "onChange"> & {
  call(call: Call, timeoutMs?: number): Promise<JsonValue>;
}): Recorder {
  async function ask(message: RecorderCall): Promise<Recording | null> {
    const answer = (await call(message, RECORDER_MS)) as RecorderAnswer;
    if ("problem" in answer) throw new Problem(answer.problem.code, { detail: answer.problem.detail });
    return answer.recording;
  }
  return {
    current,
    onChange,
    async settled() {
      await ask({ op: "settle-recordings" });
    },
    start: async (wanted) => (await ask({ op: "record", wanted })) as Recording,
    stop: async (id) => (await ask({ op: "stop-recording", id })) as Recording,
    rename: async (id, name) => (await ask({ op: "rename-recording", id, name })) as Recording,
    async remove(id) {
      await ask({ op: "remove-recording", id });
    },
  };
}

/** The recording that is being made, after this news. */
export function currentAfter(before: Recording | null, news: RecordingNews): Recording | null {
  if ("removed" in news) return before?.id === news.removed ? null : before;
  if (news.recording.state === "recording") return news.recording;
  return before?.id === news.recording.id ? null : before;
}
