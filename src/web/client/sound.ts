import { keep, kept } from '#web/client/kept.ts';

/** Nobody else may sound for this long: one person, one sound, however many tabs. */
const QUIET_MS = 1_500;
const VOLUME = 0.6;

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

/**
 * Gets the sound ready at the first touch or key: before one, browsers let nothing be heard.
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
 * Sounds for a message (its id), once, in the one tab that is first to claim it. Silent where nobody has touched
 * the page yet, and for who switched sounds off.
 */
export async function soundFor(what: string, choice: Choice | undefined): Promise<void> {
  if (!touched || choice?.sound_on === false) return;
  const once = async () => {
    if (kept('browser', 'sounded') === what) return;
    keep('browser', 'sounded', what);
    await playSound(choice?.sound ?? '');
  };
  // Only where the page is secure; elsewhere the note in the storage must do.
  const { locks } = navigator as { locks?: LockManager };
  if (!locks) return once();
  await locks.request('bunyi', { ifAvailable: true }, async (mine) => {
    if (!mine) return;
    await once();
    await new Promise((resolve) => setTimeout(resolve, QUIET_MS));
  });
}

/** Lets a sound be heard, whatever is chosen: `pesan`, `lonceng` or `ketuk`. For a click. */
export async function playSound(name: string): Promise<void> {
  const player = playerOf(name);
  player.currentTime = 0;
  await player.play().catch(() => undefined);
}
