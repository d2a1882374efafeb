import { storageSet, storageGet } from '#web/browser/storage.ts';

/** No other tab plays a sound for this long: one sound per person. */
const QUIET_MS = 1_500;
/** The delay in which an untouched tab leaves the sound to a touched one, which is surely allowed to play. */
const UNTOUCHED_MS = 250;
const VOLUME = 0.6;

/** The result of playing: `refused` if the browser requires a user gesture first; `failed` otherwise. */
export type Sounded = 'played' | 'refused' | 'failed';

type Choice = { sound_on: boolean; sound: string };

const players = new Map<string, HTMLAudioElement>();
let touched = false;

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

/** True if the person has interacted with this page. */
export const wasTouched = (): boolean => {
  const { userActivation } = navigator as { userActivation?: UserActivation };
  return touched || userActivation?.hasBeenActive === true;
};

const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/**
 * Prepares the sound at the first interaction: before one, most browsers block audio.
 *
 * @param choice returns the current settings.
 * @returns the stop function
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
 * Plays the sound of a message (its id), once, in the first tab that claims it; silent if sounds are off.
 *
 * @returns the result; `undefined` if another tab claimed it.
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
  // Locks need a secure page; elsewhere the entry in the storage suffices.
  const { locks } = navigator as { locks?: LockManager };
  if (!locks) return once();
  return new Promise((resolve) => {
    void locks.request('bunyi', { ifAvailable: true }, async (mine) => {
      resolve(mine ? await once() : undefined);
      if (mine) await sleep(QUIET_MS);
    });
  });
}

/** Plays a sound regardless of the settings: `pesan`, `lonceng` or `ketuk`. Never throws. */
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
