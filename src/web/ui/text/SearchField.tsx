import { Search } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { TextField } from '#web/ui/text/TextField.tsx';

type Props = {
  label: string;
  placeholder: string;
  /** The submitted text. */
  value: string;
  maxLength: number;
  className?: string | undefined;
  error?: string | undefined;
  /** Called after a pause, on Enter, and when it is emptied; '' shows everything again. */
  onSearch: (text: string) => void;
  /** Moves on to the results: by the arrow down, or by Escape in an empty field. */
  onLeave?: () => void;
};

/** The pause before a search, since each one costs a request. */
const PAUSE_MS = 300;

export function SearchField({ value, maxLength, onSearch, onLeave, ...field }: Props) {
  const [typed, setTyped] = useState(value);
  const [submitted, setSubmitted] = useState(value);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  // Back, or another filter, changes the value from outside.
  if (value !== submitted) {
    setSubmitted(value);
    setTyped(value);
  }
  useEffect(() => () => clearTimeout(timer.current), []);
  const ask = (words: string) => {
    clearTimeout(timer.current);
    const text = words.trim();
    // A text that is too long is reported in the field.
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
      prefix={<Search size={18} />}
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
