export type Press = Pick<KeyboardEvent, 'key' | 'ctrlKey' | 'metaKey' | 'altKey' | 'shiftKey'>;

export type Shortcut = {
  /** `Mod+k` (Ctrl, on a Mac ⌘), one key (`?`), or two in sequence (`g h`). Letters are lower case. */
  keys: string;
  /** @returns false if nothing was done: the browser then handles the key. */
  run: () => unknown;
};

type PendingKey = { key: string; until: number };

/** Keys further apart are not a sequence. */
const SECOND_KEY_MS = 1_500;

/**
 * Matches a key press against the shortcuts.
 *
 * Letters ignore Caps Lock but not Shift; signs ignore Shift, which most of them need. After the first key of a
 * sequence, a key that does not continue it stands for itself.
 *
 * @param at milliseconds of a monotonic clock.
 */
export function matchPress(
  known: readonly string[],
  press: Press,
  pendingKey: PendingKey | undefined,
  { at, mac }: { at: number; mac: boolean },
): { keys?: string; pendingKey?: PendingKey } {
  const name = nameOf(press, mac);
  if (name === undefined) return {};
  const both = pendingKey && at <= pendingKey.until ? `${pendingKey.key} ${name}` : undefined;
  if (both !== undefined && known.includes(both)) return { keys: both };
  if (known.includes(name)) return { keys: name };
  const opens = known.some((keys) => keys.startsWith(`${name} `));
  return opens ? { pendingKey: { key: name, until: at + SECOND_KEY_MS } } : {};
}

function nameOf({ key, ctrlKey, metaKey, altKey, shiftKey }: Press, mac: boolean) {
  const letter = /^\p{L}$/u.test(key);
  if ([...key].length !== 1 || altKey || (letter && shiftKey)) return undefined;
  const name = letter ? key.toLowerCase() : key;
  if (!ctrlKey && !metaKey) return name;
  return ctrlKey === !mac && metaKey === mac ? `Mod+${name}` : undefined;
}

/** True if the element takes key presses: text fields, and lists with type-ahead. */
export const takesKeys = (place: EventTarget | null): boolean =>
  place instanceof Element && place.closest(takers) !== null;

const takers = [
  'input:not([type="checkbox"], [type="radio"], [type="button"], [type="submit"], [type="file"])',
  'textarea',
  'select',
  '[contenteditable]:not([contenteditable="false"])',
  ...['menu', 'listbox', 'dialog', 'combobox', 'textbox'].map((role) => `[role="${role}"]`),
].join();

/** True on keyboards with a ⌘ key. */
export const hasCommandKey = (): boolean => /Mac|iPhone|iPad/.test(navigator.platform);

/** The labels of the keys: `Mod+k` → Ctrl, K; `g h` → G, H. */
export const keyNames = (keys: string, mac: boolean): readonly string[] =>
  keys.split(/[+ ]/).map((name) => {
    if (name === 'Mod') return mac ? '⌘' : 'Ctrl';
    return name.length === 1 ? name.toUpperCase() : name;
  });

/**
 * Listens for shortcuts. Those without Ctrl or ⌘ are off while a person types, while a dialog is open, and when
 * `single` returns false (with speech input a stray word is many keys).
 *
 * @param now returns the current shortcuts; called at every key press.
 * @returns the stop function
 */
export function listenForShortcuts(
  now: () => { shortcuts: readonly Shortcut[]; single: boolean },
): () => void {
  let pendingKey: PendingKey | undefined;
  const mac = hasCommandKey();
  const press = (event: KeyboardEvent) => {
    // A modifier key does not interrupt a sequence.
    if (/^(?:Shift|Control|Alt|Meta|CapsLock|AltGraph)$/.test(event.key)) return;
    const before = pendingKey;
    pendingKey = undefined;
    if (event.defaultPrevented || event.isComposing || document.querySelector('dialog[open]'))
      return;
    const { shortcuts, single } = now();
    const ignoresSingleKeys = !single || takesKeys(event.target);
    const open = ignoresSingleKeys
      ? shortcuts.filter(({ keys }) => keys.startsWith('Mod+'))
      : shortcuts;
    const known = open.map(({ keys }) => keys);
    const found = matchPress(known, event, before, { at: event.timeStamp, mac });
    pendingKey = found.pendingKey;
    const shortcut = open.find(({ keys }) => keys === found.keys);
    if (shortcut && shortcut.run() !== false) event.preventDefault();
  };
  document.addEventListener('keydown', press);
  return () => document.removeEventListener('keydown', press);
}
