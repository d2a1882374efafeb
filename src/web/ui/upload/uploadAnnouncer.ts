import type { Schedule } from '#web/api/uploads/uploadRetry.ts';

/** Added files are announced together, this long after the last of them. */
const BATCH_MS = 750;
/** Announcements are cleared after this, so that they are not found and read again. */
const CLEAR_MS = 1_500;
/** Simultaneous events of several files are announced together. */
const ANNOUNCE_MS = 50;

export type AnnouncerLabels = {
  added: string;
  removed: string;
  /** 'file in list', 'files in list'. */
  countOne: string;
  countMany: string;
};

type Around = {
  /** Sets the text of the polite region; '' clears it. */
  say: (text: string) => void;
  words: () => AnnouncerLabels;
  total: () => number;
  /** True while the person is in the widget; list changes are announced only then. */
  attended: () => boolean;
  later: Schedule;
};

export type UploadAnnouncer = {
  added: (name: string) => void;
  removed: (name: string) => void;
  /** Always announced: an upload's end or error, a step of the keyboard. */
  announce: (text: string) => void;
  quiet: () => void;
};

/** Announces changes of an upload list to screen readers: 'Added a.png, b.png, 2 files in list'. */
export function createUploadAnnouncer({
  say,
  words,
  total,
  attended,
  later,
}: Around): UploadAnnouncer {
  const names: string[] = [];
  let stopBatch = () => {};
  let stopClear = () => {};
  let stopAnnounce = () => {};
  const waiting: string[] = [];
  const quiet = () => {
    stopBatch();
    stopClear();
    stopAnnounce();
  };
  const list = (label: string, what: string) => {
    const { countOne, countMany } = words();
    const count = total();
    stopAnnounce();
    const earlier = waiting.splice(0).map((text) => `${text}; `);
    say(`${earlier.join('')}${label} ${what}, ${count} ${count === 1 ? countOne : countMany}`);
    stopClear();
    stopClear = later(CLEAR_MS, () => say(''));
  };
  return {
    added(name) {
      if (!attended()) return;
      say('');
      names.push(name);
      stopBatch();
      stopBatch = later(BATCH_MS, () => list(words().added, names.splice(0).join(', ')));
    },
    removed(name) {
      if (attended()) list(words().removed, name);
    },
    announce(text) {
      waiting.push(text);
      stopAnnounce();
      stopAnnounce = later(ANNOUNCE_MS, () => {
        stopClear();
        say(waiting.splice(0).join('; '));
      });
    },
    quiet,
  };
}
