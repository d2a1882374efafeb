import { createRoot } from 'react-dom/client';
import { createStore, useStore } from '#web/browser/store.ts';
import type { Question } from '#web/ui/overlay/question.ts';
import { ConfirmDialog } from '#web/ui/overlay/ConfirmDialog.tsx';

type OpenQuestion = { turn: number; question: Question; answer: (confirmed: boolean) => void };

const openQuestion = createStore<OpenQuestion | undefined>(() => undefined);
let turns = 0;
let mounted = false;

function answer(confirmed: boolean): void {
  openQuestion.get()?.answer(confirmed);
  openQuestion.set(undefined);
}

/** Asks a question; an open one is answered with no. */
export function ask(question: Question): Promise<boolean> {
  mount();
  answer(false);
  turns += 1;
  const turn = turns;
  return new Promise((resolve) => openQuestion.set({ turn, question, answer: resolve }));
}

/** A separate React root, so that any code may ask on any page. */
function mount(): void {
  if (mounted) return;
  mounted = true;
  const container = document.body.appendChild(document.createElement('div'));
  createRoot(container).render(<Host />);
}

function Host() {
  const now = useStore(openQuestion);
  if (!now) return null;
  return <ConfirmDialog key={now.turn} {...now.question} open onClose={answer} />;
}
