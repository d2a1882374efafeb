import { useState } from 'react';
import type { MessageRow } from '#contract/messages.ts';
import { MANY_MAX } from '#contract/messages/history.ts';
import { toast } from '#web/ui/toast/toasts.ts';

export function useSelection(shown: readonly MessageRow[]) {
  const [chosen, setChosen] = useState<ReadonlyMap<string, MessageRow>>(new Map());
  const choose = (keys: ReadonlySet<string>) => {
    if (keys.size > MANY_MAX) {
      toast(`Paling banyak ${MANY_MAX} pesan dapat dipilih sekaligus.`, { tone: 'warning' });
      return;
    }
    const rows = new Map([...chosen, ...shown.map((row) => [row.id, row] as const)]);
    setChosen(new Map([...rows].filter(([id]) => keys.has(id))));
  };
  const now = new Map(shown.map((row) => [row.id, row]));
  return {
    keys: new Set(chosen.keys()),
    messages: [...chosen.values()].map((row) => now.get(row.id) ?? row),
    choose,
    clear: () => setChosen(new Map()),
  };
}
