import { Eye, EyeOff } from 'lucide-react';
import {
  useRef,
  useState,
  type ComponentPropsWithRef,
  type KeyboardEvent,
  type ReactNode,
} from 'react';
import {
  controlClass,
  Field,
  fieldTool,
  insideClass,
  type FieldProps,
} from '#web/ui/form/Field.tsx';
import styles from '#web/ui/form/form.module.css';
import { classes } from '#web/ui/classes.ts';

type Props = FieldProps &
  Omit<ComponentPropsWithRef<'input'>, 'size' | 'type'> & {
    /** `current-password` to sign in, `new-password` to set one. */
    autoComplete: 'current-password' | 'new-password';
    /** The strength as text; a live region. */
    strength?: ReactNode;
    aside?: ReactNode;
  };

/** A password with a button to show it and a hint for Caps Lock; pasting is never blocked. */
export function PasswordField(props: Props) {
  const { label, help, error, hideLabel, size, strength, aside, id, className, ...input } = props;
  const [shown, setShown] = useState(false);
  const [capsLock, setCapsLock] = useState(false);
  const box = useRef<HTMLDivElement>(null);

  const show = () => {
    const control = box.current?.querySelector('input');
    const [start, end] = [control?.selectionStart ?? null, control?.selectionEnd ?? null];
    setShown(!shown);
    // Changing the type moves the caret to the start: restore it afterwards.
    requestAnimationFrame(() => control?.setSelectionRange(start, end));
  };
  const look = (event: KeyboardEvent<HTMLInputElement>) =>
    setCapsLock(event.getModifierState('CapsLock'));
  const frame = { label, help, error, id, aside, className, required: input.required };

  return (
    <Field {...frame} hideLabel={hideLabel ?? false}>
      {(links) => (
        <>
          <div ref={box} className={controlClass(size)}>
            <input
              autoCapitalize="none"
              autoCorrect="off"
              spellCheck={false}
              {...input}
              {...links}
              type={shown ? 'text' : 'password'}
              className={insideClass()}
              onKeyUp={look}
            />
            <button
              type="button"
              className={fieldTool()}
              aria-pressed={shown}
              aria-label="Tampilkan kata sandi"
              // Keeps the focus, and with it the caret, in the field.
              onMouseDown={(event) => event.preventDefault()}
              onClick={show}
            >
              {shown ? <EyeOff size={18} /> : <Eye size={18} />}
            </button>
          </div>
          <div className={classes('small muted', styles['strength'])} aria-live="polite">
            {capsLock && <p>Caps Lock menyala.</p>}
            {strength}
          </div>
        </>
      )}
    </Field>
  );
}

/** A bar of four steps with its text; `level` 0 is empty, 4 is very strong. */
export function Strength({ level, word }: { level: 0 | 1 | 2 | 3 | 4; word: string }) {
  return (
    <span className={classes('row gap-10', styles['meter'])} data-level={level}>
      <span className={classes('flex gap-4', styles['bars'])} aria-hidden="true">
        {[1, 2, 3, 4].map((step) => (
          <span key={step} data-on={step <= level || undefined} />
        ))}
      </span>
      <span>{word}</span>
    </span>
  );
}
