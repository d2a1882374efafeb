import { writtenPeer } from '#contract/messages/peer.ts';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { simulatedSwitch, type SimulatedPhone } from '#contract/simulator.ts';
import { sentenceOf } from '#web/api/errors.ts';
import { useAct } from '#web/api/query.ts';
import { phoneQuery } from '#web/features/simulator/queries.ts';
import { Alert } from '#web/ui/alert/Alert.tsx';
import { Checkbox } from '#web/ui/form/Checkbox.tsx';

const switches = [
  {
    name: 'offline',
    label: 'Sedang offline',
    help: 'Pesan menunggu sampai ponsel kembali online.',
  },
  { name: 'slow', label: 'Lambat', help: 'Semua terjadi sepuluh kali lebih lama.' },
  { name: 'blocked', label: 'Memblokir pengirim', help: 'Pesan tidak pernah sampai.' },
] as const;

type Name = (typeof switches)[number]['name'];
const flag = (on: boolean) => (on ? '1' : '0');

export function Switches({ phone }: { phone: SimulatedPhone }) {
  const client = useQueryClient();
  const { queryKey } = phoneQuery(phone.phone);
  const [turned, setTurned] = useState<Partial<Record<Name, boolean>>>({});
  const turn = useAct(simulatedSwitch, {
    onSuccess: async (after) => {
      // An earlier poll of the phone would revert it on the screen.
      await client.cancelQueries({ queryKey });
      client.setQueryData(queryKey, after);
      setTurned({});
    },
    onError: () => setTurned({}),
  });
  const set = (name: Name, on: boolean) => {
    const next = { ...phone, ...turned, [name]: on };
    setTurned({ ...turned, [name]: on });
    turn.mutate({
      phone: writtenPeer(phone.phone),
      offline: flag(next.offline),
      slow: flag(next.slow),
      blocked: flag(next.blocked),
    });
  };
  return (
    <div>
      {switches.map(({ name, label, help }) => (
        <Checkbox
          key={name}
          label={label}
          help={help}
          checked={turned[name] ?? phone[name]}
          onChange={(event) => set(name, event.target.checked)}
        />
      ))}
      <Alert
        state="danger"
        visible={turn.error !== null}
        label={turn.error ? sentenceOf(turn.error) : ''}
      />
    </div>
  );
}
