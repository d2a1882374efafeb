import { storageSet, storageGet } from '#web/browser/storage.ts';

/** Nobody else may sound for this long: one person, one sound, however many tabs. */
const QUIET_MS = 1_500;
/** So long a tab that nobody has touched leaves the sound to one that somebody has: that one is surely heard. */
const UNTOUCHED_MS = 250;
const VOLUME = 0.6;

/** What became of a sound: `refused` by a browser that wants a touch or a key first; `failed` otherwise. */
export type Sounded = 'played' | 'refused' | 'failed';

/** What a person chose in their settings. */
type Choice = { sound_on: boolean; sound: string };

const players = new Map<string, HTMLAudioElement>();
let touched = false;

/** The player of a sound; an unknown name is the first sound's. */
function playerOf(name: string): HTMLAudioElement {
  const known = /^(?:pesan|lonceng|ketuk)$/.test(name) ? name : 'pesan';
  const before = players.get(known);
  if (before) return before;
  const player = new Audio(`/sounds/${known}.wav`);
  player.preload = 'auto';
  player.volume = VOLUME;
  players.set(known, player);
  return player;
}

/** Whether somebody has touched this page, or pressed a key in it. */
export const wasTouched = (): boolean => {
  const { userActivation } = navigator as { userActivation?: UserActivation };
  return touched || userActivation?.hasBeenActive === true;
};

const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/**
 * Gets the sound ready at the first touch or key: before one, most browsers let nothing be heard.
 *
 * @param choice what is chosen now; read when it is needed.
 * @returns how to stop waiting for it
 */
export function readySound(choice: () => Choice | undefined): () => void {
  const gestures = ['pointerdown', 'keydown'] as const;
  const ready = () => {
    forget();
    touched = true;
    const { sound_on: on = true, sound = '' } = choice() ?? {};
    if (on) playerOf(sound).load();
  };
  const forget = () => {
    for (const gesture of gestures) removeEventListener(gesture, ready);
  };
  for (const gesture of gestures) addEventListener(gesture, ready, { passive: true });
  return forget;
}

/**
 * Sounds for a message (its id), once, in the one tab that is first to claim it; not for who switched sounds off.
 *
 * @returns what became of it; `undefined` where it was not this tab's.
 */
export async function soundFor(
  what: string,
  choice: () => Choice | undefined,
): Promise<Sounded | undefined> {
  if (choice()?.sound_on === false) return undefined;
  if (!wasTouched()) await sleep(UNTOUCHED_MS);
  const once = async () => {
    if (storageGet('browser', 'sounded') === what) return undefined;
    storageSet('browser', 'sounded', what);
    return playSound(choice()?.sound ?? '');
  };
  // Only where the page is secure; elsewhere the note in the storage must do.
  const { locks } = navigator as { locks?: LockManager };
  if (!locks) return once();
  return new Promise((resolve) => {
    void locks.request('bunyi', { ifAvailable: true }, async (mine) => {
      resolve(mine ? await once() : undefined);
      if (mine) await sleep(QUIET_MS);
    });
  });
}

/** Lets a sound be heard, whatever is chosen: `pesan`, `lonceng` or `ketuk`. Never throws. */
export async function playSound(name: string): Promise<Sounded> {
  const player = playerOf(name);
  player.currentTime = 0;
  try {
    await player.play();
    return 'played';
  } catch (no) {
    return no instanceof DOMException && no.name === 'NotAllowedError' ? 'refused' : 'failed';
  }
}
