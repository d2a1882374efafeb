/** What a browser tells of a key. */
export type Press = Pick<KeyboardEvent, 'key' | 'ctrlKey' | 'metaKey' | 'altKey' | 'shiftKey'>;

export type Shortcut = {
  /**
   * `Mod+k` (Ctrl, on a Mac ⌘), one key (`?`), or two, one after the other (`g h`). Letters are small.
   */
  keys: string;
  /** @returns false when there was nothing to do here: then the key is the browser's again. */
  run: () => unknown;
};

/** The first of two keys, while the second is waited for. */
type PendingKey = { key: string; until: number };

/** Two keys that are further apart are two keys. */
const SECOND_KEY_MS = 1_500;

/**
 * What a press means among the keys that are known.
 *
 * A letter counts whatever Caps Lock says, with Shift it is another key; signs are what they are, for
 * Shift is how most of them are typed. After the first of two keys, one that does not go on with it is
 * a press of its own.
 *
 * @param at milliseconds, of any clock that does not stand still.
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

/** Whether the keys are for another: what is typed into, and what letters choose from. */
export const takesKeys = (place: EventTarget | null): boolean =>
  place instanceof Element && place.closest(takers) !== null;

const takers = [
  'input:not([type="checkbox"], [type="radio"], [type="button"], [type="submit"], [type="file"])',
  'textarea',
  'select',
  '[contenteditable]:not([contenteditable="false"])',
  ...['menu', 'listbox', 'dialog', 'combobox', 'textbox'].map((role) => `[role="${role}"]`),
].join();

/** Whether this is a keyboard with a ⌘. */
export const hasCommandKey = (): boolean => /Mac|iPhone|iPad/.test(navigator.platform);

/** What a person reads on the keys: `Mod+k` → Ctrl, K; `g h` → G, H. */
export const keyNames = (keys: string, mac: boolean): readonly string[] =>
  keys.split(/[+ ]/).map((name) => {
    if (name === 'Mod') return mac ? '⌘' : 'Ctrl';
    return name.length === 1 ? name.toUpperCase() : name;
  });

/**
 * Hears the page's keys. Those without Ctrl or ⌘ are off while somebody types or a dialog stands above
 * the page, and when `single` says so: for people who speak to their machine, a stray word is many keys.
 *
 * @param now asked at every press: the shortcuts as they are then.
 * @returns how to stop
 */
export function listenForShortcuts(
  now: () => { shortcuts: readonly Shortcut[]; single: boolean },
): () => void {
  let pendingKey: PendingKey | undefined;
  const mac = hasCommandKey();
  const press = (event: KeyboardEvent) => {
    // A modifier on its way to its key interrupts nothing.
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
