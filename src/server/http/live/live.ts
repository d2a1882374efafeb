import type { ServerResponse } from 'node:http';
import { Refusal } from '#contract/base/refusals.ts';
import type { Frame, Person } from '#server/infra/acts/act.ts';

/** A comment this often tells both ends, and every proxy between, that the line is up. */
const COMMENT_MS = 15_000;
/** How often it is asked whether the sessions behind open streams still live. */
const SESSIONS_MS = 2_000;
/** Open streams of one person in one process: one per browser is needed. */
const PER_PERSON = 30;

type Open = {
  person: Person;
  out: ServerResponse;
  end: AbortController;
};

type Deps = {
  /** Which of these sessions are still good. */
  alive: (sessionIds: readonly string[]) => Promise<ReadonlySet<string>>;
  report: (bug: unknown) => void;
};

/** Writes frames to browsers, and ends what should not go on; a tab that reads none is cut off as every slow reader. */
export type LiveStreams = {
  /**
   * Writes frames until the caller goes, their session ends, or the application closes. `end` is the signal
   * that the frames' source listens to.
   */
  serve(
    out: ServerResponse,
    person: Person,
    frames: AsyncIterable<Frame>,
    end: AbortController,
  ): Promise<void>;
  /** @throws Refusal `too_many_requests` when a person has too many streams already. */
  admit(person: Person): void;
  close(): void;
};

export function openStreams({ alive, report }: Deps): LiveStreams {
  const open = new Set<Open>();

  const comment = () => {
    for (const { out } of open) if (!out.writableNeedDrain) out.write(':\n\n');
  };
  let asking = false;
  const endRevoked = async () => {
    if (asking || open.size === 0) return;
    asking = true;
    try {
      const sessions = [...new Set(Array.from(open, ({ person }) => person.sessionId))];
      const good = await alive(sessions);
      for (const { person, end } of open) if (!good.has(person.sessionId)) end.abort();
    } catch (error) {
      report(error);
    } finally {
      asking = false;
    }
  };
  const timers = [
    setInterval(comment, COMMENT_MS),
    setInterval(() => void endRevoked(), SESSIONS_MS),
  ];
  for (const timer of timers) timer.unref();

  return {
    async serve(out, person, frames, end) {
      const stream: Open = { person, out, end };
      open.add(stream);
      try {
        for await (const frame of frames) {
          if (end.signal.aborted) break;
          if (!out.write(textOf(frame))) await drained(out, end.signal);
        }
      } catch (error) {
        if (!end.signal.aborted) report(error);
      } finally {
        open.delete(stream);
        end.abort();
        out.end();
      }
    },
    admit(person) {
      let theirs = 0;
      for (const one of open) if (one.person.userId === person.userId) theirs += 1;
      if (theirs >= PER_PERSON) throw new Refusal('too_many_requests', { seconds: 15 });
    },
    close() {
      for (const timer of timers) clearInterval(timer);
      for (const { end } of open) end.abort();
    },
  };
}

function textOf(frame: Frame): string {
  if ('reset' in frame) return `id: ${frame.position}\nevent: reset\ndata: ${frame.position}\n\n`;
  return `id: ${frame.position}\nevent: ${frame.event.kind}\ndata: ${JSON.stringify(frame.event)}\n\n`;
}

function drained(out: ServerResponse, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    const go = () => {
      out.off('drain', go);
      signal.removeEventListener('abort', go);
      resolve();
    };
    out.once('drain', go);
    signal.addEventListener('abort', go, { once: true });
  });
}
