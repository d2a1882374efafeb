import { Search } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { TextField } from '#web/ui/text/TextField.tsx';

type Props = {
  label: string;
  placeholder: string;
  /** What is asked for now. */
  value: string;
  maxLength: number;
  className?: string | undefined;
  /** Why nothing can be found by it. */
  error?: string | undefined;
  /** Called when the typing pauses, by Enter, and when it is emptied; '' asks for everything again. */
  onSearch: (text: string) => void;
  /** Leads on to what was found: by the arrow down, or by Escape where nothing is typed. */
  onLeave?: () => void;
};

/** Typing is not asking: each look costs something. */
const PAUSE_MS = 300;

/** Narrows a list by what is typed. */
export function SearchField({ value, maxLength, onSearch, onLeave, ...field }: Props) {
  const [typed, setTyped] = useState(value);
  const [submitted, setSubmitted] = useState(value);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  // Back, or another filter, changes what is asked for from outside.
  if (value !== submitted) {
    setSubmitted(value);
    setTyped(value);
  }
  useEffect(() => () => clearTimeout(timer.current), []);
  const ask = (words: string) => {
    clearTimeout(timer.current);
    const text = words.trim();
    // What is too long is reported in the field.
    if (text === submitted || text.length > maxLength) return;
    setSubmitted(text);
    onSearch(text);
  };
  return (
    <TextField
      {...field}
      hideLabel
      type="search"
      autoComplete="off"
      prefix={<Search size={18} aria-hidden="true" />}
      maxLength={maxLength}
      value={typed}
      onClear={() => {
        setTyped('');
        ask('');
      }}
      onChange={({ target }) => {
        setTyped(target.value);
        clearTimeout(timer.current);
        timer.current = setTimeout(() => ask(target.value), PAUSE_MS);
      }}
      onKeyDown={(event) => {
        const { key } = event;
        if (key === 'Enter') ask(typed);
        if (!onLeave || !(key === 'ArrowDown' || (key === 'Escape' && typed === ''))) return;
        event.preventDefault();
        onLeave();
      }}
    />
  );
}
