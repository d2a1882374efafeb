import { Search } from 'lucide-react';
import { useEffect, useId, useRef, useState, type KeyboardEvent } from 'react';
import { readJson } from '#web/browser/json.ts';
import { painted } from '#web/browser/scheduling/painted.ts';
import { storageSet, storageGet } from '#web/browser/storage.ts';
import { hasCommandKey, matchPress } from '#web/app/shortcuts/shortcuts.ts';
import { arrange, findable, withRecent, type Command } from '#web/app/palette/commands.ts';
import { Keys } from '#web/app/shortcuts/Keys.tsx';
import styles from '#web/app/palette/palette.module.css';
import { classes } from '#web/ui/classes.ts';
import { useCommands } from '#web/app/palette/useCommands.ts';
import { usePeople } from '#web/app/palette/usePeople.ts';
import { Modal } from '#web/ui/overlay/Modal.tsx';
import { stepRound } from '#web/ui/menu/menus.ts';

/** The command palette (Ctrl K or ⌘ K): opens screens and runs common actions. */
export function Palette({ onClose }: { onClose: () => void }) {
  const listId = useId();
  const { typed, type, groups, shown, active, point, take, press } = usePalette(onClose);
  const none = shown.length === 0;
  return (
    <Modal open holds onClose={onClose} title="Cari atau lompat">
      <div
        className={classes(
          'row gap-10 faint px-12 border-control rounded surface',
          styles['field'],
        )}
      >
        <Search size={20} aria-hidden="true" />
        <input
          ref={(field) => field?.setAttribute('autofocus', '')}
          className={classes('fill ink no-outline', styles['input'])}
          role="combobox"
          aria-label="Cari atau lompat ke"
          aria-autocomplete="list"
          aria-expanded={!none}
          aria-controls={listId}
          aria-activedescendant={active && `${listId}-${shown.indexOf(active)}`}
          placeholder="Cari atau lompat ke …"
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          enterKeyHint="go"
          value={typed}
          onChange={({ target }) => type(target.value)}
          onKeyDown={press}
        />
      </div>
      <div
        id={listId}
        role="listbox"
        aria-label="Perintah"
        className={classes('scroll-y', styles['list'])}
      >
        {groups.map(({ title, commands }) => (
          <div key={title} role="group" aria-label={title} className={styles['group']}>
            <p className="tiny faint strong py-4 px-12" aria-hidden="true">
              {title}
            </p>
            {commands.map((command) => (
              <Row
                key={command.id}
                id={`${listId}-${shown.indexOf(command)}`}
                command={command}
                active={command === active}
                onPoint={() => point(command)}
                onTake={() => take(command)}
              />
            ))}
          </div>
        ))}
      </div>
      {none && (
        <p className={classes('faint text-center', styles['none'])}>Tidak ada yang cocok.</p>
      )}
      <p role="status" className="sr-only">
        {typed.trim() !== '' && (none ? 'Tidak ada yang cocok.' : `${shown.length} hasil`)}
      </p>
    </Modal>
  );
}

function usePalette(onClose: () => void) {
  const { commands, find } = useCommands();
  const [recent] = useState(recentIds);
  const [typed, setTyped] = useState('');
  const [at, setAt] = useState(0);
  const people = usePeople(find && findable(typed));
  // Last: rows that arrive later move no other row.
  const groups = [
    ...arrange(commands, typed, recent, find),
    ...(people.length === 0 ? [] : [{ title: 'Percakapan', commands: people }]),
  ];
  const shown = groups.flatMap((group) => group.commands);
  const active = shown[Math.min(at, shown.length - 1)];
  const take = (command: Command) => {
    if (command.group !== 'Percakapan')
      storageSet('browser', RECENT, JSON.stringify(withRecent(recent, command.id)));
    onClose();
    // Closes first: making the page behind interactive again recomputes all styles.
    void painted().then(command.run);
  };
  const doing: Readonly<Record<string, () => void>> = {
    ArrowDown: () => setAt(stepRound(at, 1, shown.length)),
    ArrowUp: () => setAt(stepRound(at, -1, shown.length)),
    Enter: () => active && take(active),
  };
  const press = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return;
    const toggle = matchPress(['Mod+k'], event, undefined, { at: 0, mac: hasCommandKey() });
    const own = Object.hasOwn(doing, event.key) ? doing[event.key] : undefined;
    const does = toggle.keys ? onClose : own;
    if (!does) return;
    event.preventDefault();
    does();
  };
  const type = (text: string) => {
    setTyped(text);
    setAt(0);
  };
  const point = (command: Command) => setAt(shown.indexOf(command));
  return { typed, type, groups, shown, active, point, take, press };
}

type RowProps = {
  id: string;
  command: Command;
  active: boolean;
  onPoint: () => void;
  onTake: () => void;
};

function Row({ id, command: { label, Icon, keys }, active, onPoint, onTake }: RowProps) {
  const row = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (active) row.current?.scrollIntoView({ block: 'nearest' });
  }, [active]);
  return (
    // The focus never leaves the field, which handles the keys.
    // oxlint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/interactive-supports-focus
    <div
      ref={row}
      id={id}
      role="option"
      aria-selected={active}
      className={classes('row gap-12 leading-ui pointer py-6 px-12 rounded', styles['row'])}
      onPointerMove={() => active || onPoint()}
      onPointerDown={(event) => event.preventDefault()}
      onClick={onTake}
    >
      <Icon size={18} aria-hidden="true" />
      <span className="fill break-anywhere">{label}</span>
      {keys && (
        <span className="fine-only" aria-hidden="true">
          <Keys keys={keys} />
        </span>
      )}
    </div>
  );
}

const RECENT = 'palette';

/** The commands used last, in this browser, since sign-in. */
function recentIds(): readonly string[] {
  const ids = readJson(storageGet('browser', RECENT));
  return Array.isArray(ids) ? ids.filter((id) => typeof id === 'string') : [];
}
